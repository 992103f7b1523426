// JSON of unknown origin.
#pragma once

#include <string_view>

#include "harness/core/io/json.h"

namespace nsop {

constexpr int kMaxDepth = 64;

// Parses one JSON text. Throws Error (bad data) with `where` for anything but valid JSON without
// duplicate keys, nested at most kMaxDepth deep; memory stays bounded by the size of the text.
Json parse_limited(std::string_view text, const std::string& where);

}  // namespace nsop
