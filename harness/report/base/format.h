// The only place where numbers become text. Every function is pure, needs no locale and takes the
// unrounded value, so that no text is ever computed from another text.
#pragma once

#include <optional>
#include <string>

namespace nsop::report {

// A time for people, 3 significant digits: `412 ns`, `3.81 ms`, `1.25 s`. Takes nanoseconds.
std::string human_time(double ns);

// The interval of a time, in the unit that human_time(ns) chooses, which stands beside it:
// `[515, 1,024]`.
std::string time_interval_text(double ns, double lo, double hi);

// ns/op with thousands separators, one decimal below 100: `3,809,430`, `41.5`.
std::string ns_per_op(double ns);

// Something per element or per MAC, 3 significant digits and never an exponent: `0.0273`, `12.4`.
std::string significant(double value);

// The same for a tick of an axis, without trailing zeros: `10 µs`, `0.5`.
std::string time_tick(double ns);
// With the digits that tell ticks `step` apart: `2.05 µs`.
std::string fine_time_tick(double ns, double step);
std::string number_tick(double value);
std::string bytes_tick(double bytes);  // powers of 1000: `10 kB`, `2 MB`

// A count (allocations, bytes, MACs) with thousands separators; two decimals if it is no integer.
std::string count_text(double count);

// A size for people in powers of 1024: `48 KiB`, `1.25 MiB`, `512 B`.
std::string human_bytes(double bytes);

// How a new time stands to an old one: `speed` = old / new. Below a factor of two by how many per
// cent the time changed: `12.3 % less time`, `4.1 % more time`, `the same time` when nothing is
// left of the difference after rounding. From two on the factor: `3.87x faster`, `2.40x slower`.
// `n/a` if it is no positive finite number.
std::string speed_text(double speed);

// The interval of such a ratio, in the unit and direction that speed_text(speed) speaks of:
// `[10.1 %, 14.0 %]`, `[3.71, 4.02]`.
std::string speed_interval_text(double speed, double lo, double hi);

// A rate in operations or bytes per nanosecond, 3 significant digits: `118 GFLOP/s`, `97.5 GB/s`.
std::string flop_rate_text(double flops_per_ns);
std::string byte_rate_text(double bytes_per_ns);

// Things per nanosecond as things per second, 3 significant digits at least: `24,512`, `3.35`.
std::string per_second_text(double per_ns);

// A time as a multiple of another with its interval, where a goal speaks of multiples: `0.42x`.
std::string multiple_text(double multiple);
std::string interval_text(double lo, double hi);

// A relative change with its sign: 0.031 -> `+3.1 %`.
std::string change_text(double relative);

// A share without a sign: 0.0042 -> `0.42 %`.
std::string share_text(double share);

// The same text with every run of white space as one space: a paragraph may be spread over lines.
std::string one_line(const std::string& text);

// By how much a count went down: `99.96 %`, `100 %` only when nothing is left, `4.0 % more` when it
// went up, `none to reduce` from zero to zero, `n/a` when one of them was not counted.
std::string reduction_text(std::optional<double> before, std::optional<double> after);

}  // namespace nsop::report
