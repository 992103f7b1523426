// What the tests of audits share.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/audit.h"

namespace nsop::audit {

// The findings of a line.
std::vector<Finding> at_line(const std::vector<Finding>& findings, int line);

// The kinds of a document's findings, by line and in order: `3 right`.
std::vector<std::string> kinds_of(const std::string& markdown);

// A document of testdata.
std::string test_document(const std::string& name);

}  // namespace nsop::audit
