// A file read whole, at once and aligned.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace nsop {

// The content of a file as it was read, from the start of a page on. A copy, no mapping: a file
// that somebody cuts short while it is looked at would kill the process. Only of regular files.
class FileInMemory {
 public:
  // Throws Error (environment), and Error (bad data) for a file of more than `most_bytes`, of which
  // nothing is read.
  explicit FileInMemory(const std::string& path, size_t most_bytes = kMostBytes);
  // More than any array that is measured, and no more than there are addresses.
  static constexpr size_t kMostBytes =
      std::numeric_limits<size_t>::digits < 34 ? ~size_t{0} : static_cast<size_t>(8ull << 30);
  ~FileInMemory();
  FileInMemory(FileInMemory&& other) noexcept;
  FileInMemory& operator=(FileInMemory&&) = delete;
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  std::string_view content() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;         // nullptr: an empty file
  size_t size_ = 0, taken_ = 0;  // bytes of the file, bytes of memory
};

}  // namespace nsop
