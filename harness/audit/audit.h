// A Markdown report read, each derived figure computed again from the others.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/checks/findings.h"

namespace nsop::audit {

// By line. Throws Error (bad data) for what is no such document (document.h).
std::vector<Finding> audit(std::string text);

}  // namespace nsop::audit
