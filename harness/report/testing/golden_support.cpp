#include "harness/report/testing/golden_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/core/files.h"
#include "harness/report/model.h"

namespace nsop::report {
namespace {

// Strings exactly; numbers but for the last bits, which differ where a compiler fuses operations.
bool alike(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a, y = b;
    return std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), alike);
  if (!a.is_object()) return a == b;
  auto other = b.items().begin();
  for (const auto& [key, value] : a.items()) {
    if (key != other.key() || !alike(value, other.value())) return false;
    ++other;
  }
  return true;
}

}  // namespace

void expect_golden(const Json& report, const std::string& name) {
  const std::string path = std::string(NSOP_GOLDEN_DIR) + "/" + name + ".json";
  if (std::getenv("NSOP_UPDATE_GOLDEN")) write_file_atomically(path, report_text(report));
  const std::string expected = read_file(path);
  if (!alike(parse_json(expected, path), parse_json(report_text(report), path))) {
    EXPECT_EQ(report_text(report), expected);  // shows the difference
    ADD_FAILURE() << path << " differs";
  }
}

}  // namespace nsop::report
