// The one folder where revisions are built: one build at a time, checked out at a commit.
#pragma once

#include <string>

#include "harness/judge/revisions.h"

namespace nsop::judge {

// Holds the builds folder while it lives, whichever clone asks. Waits as long as another process
// builds, which `note` is told once. Throws Error (environment) when the folder can't be locked,
// run::Interrupted after an interrupt.
class BuildsLock {
 public:
  BuildsLock(const std::string& cache, const BuildNote& note);
  ~BuildsLock();
  BuildsLock(const BuildsLock&) = delete;
  BuildsLock& operator=(const BuildsLock&) = delete;

 private:
  int fd_;
};

// Checks the commit out into `<cache>/tree`, with everything but /build as the commit has it. A
// tree of another clone, or one that an end with force left unusable, is made anew. Throws Error
// (environment) that names the commit and what git said.
void check_out(const BuildPlace& place, const std::string& commit);

// Throws Error (environment) when what failed in `folder` failed for want of space, whatever it
// said.
void throw_if_full(const std::string& folder, const std::string& said);

}  // namespace nsop::judge
