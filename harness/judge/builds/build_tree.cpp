#include "harness/judge/builds/build_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/commits.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;

// Where a work tree keeps its commits, the same for all work trees of a clone; empty where the
// folder is no work tree.
std::string clone_of(const std::string& folder) {
  const CommandResult found =
      run_command({"git", "rev-parse", "--path-format=absolute", "--git-common-dir"}, folder);
  return found.status == 0 ? trim(found.output) : "";
}

bool is_tree_of(const BuildPlace& place, const std::string& tree) {
  return fs::exists(tree + "/.git") && clone_of(tree) == clone_of(place.repository);
}

bool move_to(const std::string& tree, const std::string& commit) {
  return run_command({"git", "checkout", "--force", "--detach", commit}, tree).status == 0 &&
         run_command({"git", "clean", "-fdq", "--exclude=/build"}, tree).status == 0;
}

}  // namespace

std::string toolchain() {
  const CommandResult said =
      run_command({"sh", "-c",
                   "${CXX:-c++} --version; ld --version 2>&1; echo \"$CXX $CXXFLAGS $LDFLAGS\"; "
                   "dpkg-query -W libhwy-dev libbenchmark-dev 2>/dev/null; true"},
                  "/");
  return sha256_hex(said.output).substr(0, 8);
}

void keep_toolchain(const std::string& cache, const std::string& toolchain) {
  const std::string build = cache + "/tree/build";
  const std::string mark = build + "/toolchain";
  if (fs::exists(mark) && trim(read_file(mark)) == toolchain) return;
  fs::remove_all(build);
  fs::create_directories(build);
  write_file_atomically(mark, toolchain + "\n", Durability::kScratch);
}

void mark_used(const std::string& kept) {
  std::error_code ignored;  // somebody else's folder is used without a mark
  fs::last_write_time(kept, fs::file_time_type::clock::now(), ignored);
}

void remove_unused(const std::string& cache) {
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24 * kKeptDays);
  std::vector<fs::path> unused;
  std::error_code ignored;  // somebody else's folder stays
  for (const auto& entry : entries_of(cache, ignored)) {
    const bool kept = fs::exists(entry.path() / "worker-0", ignored);
    const auto used = entry.last_write_time(ignored);
    if (kept && !ignored && used < oldest) unused.push_back(entry.path());
  }
  for (const fs::path& path : unused) fs::remove_all(path, ignored);
}

void throw_if_full(const std::string& folder, const std::string& said) {
  constexpr std::uintmax_t kFull = 64 << 10;  // what was cut short may have left some bytes free
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  const bool full = said.find(std::strerror(ENOSPC)) != std::string::npos ||
                    (!unknown && space.available < kFull);
  if (!full) return;
  throw environment_error(fmt::format(
      "{}: the disk is full; free space, or name another folder by XDG_CACHE_HOME", folder));
}

BuildsLock::BuildsLock(const std::string& cache, const BuildNote& note)
    : fd_(open((cache + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
  const auto refuse = [&] {
    const int reason = errno;
    if (fd_ >= 0) close(fd_);
    throw environment_error(
        fmt::format("{}: the folder of builds can't be locked: {}; name another by XDG_CACHE_HOME",
                    cache, std::strerror(reason)));
  };
  if (fd_ < 0) refuse();
  bool told = false;
  while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) refuse();
    if (!told) note("waiting: another nsop is building in " + cache);
    told = true;
    if (run::is_interrupted()) close(fd_);
    run::throw_if_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

BuildsLock::~BuildsLock() { close(fd_); }

void check_out(const BuildPlace& place, const std::string& commit) {
  const std::string tree = place.cache + "/tree";
  if (is_tree_of(place, tree) && move_to(tree, commit)) return;
  fs::remove_all(tree);
  run_command({"git", "worktree", "prune"}, place.repository);
  const CommandResult added = run_command(
      {"git", "worktree", "add", "--force", "--detach", tree, commit}, place.repository);
  if (added.status == 0) return;
  throw_if_full(place.cache, added.output);
  throw environment_error(fmt::format("commit {} can't be checked out: {}", short_commit(commit),
                                      first_error(added.output)));
}

}  // namespace nsop::judge
