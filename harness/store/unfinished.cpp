#include "harness/store/unfinished.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/identity.h"

namespace nsop::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEarlierMark = ".new-";

}  // namespace

std::string unfinished_name(const std::string& target) {
  return fmt::format("{}{}{}", target, kUnfinishedMark, new_uuid());
}

Leftovers remove_unfinished(const std::string& path) {
  const fs::path database = fs::absolute(path);
  const std::string own = database.filename().string() + ".";
  Leftovers found = remove_unfinished_in(database.parent_path().string());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(database.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(own) || name.find(kEarlierMark) == std::string::npos) continue;
    if (!is_abandoned(entry.path().string())) continue;
    const auto bytes = static_cast<int64_t>(entry.file_size(ignored));
    if (!fs::remove(entry.path(), ignored)) continue;
    ++found.files;
    found.bytes += bytes;
  }
  return found;
}

}  // namespace nsop::store
