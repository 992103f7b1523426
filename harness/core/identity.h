// What tells a run from all others: a random name and the time.
#pragma once

#include <string>

namespace nsop {

// Random (version 4, RFC 9562), lower case. Throws Error (environment) without random numbers.
std::string new_uuid();
std::string utc_now();  // `2026-01-31T12:00:00Z`

}  // namespace nsop
