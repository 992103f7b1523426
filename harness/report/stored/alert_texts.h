// What an alert says, as text.
#pragma once

#include <string>

#include "harness/judge/history/alert.h"

namespace nsop::report {

// `+6.1 % [+5.4 %, +6.9 %]`, or what was seen in place of a time.
std::string change_text(const judge::AlertRow& row);

// `1a2b3c4d5e6f Subject`, `... or one of 3 before it that can't be judged`, `1a2b..3c4d` where the
// commit isn't known.
std::string culprit_text(const judge::Alert& alert);

}  // namespace nsop::report
