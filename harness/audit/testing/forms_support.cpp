#include "harness/audit/testing/forms_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nsop::audit {
namespace {

std::string with_commas(double value, const char* separator) {
  std::string digits = fmt::format("{:.0f}", value), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// Rounded to `decimals` of `unit`.
Printed rounded(double value, double unit, int decimals, const char* format_behind) {
  const double step = std::pow(10.0, -decimals);
  const double shown = std::round(value / unit / step) * step;
  return {fmt::format("{:.{}f}{}", shown, decimals, format_behind), shown * unit};
}

constexpr Values kValues[] = {
    {"nanoseconds with commas", " (ns/op)",
     [](double v) {
       return Printed{with_commas(v * 1000, ","), std::round(v * 1000) / 1000};
     }},
    {"nanoseconds with blanks", " (ns)",
     [](double v) {
       return Printed{with_commas(v * 1000, " "), std::round(v * 1000) / 1000};
     }},
    {"nanoseconds with narrow spaces", " [ns]",
     [](double v) {
       return Printed{with_commas(v * 1000, "\u202f"), std::round(v * 1000) / 1000};
     }},
    {"the unit that fits", "",
     [](double v) { return v < 1000 ? rounded(v, 1, 2, " \u00b5s") : rounded(v, 1000, 3, " ms"); }},
    {"units without a blank", "", [](double v) { return rounded(v, 1, 1, "us"); }},
    {"bold", "",
     [](double v) {
       const Printed p = rounded(v, 1000, 5, " ms");
       return Printed{"**" + p.text + "**", p.value};
     }},
    {"with a deviation", "",
     [](double v) {
       return rounded(v, 1, 1, fmt::format(" \u00b5s \u00b1 {:.1f}", v / 50).c_str());
     }},
    {"with a deviation before the unit", "",
     [](double v) {
       return v < 1000 ? rounded(v, 1, 1, " \u00b1 0.3 \u00b5s")
                       : rounded(v, 1000, 4, " \u00b1 0.01 ms");
     }},
    {"with an interval", "",
     [](double v) {
       return rounded(v, 1, 1, fmt::format(" us [{:.1f}, {:.1f}]", v * 0.9, v * 1.1).c_str());
     }},
    {"range", "",
     [](double v) {
       return Printed{fmt::format("{:.2f}-{:.2f} us", v * 0.98, v * 1.02), v};
     }},
    {"with a remark", "", [](double v) { return rounded(v, 1, 1, " us (median of 9)"); }},
    {"with an emoji", "", [](double v) { return rounded(v, 1, 1, " us \U0001f680"); }},
    {"microseconds in words", "", [](double v) { return rounded(v, 1, 1, " microseconds"); }},
    {"counts in thousands", " allocs", [](double v) { return rounded(v * 1000, 1000, 2, "k"); }},
    {"counts in thousands with a blank", " allocs",
     [](double v) {
       return v < 1000 ? rounded(v * 1000, 1000, 2, " k") : rounded(v * 1000, 1e6, 5, " M");
     }},
    {"megabytes", " memory", [](double v) { return rounded(v * 1e6, 1e6, 2, " MB"); }},
    {"kibibytes", " memory", [](double v) { return rounded(v * 1024, 1024, 2, " KiB"); }},
    {"rates", " rate", [](double v) { return rounded(v, 1, 1, " ops/s"); }, true},
    {"rates of work", " rate", [](double v) { return rounded(v * 1e9, 1e9, 2, " GFLOP/s"); }, true},
};

Figure ratio_of(double ratio, int decimals, bool cut, const char* behind) {
  const double step = std::pow(10.0, -decimals);
  const double shown = cut ? std::floor(ratio / step) * step : std::round(ratio / step) * step;
  return {fmt::format("{:.{}f}{}", shown, decimals, behind), shown, step};
}

Figure percent_of(double percent, int decimals, const char* behind, bool sign) {
  const char* plus = sign && percent >= 0 ? "+" : "";
  if (std::abs(percent) >= 1000) {
    const char* minus = percent < 0 ? "-" : "";
    return {plus + (minus + with_commas(std::abs(percent), ",")) + behind, percent, 1};
  }
  return {fmt::format("{}{:.{}f}{}", plus, percent, decimals, behind), percent,
          std::pow(10.0, -decimals)};
}

constexpr Figures kFigures[] = {
    {"factor", "Speedup", false, [](double r, double) { return ratio_of(r, 2, false, "x"); }},
    {"factor with a sign of times", "Speedup", false,
     [](double r, double) { return ratio_of(r, 3, false, "\u00d7"); }},
    {"factor cut off", "Speedup", false,
     [](double r, double) { return ratio_of(r, 2, true, "x"); }},
    {"about a factor", "Speedup", false,
     [](double r, double) {
       Figure f = ratio_of(r, 2, false, "x");
       return Figure{"~" + f.text, f.value, std::max(0.2 * f.value, f.step)};
     }},
    {"factor with a word", "Result", false,
     [](double r, double) {
       return r >= 1 ? ratio_of(r, 2, false, "x faster") : ratio_of(1 / r, 2, false, "x slower");
     }},
    {"factor in bold with a mark", "Result", false,
     [](double r, double) {
       Figure f =
           r >= 1 ? ratio_of(r, 2, false, "x faster") : ratio_of(1 / r, 2, false, "x slower");
       return Figure{"**" + f.text + "** \u2705", f.value, f.step};
     }},
    {"range", "Speedup", false,
     [](double r, double) {
       return Figure{fmt::format("{:.2f}-{:.2f}x", r * 0.97, r * 1.03), r,
                     std::max(0.06 * r, 0.01)};
     }},
    {"lower bound", "Speedup", false,
     [](double r, double) {
       return Figure{fmt::format(">{:.2f}x", r * 0.9), r * 0.9, 0.01, true};
     }},
    {"less or more speed", "Result", true,
     [](double r, double) {
       return r >= 1 ? percent_of((r - 1) * 100, 1, " % faster", false)
                     : percent_of((1 / r - 1) * 100, 1, " % slower", false);
     }},
    {"less time", "Result", true,
     [](double r, double) {
       return r >= 1 ? percent_of((1 - 1 / r) * 100, 2, "% faster", false)
                     : percent_of((1 / r - 1) * 100, 2, "% slower", false);
     }},
    {"signed change", "Change", true,
     [](double, double a) { return percent_of((a - 1) * 100, 1, " %", true); }},
    {"signed change with a sign of minus", "Change", true,
     [](double, double a) {
       Figure f = percent_of(std::abs(a - 1) * 100, 1, "%", false);
       f.text = (a < 1 ? "\u2212" : "+") + f.text;
       return f;
     }},
    {"reduction", "Reduction", true,
     [](double, double a) { return percent_of((1 - a) * 100, 1, "%", false); }},
};

}  // namespace

std::span<const Values> all_values() { return kValues; }
std::span<const Figures> all_figures() { return kFigures; }

}  // namespace nsop::audit
