// How notes on a measurement are told from doubts.
#pragma once

#include <string_view>

namespace nsop {

// A warning of an invocation that begins so says how the row was measured and casts no doubt on its
// numbers.
constexpr std::string_view kPlannedNote = "by plan: ";

}  // namespace nsop
