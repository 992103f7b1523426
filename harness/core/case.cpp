#include "harness/core/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr size_t kMostCases = 10'000;  // of one line

struct RawCase {
  std::string op;
  std::vector<std::pair<std::string, std::string>> values;
};

RawCase tokenize(std::string_view line) {
  RawCase raw;
  for (const std::string& word : split(trim(line), ' ')) {
    if (word.empty()) continue;
    if (raw.op.empty()) {
      if (word.find('=') != std::string::npos) {
        throw usage_error(
            fmt::format("'{}': expected an op first, e.g. 'relu pass=forward ...'", word));
      }
      raw.op = word;
      continue;
    }
    const size_t at = word.find('=');
    if (at == std::string::npos || at == 0) {
      throw usage_error(fmt::format("'{}': expected key=value", word));
    }
    raw.values.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  if (raw.op.empty()) throw usage_error("empty case: expected 'op key=value ...'");
  return raw;
}

std::optional<int64_t> to_integer(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<int64_t>> to_shape(const std::string& text) {
  std::vector<int64_t> shape;
  for (const std::string& part : split(text, 'x')) {
    const auto value = to_integer(part);
    if (!value || *value < 1) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

std::optional<std::pair<double, double>> to_range(const std::string& text) {
  const size_t at = text.find(':');
  if (at == std::string::npos) return std::nullopt;
  const auto lo = to_number(text.substr(0, at));
  const auto hi = to_number(text.substr(at + 1));
  if (!lo || !hi || *lo >= *hi) return std::nullopt;
  return std::pair(*lo, *hi);
}

// All of a few, some of many.
std::string choices_text(const std::vector<std::string>& choices) {
  constexpr size_t kShown = 12;
  if (choices.size() <= kShown) return "one of " + join(choices, ", ");
  const std::vector<std::string> some(choices.begin(), choices.begin() + kShown);
  return fmt::format("one of {}, ... ({} in all)", join(some, ", "), choices.size());
}

std::string expected_text(const ParamSpec& p) {
  switch (p.kind) {
    case ParamKind::kCount:
      return "a positive integer";
    case ParamKind::kIndex:
      return "an integer >= 0";
    case ParamKind::kFlag:
      return "0 or 1";
    case ParamKind::kNumber:
      return "a number";
    case ParamKind::kShape:
      return p.rank == 0 ? std::string("positive integers joined by x, e.g. 1000 or 8x64")
                         : fmt::format("{} positive integers joined by x", p.rank);
    case ParamKind::kRange:
      return "lo:hi with lo < hi";
    case ParamKind::kChoice:
      return choices_text(p.choices);
  }
  return {};
}

// The canonical text of one value, or nothing if it isn't what the key expects.
std::optional<std::string> canonical_value(const ParamSpec& p, const std::string& text) {
  switch (p.kind) {
    case ParamKind::kCount:
    case ParamKind::kIndex:
    case ParamKind::kFlag: {
      const auto value = to_integer(text);
      const int64_t lowest = p.kind == ParamKind::kCount ? 1 : 0;
      if (!value || *value < lowest || (p.kind == ParamKind::kFlag && *value > 1)) break;
      return fmt::format("{}", *value);
    }
    case ParamKind::kNumber:
      if (const auto value = to_number(text)) return fmt::format("{}", *value);
      break;
    case ParamKind::kShape: {
      const auto shape = to_shape(text);
      if (!shape || (p.rank != 0 && static_cast<int>(shape->size()) != p.rank)) break;
      return fmt::format("{}", fmt::join(*shape, "x"));
    }
    case ParamKind::kRange:
      if (const auto range = to_range(text))
        return fmt::format("{}:{}", range->first, range->second);
      break;
    case ParamKind::kChoice:
      if (std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end()) return text;
      break;
  }
  return std::nullopt;
}

std::vector<std::string> param_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const ParamSpec& p : spec.params) names.push_back(p.name);
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto hit = nearest(word, candidates);
  return hit ? fmt::format("; did you mean '{}'?", *hit) : std::string();
}

void check_keys(const RawCase& raw, const OpSpec& spec) {
  const auto names = param_names(spec);
  std::set<std::string> seen;
  for (const auto& [key, value] : raw.values) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw usage_error(fmt::format("{}: unknown key '{}'{} (keys: {})", spec.name, key,
                                    did_you_mean(key, names), join(names, ", ")));
    }
    if (!seen.insert(key).second) {
      throw usage_error(fmt::format("{}: key '{}' is given twice", spec.name, key));
    }
  }
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string case_op(std::string_view line) { return tokenize(line).op; }

Case Case::parse(std::string_view line, const OpSpec& spec) {
  const RawCase raw = tokenize(line);
  assert(raw.op == spec.name);
  check_keys(raw, spec);
  Case result;
  result.op_ = spec.name;
  result.text_ = spec.name;
  for (const ParamSpec& p : spec.params) {
    const auto given = std::find_if(raw.values.begin(), raw.values.end(),
                                    [&](const auto& kv) { return kv.first == p.name; });
    if (given == raw.values.end() && !p.absent) {
      throw usage_error(fmt::format("{}: key '{}' is missing, expected {}={}", spec.name, p.name,
                                    p.name, expected_text(p)));
    }
    const std::string& text = given == raw.values.end() ? *p.absent : given->second;
    // What absence stands for need not be a value of the kind: `b=same` of a shape.
    const auto value = p.absent == text ? p.absent : canonical_value(p, text);
    if (!value) {
      throw usage_error(fmt::format("{}: {}={}: expected {}", spec.name, p.name,
                                    text.empty() ? "(nothing)" : text, expected_text(p)));
    }
    result.values_.emplace_back(p.name, *value);
    if (!p.absent || *value != *p.absent) result.text_ += fmt::format(" {}={}", p.name, *value);
  }
  return result;
}

bool Case::has(std::string_view key) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& v) { return v.first == key; });
}

const std::string& Case::str(std::string_view key) const {
  const auto it =
      std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == key; });
  assert(it != values_.end());
  return it->second;
}

int64_t Case::integer(std::string_view key) const { return to_integer(str(key)).value(); }
double Case::number(std::string_view key) const { return to_number(str(key)).value(); }
std::vector<int64_t> Case::shape(std::string_view key) const { return to_shape(str(key)).value(); }
std::pair<double, double> Case::range(std::string_view key) const {
  return to_range(str(key)).value();
}

std::vector<Case> expand_cases(std::string_view line, const OpSpec& spec) {
  const RawCase raw = tokenize(line);
  std::vector<std::string> lines = {raw.op};
  size_t count = 1;
  for (const auto& [key, value] : raw.values) {
    count *= 1 + static_cast<size_t>(std::count(value.begin(), value.end(), ','));
    if (count > kMostCases) {
      throw usage_error(fmt::format("'{}...' stands for more than {} cases; split it",
                                    line.substr(0, 40), kMostCases));
    }
  }
  for (const auto& [key, value] : raw.values) {
    std::vector<std::string> longer;
    for (const std::string& prefix : lines) {
      for (const std::string& one : split(value, ',')) {
        if (one.empty()) {
          throw usage_error(fmt::format("{}: {}={}: a sweep has an empty value, expected a,b,...",
                                        raw.op, key, value));
        }
        longer.push_back(fmt::format("{} {}={}", prefix, key, one));
      }
    }
    lines = std::move(longer);
  }
  std::vector<Case> cases;
  std::set<std::string> seen;
  for (const std::string& one : lines) {
    cases.push_back(Case::parse(one, spec));
    if (!seen.insert(cases.back().text()).second) {
      throw usage_error(fmt::format("'{}' appears twice in '{}'", cases.back().text(), line));
    }
  }
  return cases;
}

bool case_matches(std::string_view text, std::string_view pattern) {
  const std::vector<std::string> have = split(text, ' ');
  const std::vector<std::string> want = split(trim(pattern), ' ');
  if (!matches_pattern(have.front(), want.front())) return false;
  return std::all_of(want.begin() + 1, want.end(), [&](const std::string& w) {
    return w.empty() || std::any_of(have.begin() + 1, have.end(),
                                    [&](const std::string& h) { return matches_pattern(h, w); });
  });
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(1, std::min<size_t>(3, word.size() / 2)) + 1;
  for (const std::string& candidate : candidates) {
    const size_t d = edit_distance(word, candidate);
    if (d > 0 && d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace nsop
