// Folders for what a measurement needs only while it lasts.
#pragma once

#include <string>

#include "harness/core/files.h"

namespace nsop::run {

// A fresh private folder for worker outputs, on a memory file system where there is one (TMPDIR
// names another place); removed with everything in it when the object dies. A process that was
// killed leaves its folder: the next one removes it.
class ScratchFolder {
 public:
  ScratchFolder();  // throws Error (environment)
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int owner_ = -1;  // holds the lock by which others see that we live
};

// Removes this user's scratch folders whose processes are gone.
Leftovers remove_dead_scratch();

}  // namespace nsop::run
