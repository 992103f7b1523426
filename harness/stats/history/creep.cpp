#include "harness/stats/history/creep.h"

#include <algorithm>
#include <cassert>

#include "harness/stats/base/robust.h"

namespace nsop::stats {
namespace {

// The first point of the newest segment.
size_t newest_segment(const std::vector<HistoryPoint>& history) {
  size_t begin = history.size();
  while (begin > 0 && history[begin - 1].segment == history.back().segment) --begin;
  return begin;
}

// The median of the points [begin, end).
double level(const std::vector<HistoryPoint>& history, size_t begin, size_t end) {
  std::vector<double> values;
  for (size_t i = begin; i < end; ++i) {
    assert(history[i].value > 0);
    values.push_back(history[i].value);
  }
  return median(std::move(values));
}

double newest_level(const std::vector<HistoryPoint>& history, size_t window) {
  return level(history, history.size() - window, history.size());
}

std::optional<Creep> worth(size_t since, double ratio, const CreepPolicy& policy) {
  if (ratio < 1 + policy.least) return std::nullopt;
  return Creep{since, ratio};
}

}  // namespace

std::optional<Creep> creep_since_best(const std::vector<HistoryPoint>& history, size_t first,
                                      const CreepPolicy& policy) {
  if (history.empty()) return std::nullopt;
  const size_t begin = std::max(first, newest_segment(history));
  if (begin + 2 * policy.window > history.size()) return std::nullopt;
  size_t best_end = begin + policy.window;
  double best = level(history, begin, best_end);
  for (size_t end = best_end + 1; end + policy.window <= history.size(); ++end) {
    const double one = level(history, end - policy.window, end);
    if (one < best) {
      best = one;
      best_end = end;
    }
  }
  return worth(best_end - 1, newest_level(history, policy.window) / best, policy);
}

std::optional<Creep> creep_since(const std::vector<HistoryPoint>& history, size_t at,
                                 const CreepPolicy& policy) {
  if (history.empty() || at >= history.size()) return std::nullopt;
  const size_t begin = newest_segment(history);
  if (at < begin || at + policy.window >= history.size()) return std::nullopt;
  const size_t half = policy.window / 2;
  const size_t from = std::max(begin, at > half ? at - half : 0);
  const size_t to = std::min(history.size() - policy.window, at + half + 1);
  return worth(at, newest_level(history, policy.window) / level(history, from, to), policy);
}

}  // namespace nsop::stats
