#include "harness/run/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop::run {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kWantedBytes = uint64_t{1} << 30;
constexpr const char* kPrefix = "nsop-scratch-";
constexpr const char* kOwner = "/owner";
constexpr int64_t kYoungS = 86400;

constexpr const char* kMemory = "/dev/shm";
constexpr const char* kDisk = "/tmp";

std::string asked_for() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr ? "" : folder;
}

// A memory file system keeps write-back of outputs out of the measurement.
std::string scratch_root() {
  if (!asked_for().empty()) return asked_for();
  struct statvfs info {};
  const bool roomy = statvfs(kMemory, &info) == 0 && access(kMemory, W_OK) == 0 &&
                     uint64_t{info.f_bavail} * info.f_frsize > kWantedBytes;
  return roomy ? kMemory : kDisk;
}

// A locked file, in its place only once it is locked: one that can be locked has no owner any more.
int own(const std::string& folder) {
  const std::string arriving = folder + kOwner + ".new";
  const int fd = open(arriving.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 ||
                  rename(arriving.c_str(), (folder + kOwner).c_str()) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

// Has a folder of this user no process any more? One without an owner belongs to a process that is
// about to own it, or was killed before it did.
bool is_dead(const std::string& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != geteuid()) return false;
  const int fd = open((folder + kOwner).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno == ENOENT && std::time(nullptr) - status.st_mtime > kYoungS;
  const bool dead = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return dead;
}

int64_t bytes_in(const fs::path& folder) {
  std::error_code ignored;
  int64_t bytes = 0;
  for (const auto& entry : entries_of(folder.string(), ignored, true)) {
    if (entry.is_regular_file(ignored)) bytes += static_cast<int64_t>(entry.file_size(ignored));
  }
  return bytes;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  remove_dead_scratch();  // first: what it leaves may be what memory lacks
  path_ = scratch_root() + "/" + kPrefix + "XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    throw environment_error(
        fmt::format("{}: can't make a scratch folder: {}; name another by TMPDIR", path_,
                    std::strerror(errno)));
  }
  owner_ = own(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (owner_ >= 0) close(owner_);
}

Leftovers remove_dead_scratch() {
  Leftovers found;
  std::error_code ignored;
  for (const std::string& root : std::set<std::string>{asked_for(), kMemory, kDisk}) {
    for (const auto& entry : entries_of(root, ignored)) {
      const std::string folder = entry.path().string();
      if (!entry.path().filename().string().starts_with(kPrefix) || !is_dead(folder)) continue;
      const int64_t bytes = bytes_in(folder);
      if (fs::remove_all(folder, ignored) == static_cast<std::uintmax_t>(-1)) continue;
      ++found.folders;
      found.bytes += bytes;
    }
  }
  return found;
}

}  // namespace nsop::run
