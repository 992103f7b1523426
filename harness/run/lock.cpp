#include "harness/run/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "harness/core/error.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::run {
namespace {

std::string holder_of(int fd) {
  std::array<char, 64> text{};
  const ssize_t n = pread(fd, text.data(), text.size() - 1, 0);
  return n > 0 ? fmt::format("process {}", text.data()) : "another process";
}

}  // namespace

std::string measuring_lock_path() {
  const char* path = std::getenv("NSOP_LOCK");
  return path != nullptr && *path != '\0' ? path : "/tmp/nsop-measuring.lock";
}

MeasuringLock::MeasuringLock(const std::string& path, double wait_s,
                             const std::function<void(const std::string&)>& on_wait) {
  const mode_t old_mask = umask(0);  // other users measure on this machine, too
  // Asking to make what is there is refused in /tmp for another user's file (fs.protected_regular).
  for (const int make : {0, O_CREAT, 0}) {
    fd_ = open(path.c_str(), O_RDWR | make | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ >= 0 || (errno != ENOENT && errno != EACCES)) break;
  }
  umask(old_mask);
  if (fd_ < 0) {
    throw environment_error(
        fmt::format("{}: can't open the measuring lock: {}; name another file "
                    "by NSOP_LOCK",
                    path, std::strerror(errno)));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  bool told = false;
  while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = holder_of(fd_);
    if (!told && on_wait) on_wait("waiting: " + holder + " is measuring");
    told = true;
    throw_if_interrupted();
    if (std::chrono::steady_clock::now() >= deadline) {
      close(fd_);
      throw environment_error(fmt::format(
          "{} is measuring on this machine; wait for it, or wait longer with --lock-wait SECONDS",
          holder));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const std::string pid = fmt::format("{}", getpid());
  if (ftruncate(fd_, 0) == 0 && pwrite(fd_, pid.data(), pid.size(), 0) < 0) {
    // The pid is for messages only; the lock itself holds.
  }
}

MeasuringLock::~MeasuringLock() {
  if (ftruncate(fd_, 0) == 0) close(fd_);
}

}  // namespace nsop::run
