// The one folder where revisions are built: one build at a time, checked out at a commit.
#pragma once

#include <string>

#include "harness/judge/builds/revisions.h"

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

// What decides the machine code beside the sources: eight hexadecimal digits of the versions that
// the compiler, the linker and the packages of Highway and Google Benchmark have, where dpkg knows
// them, and of CXX, CXXFLAGS and LDFLAGS.
std::string toolchain();

// Removes what another toolchain compiled in `<cache>/tree`: CMake would go on with both.
void keep_toolchain(const std::string& cache, const std::string& toolchain);

// Kept builds that nothing has used for so long are removed, as far as that is allowed.
constexpr int kKeptDays = 30;
void mark_used(const std::string& kept);
void remove_unused(const std::string& cache);

// Throws Error (environment) when what failed in `folder` failed for want of space, whatever it
// said.
void throw_if_full(const std::string& folder, const std::string& said);

}  // namespace nsop::judge
