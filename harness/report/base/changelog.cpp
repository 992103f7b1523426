#include "harness/report/base/changelog.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "harness/core/text.h"

namespace nsop::report {
namespace {

// `0.2.0` of `v0.2.0`, lower case.
std::string plain_name(const std::string& name) {
  std::string plain = trim(name);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool version =
      plain.size() > 1 && plain[0] == 'v' && std::isdigit(static_cast<unsigned char>(plain[1]));
  return version ? plain.substr(1) : plain;
}

// The release that a line is the heading of.
std::optional<std::string> heading(const std::string& line) {
  if (!line.starts_with("## ")) return std::nullopt;
  const std::string text = trim(line.substr(3));
  const size_t closing = text.find(']');
  if (text.starts_with("[") && closing != std::string::npos) {
    return plain_name(text.substr(1, closing - 1));
  }
  return plain_name(text.substr(0, text.find(' ')));
}

}  // namespace

std::vector<std::string> changes_of(const std::string& changelog, const std::string& release) {
  std::vector<std::string> changes;
  std::string kind;
  bool inside = false, in_item = false;
  for (const std::string& line : split(changelog, '\n')) {
    if (const auto name = heading(line)) {
      inside = *name == plain_name(release);
      kind.clear();
      in_item = false;
    } else if (inside && line.starts_with("### ")) {
      kind = trim(line.substr(4)) + ": ";
      in_item = false;
    } else if (inside && (line.starts_with("- ") || line.starts_with("* "))) {
      changes.push_back(kind + trim(line.substr(2)));
      in_item = true;
    } else if (in_item && !trim(line).empty()) {
      changes.back() += " " + trim(line);
    } else {
      in_item = false;
    }
  }
  return changes;
}

}  // namespace nsop::report
