#include <fmt/format.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/run/runner.h"

namespace nsop::run {
namespace {

constexpr uint64_t kWantedBytes = uint64_t{1} << 30;

// A memory file system keeps write-back of outputs out of the measurement.
std::string scratch_root() {
  if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  struct statvfs info {};
  const bool roomy = statvfs("/dev/shm", &info) == 0 && access("/dev/shm", W_OK) == 0 &&
                     uint64_t{info.f_bavail} * info.f_frsize > kWantedBytes;
  return roomy ? "/dev/shm" : "/tmp";
}

}  // namespace

ScratchFolder::ScratchFolder() : path_(scratch_root() + "/nsop-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) {
    throw environment_error(
        fmt::format("{}: can't make a scratch folder: {}; name another by TMPDIR", path_,
                    std::strerror(errno)));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace nsop::run
