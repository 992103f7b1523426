// Dates as tools write them.
#pragma once

#include <string>

namespace nsop::foreign {

// `2026-01-31T12:00:00+02:00` (fractions of a second, a blank for the T, `+0200`, `Z` or no zone,
// which is taken for UTC) as `2026-01-31T10:00:00Z`; empty: it is no such time.
std::string utc_of_iso8601(const std::string& text);

}  // namespace nsop::foreign
