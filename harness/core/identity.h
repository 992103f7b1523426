// What tells a run from all others: a random name and the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nsop {

// Random (version 4, RFC 9562), lower case. Throws Error (environment) without random numbers.
std::string new_uuid();

std::string utc_now();  // `2026-01-31T12:00:00Z`
// Seconds since 1970 of a text of that form; nullopt for anything else.
std::optional<int64_t> utc_seconds(std::string_view utc);
std::string utc_text(int64_t seconds);  // and back

}  // namespace nsop
