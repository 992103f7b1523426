#include "harness/core/io/file_in_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop {
namespace {

// Bytes that were there; -1 with errno on failure.
ssize_t read_all(int fd, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = read(fd, to + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

FileInMemory::FileInMemory(const std::string& path, size_t most_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw unreadable_file(path);
  struct stat status {};
  const bool known = fstat(fd, &status) == 0;
  if (known && !S_ISREG(status.st_mode)) {
    close(fd);
    throw environment_error(fmt::format("{}: is no regular file", path));
  }
  taken_ = known ? static_cast<size_t>(status.st_size) : 0;
  if (taken_ > most_bytes) {
    close(fd);
    throw bad_data(
        fmt::format("{}: has {} bytes, at most {} are expected", path, taken_, most_bytes));
  }
  // Populated at once: a fault for every page would take longer than reading.
  void* const data = taken_ > 0 ? mmap(nullptr, taken_, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
                                : nullptr;
  if (data != MAP_FAILED) data_ = data;
  const ssize_t size =
      known && data != MAP_FAILED ? read_all(fd, static_cast<char*>(data), taken_) : -1;
  const int error = errno;
  close(fd);
  if (size < 0) {
    if (data_ != nullptr) munmap(data_, taken_);
    errno = error;
    throw unreadable_file(path);
  }
  size_ = static_cast<size_t>(size);
}

FileInMemory::FileInMemory(FileInMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      taken_(std::exchange(other.taken_, 0)) {}

FileInMemory::~FileInMemory() {
  if (data_ != nullptr) munmap(data_, taken_);
}

}  // namespace nsop
