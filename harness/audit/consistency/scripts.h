// Scripts that the commands of a page run.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/checks/findings.h"
#include "harness/audit/read/document.h"

namespace nsop::audit {

// `python tools/check.py` in a code block: kWrong where the folder `root` has no such file. Only
// paths below `root` with the ending of a script count; what a command makes before doesn't.
std::vector<Finding> check_scripts(const Document& document, const std::string& root);

}  // namespace nsop::audit
