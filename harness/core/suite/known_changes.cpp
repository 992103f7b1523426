#include "harness/core/suite/known_changes.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/suite/toml_reader.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

const std::vector<std::string> kKeys = {"case",   "variant", "direction", "at_most_percent",
                                        "reason", "commit",  "expires"};

class ChangeReader {
 public:
  ChangeReader(const toml::table& table, const std::string& path) : table_(table), path_(path) {}

  KnownChange read() const {
    check_keys();
    KnownChange change;
    change.where = at(table_);
    change.case_pattern = text("case", true);
    change.variant = text("variant", false);
    change.direction = text("direction", true);
    change.reason = text("reason", true);
    change.commit = text("commit", false);
    change.expires = day();
    change.at_most_percent = percent();
    check(change);
    return change;
  }

 private:
  std::string at(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw usage_error(fmt::format("{}: {}", at(node), message));
  }

  void check_keys() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(kKeys.begin(), kKeys.end(), name) != kKeys.end()) continue;
      const auto hit = nearest(name, kKeys);
      fail(node,
           fmt::format("unknown key '{}'{} (keys: {})", name,
                       hit ? fmt::format("; did you mean '{}'?", *hit) : "", join(kKeys, ", ")));
    }
  }

  std::string text(const char* key, bool required) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) fail(table_, fmt::format("[[change]] lacks {} = \"...\"", key));
      return {};
    }
    const auto value = node->value<std::string>();
    if (!node->is_string() || trim(*value).empty()) {
      fail(*node, fmt::format("expected {} = \"...\"", key));
    }
    return trim(*value);
  }

  std::string day() const {
    const toml::node* node = table_.get("expires");
    if (node == nullptr) return {};
    const auto date = node->value<toml::date>();
    if (!node->is_date() || !date) {
      fail(*node, "expected expires = 2026-12-31, a day without quotes");
    }
    return fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
  }

  std::optional<double> percent() const {
    const toml::node* node = table_.get("at_most_percent");
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<double>();
    if (!node->is_number() || !(*value > 0) || !std::isfinite(*value)) {
      fail(*node, "expected at_most_percent = 10, a number above 0");
    }
    return value;
  }

  void check(const KnownChange& change) const {
    if (change.direction != "worse" && change.direction != "better") {
      fail(*table_.get("direction"), "expected direction = \"worse\" or \"better\"");
    }
    if (change.commit.empty() && change.expires.empty()) {
      fail(table_,
           "[[change]] needs commit = \"1a2b3c4d\" or expires = 2026-12-31: nothing is "
           "expected for ever");
    }
    const bool hex = std::all_of(change.commit.begin(), change.commit.end(),
                                 [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (!change.commit.empty() && (!hex || change.commit.size() < 7 || change.commit.size() > 64)) {
      fail(*table_.get("commit"), "expected commit = the name of a commit, seven digits or more");
    }
  }

  const toml::table& table_;
  const std::string& path_;
};

}  // namespace

std::vector<KnownChange> parse_known_changes(const std::string& text, const std::string& path) {
  const toml::table root = parse_toml(text, path);
  std::vector<KnownChange> changes;
  for (const auto& [key, node] : root) {
    const toml::array* tables = node.as_array();
    if (key != "change" || tables == nullptr || !tables->is_array_of_tables()) {
      throw usage_error(fmt::format("{}:{}: expected [[change]] tables only, found '{}'", path,
                                    node.source().begin.line, key.str()));
    }
    for (const toml::node& one : *tables) {
      changes.push_back(ChangeReader(*one.as_table(), path).read());
    }
  }
  return changes;
}

std::vector<KnownChange> load_known_changes(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return parse_known_changes(read_file(path), path);
}

const KnownChange* find_known_change(const std::vector<KnownChange>& known,
                                     const FoundChange& found, const std::string& today,
                                     const std::function<bool(const std::string& commit)>& is_of) {
  const double percent = 100 * std::abs(found.ratio - 1);
  for (const KnownChange& change : known) {
    if (change.direction != found.direction) continue;
    if (!change.variant.empty() && change.variant != found.row.variant) continue;
    if (!case_matches(found.row.case_text, change.case_pattern)) continue;
    if (!change.expires.empty() && change.expires < today) continue;
    const bool too_large = !found.of_time || percent > change.at_most_percent.value_or(percent);
    if (change.at_most_percent && too_large) continue;
    if (!change.commit.empty() && !is_of(change.commit)) continue;
    return &change;
  }
  return nullptr;
}

}  // namespace nsop
