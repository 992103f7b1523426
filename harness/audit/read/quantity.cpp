#include "harness/audit/read/quantity.h"

#include <algorithm>
#include <cmath>

#include "harness/audit/read/number.h"
#include "harness/audit/read/units.h"

namespace nsop::audit {
namespace {

// Past a token that is no quantity.
size_t past_token(std::string_view text, size_t i) {
  while (word_char(at(text, i)) || at(text, i) == '.' || at(text, i) == '^' ||
         ((at(text, i) == '-' || at(text, i) == ':') && word_char(at(text, i + 1))) ||
         (static_cast<unsigned char>(at(text, i)) >= 0x80)) {
    ++i;
  }
  return i;
}

// `[8, 64, 32, 32]`, `(4x32)`: past the bracket if it holds only numbers, else `i`.
size_t past_shape(std::string_view text, size_t i) {
  const size_t close = text.find(']', i);
  if (close == std::string_view::npos) return i;
  const std::string_view inside = text.substr(i + 1, close - i - 1);
  const bool numbers =
      !inside.empty() && inside.find_first_not_of("0123456789, x\\") == std::string_view::npos;
  return numbers ? close + 1 : i;
}

double half_of(const Digits& d, const Unit& unit, double suffix) {
  const bool exact = d.decimals == 0 && suffix == 1 && unit.scale == 1 &&
                     (unit.dimension == Dimension::kCount || unit.dimension == Dimension::kBytes);
  return exact ? 0 : 0.5 * std::pow(10.0, -d.decimals);
}

Span span_of(double value, double half, const Unit& unit) {
  return {(value - half) * unit.scale, (value + half) * unit.scale};
}

// One end of an interval; none where words or another unit follow.
std::optional<double> read_end(std::string_view part, Unit unit) {
  size_t from = 0;
  while (at(part, from) == ' ') ++from;
  const double sign = at(part, from) == '-' ? -1 : 1;
  if (at(part, from) == '-' || at(part, from) == '+') ++from;
  const auto d = read_digits(part, from);
  if (!d) return {};
  size_t next = d->end;
  while (at(part, next) == ' ') ++next;
  const Dimension dimension = unit.dimension;
  if (next < part.size() && (!read_unit(part, next, unit) || unit.dimension != dimension))
    return {};
  while (at(part, next) == ' ') ++next;
  if (next < part.size()) return {};
  return sign * d->value * unit.scale;
}

// `[a, b]` behind a quantity, after at most three words or a `?`. `[2.06x slower, 83 % more]` is
// one, too, but is taken as no wider than the quantity. Moves `i` past it.
std::optional<Span> read_interval(std::string_view text, size_t& i, const Quantity& q) {
  const size_t stop = std::min(text.size(), i + 24);
  size_t open = i;
  while (open < stop && (letter(text[open]) || text[open] == ' ' || text[open] == '?')) ++open;
  if (at(text, open) != '[') return {};
  const size_t close = text.find(']', open);
  if (close == std::string_view::npos || close > open + 60) return {};
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const size_t comma = inside.find(", ");
  if (comma == std::string_view::npos || inside.find_first_of("0123456789") > 1 ||
      inside.find(", ", comma + 2) != std::string_view::npos) {
    return {};
  }
  i = close + 1;
  const auto lo = read_end(inside.substr(0, comma), q.unit),
             hi = read_end(inside.substr(comma + 2), q.unit);
  if (!lo || !hi) return q.span;
  return Span{std::min(*lo, *hi), std::max(*lo, *hi)};
}

// A suffix of thousands behind the digits or one blank: `250K`, `1.2 M`, `3 million`.
double read_suffix(std::string_view text, size_t& i) {
  size_t end = i + (at(text, i) == ' ' ? 1 : 0);
  const size_t begin = end;
  while (letter(at(text, end))) ++end;
  if (word_char(at(text, end)) || at(text, end) == '/') return 1;
  const std::string_view name = text.substr(begin, end - begin);
  const double factor = name == "K" || name == "k" || name == "thousand" ? 1e3
                        : name == "M" || name == "million"               ? 1e6
                        : name == "G" || name == "billion"               ? 1e9
                                                                         : 1;
  if (factor != 1) i = end;
  return factor;
}

// Past `+/- 0.4` behind a number or quantity, else `i`.
size_t past_deviation(std::string_view text, size_t i) {
  size_t next = i + (at(text, i) == ' ' ? 1 : 0);
  if (!text.substr(std::min(next, text.size())).starts_with("+/-")) return i;
  next += 3;
  if (at(text, next) == ' ') ++next;
  const auto deviation = read_digits(text, next);
  return deviation ? deviation->end : i;
}

size_t past_unit(std::string_view text, size_t i) {
  size_t next = i + (at(text, i) == ' ' ? 1 : 0);
  Unit unit;
  return read_unit(text, next, unit) ? next : i;
}

// `12.3 +/- 0.4 ms`: past the deviation if a unit follows that is no factor.
size_t past_deviation_before_unit(std::string_view text, size_t i) {
  const size_t end = past_deviation(text, i);
  size_t next = end + (at(text, end) == ' ' ? 1 : 0);
  Unit unit;
  const bool has_unit = end > i && read_unit(text, next, unit);
  return has_unit && unit.dimension != Dimension::kRatio ? end : i;
}

// A number, or two with a dash between: where it begins and ends, and its sign.
struct Number {
  Digits first{}, last{};
  double sign = 1;
  bool is_signed = false, is_range = false;
  size_t begin = 0, end = 0;
};

// The number whose digits begin at `i`; none where they belong to a name, a version or a date.
std::optional<Number> read_number(std::string_view text, size_t i) {
  Number n;
  n.begin = i;
  if (i > 0 && (text[i - 1] == '-' || text[i - 1] == '+')) {
    const char before = i > 1 ? text[i - 2] : ' ';
    if (before == ' ' || before == '(' || before == '[' || before == '|') {
      n.sign = text[i - 1] == '-' ? -1 : 1;
      n.is_signed = true;
      n.begin = i - 1;
    } else if (!digit(before) && before != '%') {
      return {};
    }
  }
  const auto first = read_digits(text, i);
  if (!first) return {};
  n.first = n.last = *first;
  n.end = first->end;
  if (at(text, n.end) == '-' && digit(at(text, n.end + 1))) {
    const auto second = read_digits(text, n.end + 1);
    if (!second || at(text, second->end) == '-' || second->value < first->value) return {};
    n.last = *second;
    n.end = second->end;
    n.is_range = true;
  }
  return n;
}

// The unit behind a number, else `bare`; `suffix` is the factor of a `K`. Moves `end` past both.
// None where the number belongs to a name.
std::optional<Unit> unit_behind(std::string_view text, size_t& end, const Unit& bare,
                                double& suffix) {
  Unit unit = bare;
  size_t next = end;
  if (read_unit(text, next, unit) &&
      !(unit.dimension == Dimension::kRatio && word_char(at(text, next)))) {
    end = next;
    return unit;
  }
  suffix = read_suffix(text, end);
  if (suffix == 1 && word_char(at(text, end))) return {};
  unit = bare;
  next = end + 1;
  if (at(text, end) == ' ' && read_unit(text, next, unit)) {
    const bool factor = unit.dimension == Dimension::kRatio && at(text, next) == ' ' &&
                        digit(at(text, next + 1));  // `4 x 32`
    if (!factor) {
      end = next;
      return unit;
    }
  }
  unit = bare;
  if (unit.dimension == Dimension::kCount && at(text, end) == ' ' && letter(at(text, end + 1))) {
    size_t stop = end + 1;
    while (letter(at(text, stop))) ++stop;
    unit.of = singular(std::string(text.substr(end + 1, stop - end - 1)));
  }
  return unit;
}

// Reads a quantity whose digits begin at `i`; moves `i` past it, or past what is there.
std::optional<Quantity> read_quantity(std::string_view text, size_t& i, const Unit& bare) {
  const auto n = read_number(text, i);
  double suffix = 1;
  size_t end = n ? past_deviation_before_unit(text, n->end) : i;
  auto unit = n ? unit_behind(text, end, bare, suffix) : std::nullopt;
  if (unit) unit->scale *= suffix;
  if (!unit || !(n->last.value * unit->scale < kLargest)) {
    i = past_token(text, i);
    return {};
  }
  Quantity q;
  q.unit = *unit;
  q.decimals = n->last.decimals;
  q.zeros = n->is_range ? 0 : n->last.zeros;
  q.is_signed = n->is_signed;
  q.is_range = n->is_range;
  q.value = n->sign * (n->first.value + n->last.value) / 2 * unit->scale;
  q.span = hull(span_of(n->sign * n->first.value, half_of(n->first, *unit, suffix), *unit),
                span_of(n->sign * n->last.value, half_of(n->last, *unit, suffix), *unit));
  q.span = bounded(q.span, bound_before(text.substr(0, n->begin)));
  q.begin = n->begin;
  q.end = end;
  q.text = std::string(text.substr(q.begin, end - q.begin));
  const size_t behind = past_deviation(text, end);
  if (behind > end) end = past_unit(text, behind);
  q.interval = read_interval(text, end, q);
  i = end;
  return q;
}

}  // namespace

bool meet(Span a, Span b) {
  const auto up_to = [](double lo, double hi) {
    return lo <= hi + 1e-9 * std::max({std::abs(lo), std::abs(hi), 1e-300});
  };
  return up_to(a.lo, b.hi) && up_to(b.lo, a.hi);
}
Span quotient(Span a, Span b) { return {a.lo / b.hi, a.hi / b.lo}; }
Span mapped(Span s, double (*f)(double)) {
  return {std::min(f(s.lo), f(s.hi)), std::max(f(s.lo), f(s.hi))};
}
Span wide(const Quantity& q) { return {q.span.lo, q.span.hi * std::pow(1.024, q.unit.thousands)}; }
Span hull(Span a, Span b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

std::vector<Quantity> scan(std::string_view text, const Unit& bare) {
  std::vector<Quantity> out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '`') {
      const size_t close = text.find('`', i + 1);
      i = close == std::string_view::npos ? i + 1 : close + 1;
    } else if (text[i] == '[' && past_shape(text, i) > i) {
      i = past_shape(text, i);
    } else if (digit(text[i])) {
      const char before = i > 0 ? text[i - 1] : ' ';
      if (before == '=' || before == '#' || before == '.' || before == '_' || before == '$') {
        i = past_token(text, i);
      } else if (auto q = read_quantity(text, i, bare)) {
        out.push_back(std::move(*q));
      }
    } else if (letter(text[i])) {
      i = past_token(text, i);
    } else {
      ++i;
    }
  }
  return out;
}

namespace {

// `1 234 567` at the beginning of a cell as `1,234,567`.
std::string thousands_joined(std::string_view text) {
  std::string out(text);
  size_t i = out.find_first_not_of("~<> +-");
  if (i == std::string::npos) return out;
  size_t first = 0;
  while (digit(at(out, i))) ++i, ++first;
  if (first == 0 || first > 3) return out;
  while (at(out, i) == ' ' && digit(at(out, i + 1)) && digit(at(out, i + 2)) &&
         digit(at(out, i + 3)) && !digit(at(out, i + 4))) {
    out[i] = ',';
    i += 4;
  }
  return out;
}

}  // namespace

std::optional<Quantity> cell_quantity(std::string_view text, const Unit& bare) {
  const std::string joined = thousands_joined(text);
  std::vector<Quantity> all = scan(joined, bare);
  if (all.empty() || (at(joined, all[0].end) == '/' && digit(at(joined, all[0].end + 1))))
    return {};
  if (text.substr(0, all[0].begin).find_first_not_of("~<> ") != std::string_view::npos) return {};
  return all[0];
}

bool same_kind(const Quantity& a, const Quantity& b) {
  if (a.unit.dimension != b.unit.dimension) return false;
  if (a.unit.dimension == Dimension::kCount) {
    return a.unit.of == b.unit.of || a.unit.of.empty() || b.unit.of.empty();
  }
  return a.unit.of == b.unit.of || a.unit.dimension != Dimension::kRate;
}

}  // namespace nsop::audit
