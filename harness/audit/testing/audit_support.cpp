#include "harness/audit/testing/audit_support.h"

#include <fmt/format.h>

#include "harness/core/files.h"

namespace nsop::audit {

std::vector<Finding> at_line(const std::vector<Finding>& findings, int line) {
  std::vector<Finding> out;
  for (const Finding& f : findings) {
    if (f.line == line) out.push_back(f);
  }
  return out;
}

std::vector<std::string> kinds_of(const std::string& markdown) {
  std::vector<std::string> out;
  for (const Finding& f : audit(markdown))
    out.push_back(fmt::format("{} {}", f.line, kind_text(f.kind)));
  return out;
}

std::string test_document(const std::string& name) {
  return read_file(std::string(NSOP_SOURCE_DIR) + "/harness/audit/testdata/" + name);
}

}  // namespace nsop::audit
