#include "harness/core/suite/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

std::optional<double> positive(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool whole = error == std::errc() && at == end;
  return whole && std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' ')) {
    if (!trim(word).empty()) words.push_back(trim(word));
  }
  return words;
}

bool is_any_or_among(const std::vector<int>& counts, int count) {
  return counts.empty() || std::find(counts.begin(), counts.end(), count) != counts.end();
}

bool matches_any(std::string_view line, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return case_matches(line, pattern); });
}

// Is it a goal on a metric? Then reads it.
bool read_metric(std::span<const std::string> words, Goal& goal) {
  const bool named = !words.empty() && words[0].size() > 1 && words[0].ends_with(':');
  const auto bound = named ? words.subspan(1) : words;
  if (!looks_like_metric_bound(bound) || bound[0] == "bandwidth") return false;
  goal.kind = Goal::Kind::kMetric;
  if (named) goal.subject = Selector::parse(words[0].substr(0, words[0].size() - 1));
  goal.metric = parse_metric_bound(bound);
  return true;
}

}  // namespace

Goal parse_goal(std::string_view that) {
  Goal goal;
  goal.that = join(words_of(that), " ");
  std::vector<std::string> words = words_of(that);
  if (read_metric(words, goal)) return goal;
  const bool mean = words.size() == 6 && words[0] == "mean";
  if (mean) words.erase(words.begin());
  const bool bandwidth =
      words.size() == 4 && words[0] == "bandwidth" && words[1] == ">=" && words[3] == "%";
  const bool time = words.size() == 5 && words[1] == "<=" && words[3] == "x";
  const std::optional<double> number = bandwidth || time ? positive(words[2]) : std::nullopt;
  if (!number) {
    throw usage_error(fmt::format(
        "'{}': expected 'VARIANT <= NUMBER x VARIANT' (or best_peer, one_thread), the same after "
        "'mean', 'bandwidth >= NUMBER %', or '[VARIANT:] METRIC OP NUMBER [UNIT]'",
        that));
  }
  goal.bound = bandwidth ? *number / 100 : *number;
  goal.kind = bandwidth ? Goal::Kind::kBandwidth : mean ? Goal::Kind::kMeanTime : Goal::Kind::kTime;
  if (time) {
    goal.subject = Selector::parse(words[0]);
    goal.reference = Selector::parse(words[4]);
  }
  return goal;
}

bool goal_applies(const Goal& goal, std::string_view line, int threads) {
  if (goal.reference.variant == kOneThread && threads == 1) return false;
  return is_any_or_among(goal.threads, threads) && matches_any(line, goal.on);
}

bool reason_applies(const Reason& reason, const Goal& goal, std::string_view line, int threads) {
  if (!is_any_or_among(reason.threads, threads)) return false;
  const bool named =
      std::find(reason.goals.begin(), reason.goals.end(), goal.that) != reason.goals.end();
  if (goal.kind == Goal::Kind::kMeanTime) return named;
  return (named || reason.goals.empty()) && matches_any(line, reason.on);
}

bool reason_is_of_row(const Reason& reason, std::string_view line, int threads) {
  return reason.goals.empty() && is_any_or_among(reason.threads, threads) &&
         matches_any(line, reason.on);
}

}  // namespace nsop
