#include "harness/store/unfinished.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>

#include "harness/core/identity.h"

namespace nsop::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNew = ".new-";
constexpr int64_t kYoungS = 3600;

bool is_old(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         std::time(nullptr) - status.st_mtime > kYoungS;
}

}  // namespace

std::string unfinished_name(const std::string& target) {
  return fmt::format("{}{}{}", target, kNew, new_uuid());
}

Unfinished remove_unfinished(const std::string& path) {
  const fs::path database = fs::absolute(path);
  const std::string own = database.filename().string() + ".";
  Unfinished found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(database.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(own) || name.find(kNew) == std::string::npos) continue;
    if (!is_old(entry.path())) continue;
    const auto bytes = static_cast<int64_t>(entry.file_size(ignored));
    if (!fs::remove(entry.path(), ignored)) continue;
    ++found.files;
    found.bytes += bytes;
  }
  return found;
}

}  // namespace nsop::store
