// A file as memory, read without a copy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nsop {

// Maps a whole file for reading as long as the object lives. For files that are written once and
// renamed into place, as all of ours are: one that is cut short meanwhile kills the process.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // throws Error (environment)
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view content() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;  // nullptr: an empty file
  size_t size_ = 0;
};

}  // namespace nsop
