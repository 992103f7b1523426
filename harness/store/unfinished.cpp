#include "harness/store/unfinished.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/identity.h"

namespace nsop::store {
namespace {

constexpr const char* kEarlierMark = ".new-";

}  // namespace

std::string unfinished_name(const std::string& target) {
  return fmt::format("{}{}{}", target, kUnfinishedMark, new_uuid());
}

Leftovers remove_unfinished(const std::string& path) {
  const std::filesystem::path database = std::filesystem::absolute(path);
  const std::string own = database.filename().string() + ".";
  return remove_abandoned(database.parent_path().string(), [&](const std::string& name) {
    return name.find(kUnfinishedMark) != name.npos ||
           (name.starts_with(own) && name.find(kEarlierMark) != name.npos);
  });
}

}  // namespace nsop::store
