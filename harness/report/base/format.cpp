#include "harness/report/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "harness/core/text.h"

namespace nsop::report {
namespace {

constexpr const char* kNotAvailable = "n/a";

// Decimal exponent after rounding to 3 significant digits: 9.996 has 1, not 0.
int rounded_exponent(double positive) {
  const std::string text = fmt::format("{:.2e}", positive);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

// `digits` is a run of decimal digits.
std::string with_separators(const std::string& digits) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", std::fabs(value), decimals);
  const size_t point = text.find('.');
  const std::string integer = with_separators(text.substr(0, point));
  const std::string fraction = point == std::string::npos ? "" : text.substr(point);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? "-" : "") + integer + fraction;
}

// Without the zeros behind a decimal point.
std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// As in a ratio, but a bound just below 1 needs no third decimal beside `1.02`.
std::string bound_text(double bound) {
  return bound >= 0.1 && bound < 0.995 ? fixed(bound, 2) : significant(bound);
}

std::string with_unit(double value, const char* unit) {
  return std::isfinite(value) ? significant(value) + unit : kNotAvailable;
}

struct TimeUnit {
  double ns = 1;
  const char* name = "ns";
};

// The unit of a time with three digits before the decimal point at most.
TimeUnit time_unit(double ns) {
  constexpr std::array<const char*, 4> kNames{"ns", "µs", "ms", "s"};
  TimeUnit unit;
  size_t at = 0;
  while (ns > 0 && at + 1 < kNames.size() && rounded_exponent(ns / unit.ns) >= 3) {
    unit.ns *= 1000;
    unit.name = kNames.at(++at);
  }
  return unit;
}

// Ratios from here on are told as factors: what rounds to `2.00x` is.
constexpr double kFactorFrom = 1.995;

// By how many per cent less (or, `more`, more) time the speed stands for.
double percent_of(double speed, bool more) {
  const double change = 1 / speed - 1;
  return 100 * (more ? change : -change);
}

}  // namespace

std::string significant(double value) {
  if (!std::isfinite(value)) return kNotAvailable;
  if (value == 0) return "0";
  constexpr int kMostDecimals = 12;
  const int decimals = 2 - rounded_exponent(std::fabs(value));
  return fixed(value, std::min(kMostDecimals, std::max(0, decimals)));
}

std::string human_time(double ns) {
  if (!std::isfinite(ns) || ns < 0) return kNotAvailable;
  const TimeUnit unit = time_unit(ns);
  return significant(ns / unit.ns) + " " + unit.name;
}

std::string time_interval_text(double ns, double lo, double hi) {
  const bool sound = std::isfinite(ns) && std::isfinite(hi) && ns > 0 && lo >= 0 && lo <= hi;
  if (!sound) return kNotAvailable;
  const double unit = time_unit(ns).ns;
  return "[" + significant(lo / unit) + ", " + significant(hi / unit) + "]";
}

std::string time_tick(double ns) {
  const std::string text = human_time(ns);
  const size_t space = text.find(' ');
  return space == std::string::npos ? text : trimmed(text.substr(0, space)) + text.substr(space);
}

std::string fine_time_tick(double ns, double step) {
  const TimeUnit unit = time_unit(ns);
  const double digits = std::ceil(-std::log10(step / unit.ns) - 1e-9);
  return fixed(ns / unit.ns, static_cast<int>(std::max(0.0, digits))) + " " + unit.name;
}

std::string number_tick(double value) { return trimmed(significant(value)); }

std::string bytes_tick(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0) return kNotAvailable;
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 999.5) {
    bytes /= 1000;
    ++unit;
  }
  return number_tick(bytes) + " " + kUnits[unit];
}

std::string per_second_text(double per_ns) { return significant(per_ns * 1e9); }

std::string ns_per_op(double ns) {
  if (!std::isfinite(ns) || ns < 0) return kNotAvailable;
  constexpr double kRoundsTo100 = 99.95;
  return fixed(ns, ns < kRoundsTo100 ? 1 : 0);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return kNotAvailable;
  return fixed(count, count == std::floor(count) ? 0 : 2);
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0) return kNotAvailable;
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  const bool is_integer = bytes == std::floor(bytes);
  return (is_integer ? fixed(bytes, 0) : significant(bytes)) + " " + kUnits[unit];
}

std::string speed_text(double speed) {
  if (!std::isfinite(speed) || speed <= 0) return kNotAvailable;
  const double factor = speed >= 1 ? speed : 1 / speed;
  if (factor >= kFactorFrom) {
    return significant(factor) + (speed >= 1 ? "x faster" : "x slower");
  }
  const std::string percent = fixed(percent_of(speed, speed < 1), 1);
  if (percent == "0.0") return "the same time";
  return percent + (speed >= 1 ? " % less time" : " % more time");
}

std::string speed_interval_text(double speed, double lo, double hi) {
  const bool all_positive = speed > 0 && lo > 0 && hi > 0;
  if (!all_positive || !std::isfinite(lo) || !std::isfinite(hi)) return kNotAvailable;
  const bool slower = speed < 1;
  const double least = slower ? 1 / hi : lo, most = slower ? 1 / lo : hi;
  const bool as_factor = (slower ? 1 / speed : speed) >= kFactorFrom;
  if (as_factor && least >= 1) return interval_text(least, most);
  const bool within = lo > 1 / kFactorFrom && hi < kFactorFrom;
  if (as_factor || !within) return "[" + speed_text(lo) + ", " + speed_text(hi) + "]";
  const double a = percent_of(lo, slower), b = percent_of(hi, slower);
  return "[" + fixed(std::min(a, b), 1) + " %, " + fixed(std::max(a, b), 1) + " %]";
}

std::string flop_rate_text(double flops_per_ns) { return with_unit(flops_per_ns, " GFLOP/s"); }

std::string byte_rate_text(double bytes_per_ns) { return with_unit(bytes_per_ns, " GB/s"); }

std::string multiple_text(double multiple) {
  if (!std::isfinite(multiple) || multiple <= 0) return kNotAvailable;
  return bound_text(multiple) + "x";
}

std::string interval_text(double lo, double hi) {
  if (!std::isfinite(lo) || !std::isfinite(hi) || lo <= 0) return kNotAvailable;
  return "[" + bound_text(lo) + ", " + bound_text(hi) + "]";
}

std::string change_text(double relative) {
  if (!std::isfinite(relative)) return kNotAvailable;
  const std::string text = fixed(100 * relative, 1);
  if (text == "0.0") return "0.0 %";
  return (text[0] == '-' ? "" : "+") + text + " %";
}

std::string share_text(double share) {
  if (!std::isfinite(share) || share < 0) return kNotAvailable;
  if (share == 0) return "0 %";
  const double percent = 100 * share;
  if (percent < 0.01) return "<0.01 %";
  if (percent >= 99.95) return fixed(percent, 0) + " %";
  return fixed(percent, percent < 0.995 ? 2 : 1) + " %";
}

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  return trim(out);
}

std::string reduction_text(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || !std::isfinite(*before) || !std::isfinite(*after)) return kNotAvailable;
  if (*before <= 0) {
    return *after > 0 ? count_text(*after) + " more (from 0)" : "none to reduce";
  }
  if (*after == 0) return "100 %";
  const double percent = 100 * (1 - *after / *before);
  if (percent < 0) return fixed(-percent, 1) + " % more";
  if (percent == 0) return "0 %";
  if (percent < 0.05) return "<0.1 %";
  if (percent >= 99.995) return ">99.99 %";
  return fixed(percent, percent >= 99 ? 2 : 1) + " %";
}

}  // namespace nsop::report
