// JSON of unknown origin.
#pragma once

#include <string_view>

#include "harness/core/io/json.h"

namespace nsop {

constexpr int kMaxDepth = 64;
constexpr int64_t kMaxValues = 1'000'000;  // the longest line of an export has 700,000

// Parses one JSON text. Throws Error (bad data) with `where` for anything but valid JSON without
// duplicate keys, nested at most kMaxDepth deep, of at most kMaxValues objects, arrays and plain
// values: memory stays bounded.
Json parse_limited(std::string_view text, const std::string& where);

}  // namespace nsop
