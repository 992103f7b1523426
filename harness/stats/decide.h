// From an estimate with an interval to a verdict with a note: what all comparisons of times share.
#pragma once

#include <cmath>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// ln(after / before) with the half width of its interval, and what that half width is made of.
struct Estimate {
  double log_ratio = 0;
  double sampling = 0;     // half width that more values would shrink
  double between_run = 0;  // half width that they would not
  int count = 0;           // values behind it, per side
  double half() const { return std::hypot(sampling, between_run); }
};

// What an estimate's values are, as a note says it of one and of several.
struct Unit {
  const char* one;
  const char* several;
};

// Worse or better if the whole interval lies beyond the margin, same if all of it lies within, else
// inconclusive; the margin is symmetric in the logarithm. `tau` and `unit` are for the note.
Comparison decide(const Estimate& e, double margin, double tau, const Unit& unit);

}  // namespace nsop::stats
