// What can be said about a database file before SQLite touches it.
#pragma once

#include <string>

namespace nsop::store {

constexpr unsigned kApplicationId = 0x4E534F50;  // "NSOP", in the header of every database of ours

bool file_exists(const std::string& path);
// Throws Error (bad data) when an existing file is no database of ours: empty, cut off, other
// format or another program's; Error (environment) when it can't be read.
void check_header(const std::string& path);
// Throws Error (environment) when the file or its folder can't be written.
void check_writable(const std::string& path);
bool folder_writable(const std::string& path);
// Throws Error (environment) when the folder of `path` is missing or on a network file system,
// where SQLite's write-ahead log doesn't work.
void check_folder(const std::string& path);
// `NFS`, `SMB`, ... for the f_type of statfs; empty for a local file system.
std::string network_file_system(long type);

// Moves a finished temporary file to `path` unless that exists, and makes it durable. False:
// exists.
bool publish_file(const std::string& temporary, const std::string& path);

}  // namespace nsop::store
