#include "harness/core/suite/releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/core/suite/toml_reader.h"

namespace nsop {
namespace {

constexpr size_t kLeastDigits = 7;

bool names_a_commit(const std::string& text) {
  return text.size() >= kLeastDigits && std::ranges::all_of(text, [](unsigned char c) {
           return std::isxdigit(c) && !std::isupper(c);
         });
}

// One of two commits, of which either may be the shorter prefix.
bool same_commit(const std::string& a, const std::string& b) {
  return a.starts_with(b) || b.starts_with(a);
}

NamedCommit release_of(const toml::table& table, const std::string& path,
                       const std::vector<NamedCommit>& known) {
  TomlReader reader(table, "[[release]]", path);
  const NamedCommit release{reader.text("name", true), reader.text("commit", true)};
  reader.finish();
  if (!names_a_commit(release.commit)) {
    throw usage_error(
        fmt::format("{}: expected commit = \"1a2b3c4d\", at least {} hexadecimal "
                    "digits in lower case",
                    reader.where("commit"), kLeastDigits));
  }
  for (const NamedCommit& other : known) {
    if (other.name == release.name) {
      throw usage_error(
          fmt::format("{}: release '{}' is there twice", reader.where("name"), release.name));
    }
    if (same_commit(other.commit, release.commit)) {
      throw usage_error(fmt::format("{}: releases '{}' and '{}' are of one commit",
                                    reader.where("commit"), other.name, release.name));
    }
  }
  return release;
}

}  // namespace

std::vector<NamedCommit> parse_releases(const std::string& text, const std::string& path) {
  const toml::table file = parse_toml(text, path);
  std::vector<NamedCommit> releases;
  for (const auto& [key, node] : file) {
    if (key.str() != "release" || !node.is_array_of_tables()) {
      throw toml_error(path, node, "expected [[release]] tables only");
    }
    for (const toml::node& item : *node.as_array()) {
      releases.push_back(release_of(*item.as_table(), path, releases));
    }
  }
  return releases;
}

std::vector<NamedCommit> load_releases(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return parse_releases(read_file(path), path);
}

}  // namespace nsop
