// Numbers of a report as their writer meant them: value, unit and what their digits leave open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nsop::audit {

// What a number can be, from lo to hi.
struct Span {
  double lo = 0, hi = 0;
  double mid() const { return hi > 1e90 ? lo : (lo + hi) / 2; }  // of one without an end, lo
};
bool meet(Span a, Span b);      // they have a number in common, but for what doubles lose
Span quotient(Span a, Span b);  // of positive numbers
Span mapped(Span s, double (*f)(double));  // by a monotonic function
Span hull(Span a, Span b);

enum class Dimension { kCount, kTime, kBytes, kRate, kRatio, kPercent };

struct Unit {
  Dimension dimension = Dimension::kCount;
  double scale = 1;     // to s, B, 1/s, 1, %
  std::string of = {};  // of a count: what is counted; of a rate: what per second; of a time or
                        // bytes: per what, unless per operation
  int thousands = 0;    // the power of 1000 that may be one of 1024: 1 for KB, 2 for MB
};

struct Quantity {
  double value = 0;  // in the base of its unit; the middle of a range
  Span span{};       // what its digits leave open; the ends of a range included
  Unit unit{};
  int decimals = 0;                // digits behind the point
  int zeros = 0;                   // zeros at the end of a whole number
  bool is_signed = false;          // a sign is printed
  bool is_range = false;           // `2-4x`
  std::optional<Span> interval{};  // `[a, b]` behind it
  size_t begin = 0, end = 0;       // bytes of the text, the interval not included
  std::string text{};              // as printed, with its unit
};

// All quantities of a text, in order. Versions, dates, shapes, identifiers and code between
// backticks are none. `bare` is the unit of numbers without one, as a column's header gives it.
// Texts are plain() ones.
std::vector<Quantity> scan(std::string_view text, const Unit& bare = {});

// The quantity that a cell of a table is, with anything behind it; none if it begins otherwise.
std::optional<Quantity> cell_quantity(std::string_view text, const Unit& bare = {});

// `Duration (ns/op)`, `Memory [MB]`, `ns/op`, `Allocations`: the unit of a column's bare numbers.
Unit header_unit(std::string_view header);

// What its digits and its unit leave open: a `MB` may be 1000 kB or 1024.
Span wide(const Quantity& quantity);

// The two can be divided by each other.
bool same_kind(const Quantity& a, const Quantity& b);

}  // namespace nsop::audit
