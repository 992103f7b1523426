#include "harness/stats/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace nsop::stats {
namespace {

// A change of the logarithm as a percentage: `9.1 %`, `25 %`. Rounded up, because it is printed as
// what could hide at most.
std::string percent(double log_change) {
  const double value = 100 * std::expm1(log_change);
  const double tenths = std::max(1.0, std::ceil(value * 10 - 1e-6));
  if (std::fmod(tenths, 10) == 0) return fmt::format("{:.0f} %", tenths / 10);
  return fmt::format("{:.1f} %", tenths / 10);
}

// An interval so wide tells so little of the noise that nobody can say what more values bring.
const double kFarTooWide = std::log(2.0);

std::string what_it_takes(const Estimate& e, double limit, double tau, const Unit& unit) {
  if (e.half() >= kFarTooWide) {
    return fmt::format(
        "the interval spans a factor of {:.1f} to either side: far too noisy to tell",
        std::exp(std::min(e.half(), std::log(1000.0))));
  }
  const double gap = std::abs(std::abs(e.log_ratio) - limit);  // a half width below this decides
  const std::string state =
      e.half() > limit ? fmt::format("interval +/-{} is wider than the margin {}",
                                     percent(e.half()), percent(limit))
                       : fmt::format("interval {:+.1f} .. {:+.1f} % crosses the margin {}",
                                     100 * std::expm1(e.log_ratio - e.half()),
                                     100 * std::expm1(e.log_ratio + e.half()), percent(limit));
  const double room = gap * gap - e.between_run * e.between_run;
  constexpr double kMostMore = 100;  // beyond that nobody will wait
  const double more = room > 0 ? e.count * (e.sampling * e.sampling / room - 1)
                               : std::numeric_limits<double>::infinity();
  if (more <= kMostMore) {
    const double missing = std::ceil(more);
    return fmt::format("{}: needs about {:.0f} more {}", state, missing,
                       missing == 1 ? unit.one : unit.several);
  }
  if (e.between_run > 0 && e.between_run >= std::min(gap, limit)) {
    return fmt::format("{}: between-run noise tau {} alone is too much; compare in one session",
                       state, percent(std::log1p(tau)));
  }
  return state + ": the change is too close to the margin to be told from it";
}

}  // namespace

Comparison decide(const Estimate& e, double margin, double tau, const Unit& unit) {
  Comparison c;
  const double lo = e.log_ratio - e.half(), hi = e.log_ratio + e.half();
  const double limit = std::log1p(margin);
  c.ratio = std::exp(e.log_ratio);
  c.lo = std::exp(lo);
  c.hi = std::exp(hi);
  c.margin = margin;
  if (lo > limit) {
    c.verdict = Verdict::kWorse;
  } else if (hi < -limit) {
    c.verdict = Verdict::kBetter;
  } else if (lo > -limit && hi < limit) {
    c.verdict = Verdict::kSame;
    c.note = "no change >= " + percent(std::max(std::abs(lo), std::abs(hi)));
  } else {
    c.verdict = Verdict::kInconclusive;
    c.note = what_it_takes(e, limit, tau, unit);
  }
  return c;
}

}  // namespace nsop::stats
