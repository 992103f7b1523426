#include "harness/audit/checks/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/text.h"

namespace nsop::audit {
namespace {

// A reading of a figure, and what it would then be.
struct Reading {
  Span value;
  std::string name;
};

double inverse(double x) { return 1 / x; }
double reduction(double after_by_before) { return (1 - after_by_before) * 100; }
double change(double after_by_before) { return (after_by_before - 1) * 100; }

struct Readings {
  std::vector<Reading> as_said, opposite;
};

Readings of_ratio(Sense sense, bool less_is_better, Span before_by_after) {
  const Reading falls{before_by_after, "before / after"};
  const Reading rises{mapped(before_by_after, inverse), "after / before"};
  switch (sense) {
    case Sense::kNone:
      return {{falls, rises}, {}};
    case Sense::kSpeedup:
    case Sense::kBetter:
      return less_is_better ? Readings{{falls}, {rises}} : Readings{{rises}, {falls}};
    case Sense::kWorse:
      return less_is_better ? Readings{{rises}, {falls}} : Readings{{falls}, {rises}};
    case Sense::kLess:
      return {{falls}, {rises}};
    case Sense::kMore:
      return {{rises}, {falls}};
  }
  return {};
}

Readings of_percent(Sense sense, bool less_is_better, Span after_by_before, bool has_sign) {
  const Span back = mapped(after_by_before, inverse);
  const Reading less{mapped(after_by_before, reduction), "less"};
  const Reading more{mapped(after_by_before, change), "more"};
  const Reading faster{mapped(back, change), "more speed"};
  const Reading slower{mapped(back, reduction), "less speed"};
  switch (sense) {
    case Sense::kNone:
      return has_sign ? Readings{{more}, {less}} : Readings{{more, less}, {}};
    case Sense::kSpeedup:
    case Sense::kBetter:
      return less_is_better ? Readings{{less, faster}, {more, slower}}
                            : Readings{{more, slower}, {less, faster}};
    case Sense::kWorse:
      return less_is_better ? Readings{{more, slower}, {less, faster}}
                            : Readings{{less, faster}, {more, slower}};
    case Sense::kLess:
      return {{less}, {more}};
    case Sense::kMore:
      return {{more}, {less}};
  }
  return {};
}

Kind best_of(const Quantity& figure, const std::vector<Reading>& readings, const Reading*& which) {
  Kind best = Kind::kWrong;
  for (const Reading& reading : readings) {
    const Kind kind = agrees(figure, reading.value);
    if (kind < best) {
      best = kind;
      which = &reading;
    }
  }
  return best;
}

// The figure that a program gets which reads a number no further than its first separator.
bool cut_at_separator(const Quantity& figure, Sense sense, const Pair& pair);

std::string source_of(const Pair& pair) {
  return fmt::format("{} -> {}{}", shown(pair.before), shown(pair.after),
                     pair.from.empty() ? "" : ", " + pair.from);
}

// What the two figures say in the words of the figure: `10.9x slower`.
std::string truth(const Quantity& figure, Sense sense, bool less_is_better, Span before_by_after) {
  const bool speed = sense != Sense::kLess && sense != Sense::kMore && sense != Sense::kNone;
  if (figure.unit.dimension == Dimension::kRatio) {
    const double ratio = before_by_after.mid();
    const bool fell = ratio >= 1;
    Quantity as = figure;
    as.decimals = std::max(1, figure.decimals - (figure.value < 1 ? 1 : 0));
    const char* word = speed  ? (fell == less_is_better ? "faster" : "slower")
                       : fell ? "less"
                              : "more";
    return fmt::format("{} {}", in_place_of(as, fell ? ratio : 1 / ratio), word);
  }
  const double percent = change(1 / before_by_after.mid());
  return fmt::format("{} {}", in_place_of(figure, std::abs(percent)),
                     percent < 0 ? "less" : "more");
}

Judgement judge_spans(const Quantity& figure, Sense sense, const Pair& pair, Span before,
                      Span after) {
  const bool less_is_better = pair.before.unit.dimension != Dimension::kRate;
  const bool ratio = figure.unit.dimension == Dimension::kRatio;
  const Readings readings =
      ratio ? of_ratio(sense, less_is_better, quotient(before, after))
            : of_percent(sense, less_is_better, quotient(after, before), figure.is_signed);
  const Reading* which = nullptr;
  const Kind said = best_of(figure, readings.as_said, which);
  const bool backwards =
      ratio && figure.value < 1 && figure.value > 0 &&
      (sense == Sense::kWorse || sense == Sense::kBetter || sense == Sense::kLess);
  if (said != Kind::kWrong) {
    return {said, fmt::format("{} ({})", source_of(pair), which->name)};
  }
  const Reading* other = nullptr;
  Quantity positive = figure;
  if (best_of(positive, readings.opposite, other) != Kind::kWrong &&
      !meet(figure.span, ratio ? Span{1, 1} : Span{0, 0})) {
    const std::string is = truth(figure, sense, less_is_better, quotient(before, after));
    return {Kind::kDirection,
            backwards ? fmt::format(
                            "{} is {}; {} is what is left of the speed, and reads as the opposite",
                            source_of(pair), is, figure.text)
                      : fmt::format("{} is {}", source_of(pair), is)};
  }
  const double should = readings.as_said.front().value.mid();
  std::string note = fmt::format("{} is {} ({})", source_of(pair), in_place_of(figure, should),
                                 readings.as_said.front().name);
  if (readings.as_said.size() > 1) {
    note += fmt::format(" or {} ({})", in_place_of(figure, readings.as_said[1].value.mid()),
                        readings.as_said[1].name);
  }
  return {Kind::kWrong, std::move(note)};
}

double cut(const Quantity& q) {
  const size_t comma = q.text.find(',');
  if (comma == std::string::npos) return q.value;
  const std::string digits = q.text.substr(0, comma);
  if (digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
    return q.value;
  return std::stod(digits);
}

bool cut_at_separator(const Quantity& figure, Sense sense, const Pair& pair) {
  for (const int which : {1, 2, 3}) {
    const double before = (which & 1) != 0 ? cut(pair.before) : pair.before.value;
    const double after = (which & 2) != 0 ? cut(pair.after) : pair.after.value;
    if (before == pair.before.value && after == pair.after.value) continue;
    if (before <= 0 || after <= 0) continue;
    if (judge_spans(figure, sense, pair, {before, before}, {after, after}).kind == Kind::kRight)
      return true;
  }
  return false;
}

}  // namespace

Kind agrees(const Quantity& figure, Span value) {
  Span printed = figure.span;
  if (figure.interval) printed = hull(printed, *figure.interval);
  if (meet(printed, value)) return Kind::kRight;
  const bool bound = figure.span.hi > 1e90 || (figure.span.lo == 0 && figure.value > 0);
  if (bound) return Kind::kWrong;
  const double unit = std::pow(10.0, -figure.decimals);
  for (const double one : {value.lo, value.hi, value.mid()}) {
    if (std::abs(std::trunc(one / unit) * unit - figure.value) < 1e-6 * unit && !figure.is_range) {
      return Kind::kRounded;
    }
  }
  if (figure.decimals == 0 && figure.zeros > 0) {
    const double half = 0.5 * std::pow(10.0, figure.zeros);
    if (meet({figure.value - half, figure.value + half}, value)) return Kind::kRounded;
  }
  return Kind::kWrong;
}

std::string in_place_of(const Quantity& figure, double value) {
  const bool percent = figure.unit.dimension == Dimension::kPercent;
  int decimals = figure.decimals;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const auto says_nothing = [&] {
    return (percent && value < 100 && value > 99 && std::stod(text) == 100) ||
           (value != 0 && std::stod(text) == 0);
  };
  while (decimals < 8 && says_nothing()) text = fmt::format("{:.{}f}", value, ++decimals);
  return text + (percent ? " %" : "x");
}

std::string shown(const Quantity& quantity) {
  static constexpr std::array<std::pair<double, const char*>, 4> kTimes{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  const bool has_unit = quantity.text.find_first_not_of("0123456789.,+-") != std::string::npos;
  if (has_unit) return quantity.text;
  if (quantity.unit.dimension == Dimension::kTime) {
    for (const auto& [scale, name] : kTimes) {
      if (quantity.unit.scale == scale) return quantity.text + " " + name;
    }
  }
  if (quantity.unit.dimension == Dimension::kBytes && quantity.unit.scale == 1)
    return quantity.text + " B";
  return quantity.text;
}

Judgement judge(const Quantity& figure, Sense sense, const Pair& pair) {
  const bool one_unit = pair.before.unit.scale == pair.after.unit.scale;
  Span before = one_unit ? pair.before.span : wide(pair.before);
  Span after = one_unit ? pair.after.span : wide(pair.after);
  if (figure.interval) {
    if (pair.before.interval) before = hull(before, *pair.before.interval);
    if (pair.after.interval) after = hull(after, *pair.after.interval);
  }
  const bool percent = figure.unit.dimension == Dimension::kPercent;
  if (before.lo < 0 || after.lo < 0 || (before.hi <= 0 && after.hi <= 0)) {
    return {Kind::kNotCheckable, fmt::format("{} can't be divided", source_of(pair))};
  }
  if (before.lo == 0 || after.lo == 0) {
    const bool to_nothing = percent && after.hi == 0 && before.lo > 0;
    if (!to_nothing)
      return {Kind::kNotCheckable, fmt::format("{} divides by zero", source_of(pair))};
    const Kind kind = agrees(figure, {100, 100});
    const Kind minus = agrees(figure, {-100, -100});
    return {std::min(kind, minus), fmt::format("{} is 100 % less", source_of(pair))};
  }
  Judgement out = judge_spans(figure, sense, pair, before, after);
  if (out.kind == Kind::kWrong && cut_at_separator(figure, sense, pair)) {
    out.note +=
        "; the printed figure is what a number gives that is read only up to its first comma";
  }
  return out;
}

}  // namespace nsop::audit
