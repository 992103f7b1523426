// One derived figure against the two that it is derived from.
#pragma once

#include <optional>
#include <string>

#include "harness/audit/checks/findings.h"
#include "harness/audit/read/quantity.h"
#include "harness/audit/read/sense.h"

namespace nsop::audit {

// The two that a figure compares, as printed.
struct Pair {
  Quantity before{}, after{};
  std::string from{};  // where they stand: `lines 3 and 9`; empty: beside the figure
};

struct Judgement {
  Kind kind = Kind::kNotCheckable;
  std::string note{};
};

// Is a ratio or percentage right, given the digits of all three? A percentage may be less time or
// more speed, and the note names which. Time, bytes and counts are better when less, rates when
// more.
//   ratio:       before / after              (Hennessy, Patterson: Computer Architecture, 1.8)
//   less time:   (1 - after / before) * 100
//   more speed:  (before / after - 1) * 100
Judgement judge(const Quantity& figure, Sense sense, const Pair& pair);

// The figure follows from a value of that span: kRight, kRounded (its digits are cut off, or the
// zeros at its end are no digits), or kWrong.
Kind agrees(const Quantity& figure, Span value);

// `2.69x`, `58.4 %`: a value with the digits of the figure, with more where those would say 100 %
// or nothing.
std::string in_place_of(const Quantity& figure, double value);

// `20.7 s`, `92 allocations` of a quantity as printed, with the unit of its column.
std::string shown(const Quantity& quantity);

}  // namespace nsop::audit
