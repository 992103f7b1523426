// For tests, by LD_PRELOAD: a disk that fails. Of the calls by which nsop changes regular files and
// their names, number NSOP_TEST_FAULT_AT (from 1) fails as NSOP_TEST_FAULT says: `kill` ends the
// process in place of the call, `ENOSPC` and `EIO` make it fail, `short` writes half of it. At its
// end the process writes into the file NSOP_TEST_CALLS how many such calls there were. Only in the
// program NSOP_TEST_PROGRAM (default: nsop): workers have a disk that works. While there is a file
// NSOP_TEST_DISK_FULL, nothing can be written at all (ENOSPC); of a server, which forks. No header:
// its functions take the place of the C library's.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

enum class Fault { kNone, kFails, kShort };

int calls = 0;  // nsop writes from one thread

bool fails_here() {
  static const char* const program = getenv("NSOP_TEST_PROGRAM");
  static const bool is =
      std::strcmp(program_invocation_short_name, program == nullptr ? "nsop" : program) == 0;
  return is;
}

bool is_file(int fd) {
  struct stat status {};
  const int error = errno;
  const bool is = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  errno = error;
  return is;
}

// Counts a call and says what happens to it; errno is set where it fails.
Fault next_call() {
  static const char* const at = getenv("NSOP_TEST_FAULT_AT");
  static const char* const fault = getenv("NSOP_TEST_FAULT");
  static const int wanted = at == nullptr ? 0 : std::atoi(at);
  if (++calls != wanted || fault == nullptr) return Fault::kNone;
  if (std::strcmp(fault, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(fault, "short") == 0) return Fault::kShort;
  errno = std::strcmp(fault, "ENOSPC") == 0 ? ENOSPC : EIO;
  return Fault::kFails;
}

bool is_full() {
  static const char* const path = getenv("NSOP_TEST_DISK_FULL");
  return path != nullptr && syscall(SYS_access, path, F_OK) == 0;
}

Fault of_written(int fd) {
  if (!fails_here() || !is_file(fd)) return Fault::kNone;
  const int error = errno;
  if (is_full()) {
    errno = ENOSPC;
    return Fault::kFails;
  }
  errno = error;
  return next_call();
}

Fault of_file(int fd) { return fails_here() && is_file(fd) ? next_call() : Fault::kNone; }
Fault of_name() {
  const Fault fault = fails_here() ? next_call() : Fault::kNone;
  return fault == Fault::kShort ? Fault::kNone : fault;  // a name is changed or not
}

size_t part_of(size_t size, Fault fault) {
  return fault == Fault::kShort && size > 1 ? size / 2 : size;
}

__attribute__((destructor)) void tell() {
  const char* path = getenv("NSOP_TEST_CALLS");
  if (path == nullptr || !fails_here()) return;
  char text[16];
  const int size = std::snprintf(text, sizeof text, "%d\n", calls);
  const int fd = static_cast<int>(syscall(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
  if (fd < 0) return;
  syscall(SYS_write, fd, text, static_cast<size_t>(size));
  syscall(SYS_close, fd);
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  const Fault fault = of_written(fd);
  return fault == Fault::kFails ? -1 : syscall(SYS_write, fd, data, part_of(size, fault));
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  return of_written(fd) == Fault::kFails ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  const Fault fault = of_written(fd);
  return fault == Fault::kFails ? -1 : syscall(SYS_pwrite64, fd, data, part_of(size, fault), at);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return pwrite64(fd, data, size, at);
}

ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) {
  if (of_written(fd) == Fault::kFails) return -1;
  return syscall(SYS_pwritev, fd, parts, count, at, 0);
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  return pwritev64(fd, parts, count, at);
}

int fsync(int fd) {
  return of_file(fd) == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_fsync, fd));
}

int fdatasync(int fd) {
  return of_file(fd) == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_fdatasync, fd));
}

int ftruncate64(int fd, off64_t size) {
  return of_file(fd) == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int rename(const char* from, const char* to) {
  return of_name() == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) {
  return of_name() == Fault::kFails
             ? -1
             : static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int link(const char* from, const char* to) {
  return of_name() == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_link, from, to));
}

int unlink(const char* path) {
  return of_name() == Fault::kFails ? -1 : static_cast<int>(syscall(SYS_unlink, path));
}

// As in C: a file or an empty folder.
int remove(const char* path) {
  if (of_name() == Fault::kFails) return -1;
  const auto done = static_cast<int>(syscall(SYS_unlink, path));
  return done == 0 || errno != EISDIR ? done : static_cast<int>(syscall(SYS_rmdir, path));
}

}  // extern "C"
