// One measuring process per machine at a time.
#pragma once

#include <functional>
#include <string>

namespace nsop::run {

// Holds an advisory lock on a file while it lives. Waits up to `wait_s`, telling `on_wait` (which
// may be empty) once that it waits, and for whom; throws Error (environment) naming the holder when
// it does not come free.
class MeasuringLock {
 public:
  MeasuringLock(const std::string& path, double wait_s,
                const std::function<void(const std::string& text)>& on_wait);
  ~MeasuringLock();
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

 private:
  int fd_ = -1;
};

// The lock file of this machine: `$NSOP_LOCK` or `/tmp/nsop-measuring.lock`.
std::string measuring_lock_path();

}  // namespace nsop::run
