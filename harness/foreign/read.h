// A file or folder of another tool, from its path to what it says.
#pragma once

#include <istream>
#include <string>

#include "harness/foreign/file.h"
#include "harness/foreign/import/formats.h"

namespace nsop::foreign {

struct ForeignOptions {
  std::string format{};  // of all_formats(); empty: detected
  bool salvage = false;  // keep what a truncated file has
  ReadOptions read{};
};

struct ForeignRead {
  const Format* format = nullptr;
  ForeignFile file;
};

// Is the beginning that of an export of ours?
bool is_our_export(const std::string& head);

// Reads all of `in`, which `where` names. Throws Error: usage for an unknown format, bad data for a
// file of none, a truncated one (unless it is to be salvaged) and one without a single row.
ForeignRead read_foreign(std::istream& in, const std::string& where, const ForeignOptions& options);

// The same of a folder of Criterion.rs (`target/criterion`): the newest samples of each benchmark.
ForeignRead read_foreign_folder(const std::string& folder, const ForeignOptions& options);
// The SHA-256 of what such a folder holds. Throws Error (environment) for one that can't be read.
std::string folder_sha256(const std::string& folder);

}  // namespace nsop::foreign
