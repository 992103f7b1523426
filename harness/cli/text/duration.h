// Durations as users write them.
#pragma once

#include <string>

namespace nsop::cli {

// Seconds of `20ms`, `90s`, `5m`, `1.5h`, `90d` or a bare number. Throws Error (usage) naming the
// option.
double parse_seconds(const std::string& option, const std::string& text);

}  // namespace nsop::cli
