// The digits of a number, and what stands before them says of it.
#pragma once

#include <optional>
#include <string_view>

#include "harness/audit/read/quantity.h"

namespace nsop::audit {

inline constexpr double kLargest = 1e100;  // in base units: products of two are numbers still

struct Digits {
  double value = 0;
  int decimals = 0, zeros = 0;  // behind the point; at the end of a whole number
  size_t end = 0;               // bytes
};

// `1,234,567.89`, `1.2e-3`: digits from byte `i` on, with or without separators of thousands. None
// where they go on as a version, a date, a time of day, a shape or a name.
std::optional<Digits> read_digits(std::string_view text, size_t i);

// What words or signs say of the number behind them: a bound, or that it is about that.
enum class Bound { kNone, kLess, kMore, kAbout };
Bound bound_before(std::string_view text);
Span bounded(Span span, Bound bound);  // `about` is a tenth more on both sides

}  // namespace nsop::audit
