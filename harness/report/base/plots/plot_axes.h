// What plots have in common: ids, ranges and ticks, with texts made by the one formatter. Python
// draws them and decides nothing.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "harness/report/base/context.h"

namespace nsop::report {

using Range = std::pair<double, double>;  // of the values on a logarithmic axis

constexpr Range kNothing{1e300, 0};

// Takes a value in; one that is not positive and finite is left out.
void widen(Range& range, double value);

// Powers of ten, or 1-2-5 steps where the values span less than two decades. The outermost ticks
// enclose the values and are two at least; empty for a range without any.
Json log_ticks(const Range& range, std::string (*text)(double));

// Steps of 1, 2 or 5 times a power of ten, seven at most, that enclose the values; for an axis that
// is not logarithmic. Empty for a range without any.
Json even_ticks(const Range& range, std::string (*text)(double value, double step));

Json axis(const std::string& label, const Json& ticks);

// Ticks as pairs of a value and its text.
Json tick_pairs(const Json& ticks);

// Lower case letters, digits and single dashes only: safe as part of a file name. Never empty.
std::string slug(const std::string& text);

// Kind, id and title; the report's title for a section without one. `part` tells plots of one
// section apart.
Json plot_head(const char* kind, const Context& context, const std::string& title,
               const std::string& part = "");

// Those that are not null, as an array.
Json drawn(std::initializer_list<Json> plots);

}  // namespace nsop::report
