#include "harness/core/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop {
MappedFile::MappedFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw unreadable_file(path);
  struct stat status {};
  const bool known = fstat(fd, &status) == 0;
  size_ = known ? static_cast<size_t>(status.st_size) : 0;
  // Populated at once: a fault for every few pages would take longer than reading them.
  void* const data =
      size_ > 0 ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : nullptr;
  close(fd);
  if (!known || data == MAP_FAILED) throw unreadable_file(path);
  data_ = data;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace nsop
