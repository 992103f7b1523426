// Files read whole, and written whole or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace nsop {

class Error;

Error unreadable_file(const std::string& path);  // environment; says errno
// The milliseconds that an environment variable sets, `unset` without it. Throws Error (usage).
int timeout_ms(const char* variable, int unset);

// The whole file. Throws Error (environment), also for a pipe that brings nothing for a minute (or
// NSOP_PIPE_TIMEOUT_MS), and Error (bad data) for a file of more than `most_bytes`, of which no
// more is read.
std::string read_file(const std::string& path, size_t most_bytes = SIZE_MAX / 2);
// Calls use(piece) for the whole file, piece by piece. Throws Error (environment).
void read_pieces(const std::string& path, const std::function<void(std::string_view)>& use);

// Where the PATH has a program, as it names the folder; empty when it isn't there.
std::string program_on_path(const std::string& program);

// What a folder holds, by name; `below`: also what its folders hold. What other programs remove
// meanwhile is left out; `error` says that the folder can't be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::string& folder,
                                                         std::error_code& error,
                                                         bool below = false);

// Temporary file in the same folder, then rename: either the whole file or none. kDurable also
// waits until it is on disk; scratch files need not. A symbolic link stays one: the file that it
// leads to is replaced. What is no file, such as /dev/null or a pipe, is written into. Throws Error
// (environment).
enum class Durability { kDurable, kScratch };
void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability = Durability::kDurable);

// The same for two pieces one after the other, without joining them first.
void write_parts_atomically(const std::string& path, const std::array<std::string_view, 2>& parts,
                            Durability durability);

// Stands in the name of a file that is written before it is renamed, between the name that it will
// have and letters that make it unique.
inline constexpr const char* kUnfinishedMark = ".nsop-new-";

// What killed processes left, and was removed.
struct Leftovers {
  int64_t files = 0, folders = 0, bytes = 0;
};

// Removes from `folder` the files of this user that is_ours(name) says are ours and to which nobody
// wrote for an hour. A folder that can't be read has none.
Leftovers remove_abandoned(const std::string& folder,
                           const std::function<bool(const std::string&)>& is_ours);

// The same for names with the mark. Every durable write does so first, where it writes.
Leftovers remove_unfinished_in(const std::string& folder);

}  // namespace nsop
