#include "harness/core/suite/selector.h"

#include <fmt/format.h>

#include <vector>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {

Selector Selector::parse(std::string_view text) {
  const std::vector<std::string> parts = split(text, '@');
  if (parts.size() > 2 || parts[0].empty() || parts.back().empty()) {
    throw usage_error(fmt::format("'{}': expected variant or variant@target, e.g. hwy@AVX2", text));
  }
  return {parts[0], parts.size() == 2 ? parts[1] : "best"};
}

bool is_target(const std::string& target, const std::string& meant) {
  return target == meant || target.ends_with("-" + meant);
}

std::string Selector::text() const { return variant.empty() ? "" : variant + "@" + target; }

}  // namespace nsop
