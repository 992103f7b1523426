// A Markdown report read, each derived figure computed again from the others.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/checks/findings.h"

namespace nsop::audit {

// By line. `root`, unless empty, is the folder that scripts in commands of the document lie in
// (scripts.h). Throws Error (bad data) for what is no such document (document.h).
std::vector<Finding> audit(std::string text, const std::string& root = "");

}  // namespace nsop::audit
