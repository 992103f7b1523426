#include "harness/stats/history/change_points.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "harness/stats/base/robust.h"

namespace nsop::stats {
namespace {

using Values = std::vector<double>;

constexpr double kSmallestNoise = 5e-4;  // clocks and rounding: below that nothing is noise-free

double quantile(Values values, double p) {
  const double at = p * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), below, values.end());
  if (below + 1 == values.end()) return *below;
  return *below + (at - std::floor(at)) * (*std::min_element(below + 1, values.end()) - *below);
}

Values absolute(Values values) {
  for (double& v : values) v = std::abs(v);
  return values;
}

Values part(const Values& x, size_t begin, size_t end) {
  return {x.begin() + static_cast<std::ptrdiff_t>(begin),
          x.begin() + static_cast<std::ptrdiff_t>(end)};
}

// The noise of a series with changes in it: the MAD of its first differences. Wider where more than
// a quarter of the differences are large: then modes alternate, and modes are no levels.
double noise_of(const Values& x) {
  Values steps;
  for (size_t i = 1; i < x.size(); ++i) steps.push_back(x[i] - x[i - 1]);
  const double by_steps = scaled_mad(steps) / std::sqrt(2.0);
  const double by_values = scaled_mad(x);
  const double s =
      std::max(by_steps > 0 ? std::min(by_steps, by_values) : by_values, kSmallestNoise);
  if (steps.size() < 8) return s;
  const double wide = quantile(absolute(steps), 0.72) / 1.0803 / std::sqrt(2.0);
  return wide > 1.6 * s ? std::max(s, wide) : s;
}

// The levels that a fit may take.
Values level_grid(const Values& x, double s) {
  constexpr double kStep = 0.2, kReach = 200;  // in units of the noise
  constexpr size_t kMost = 600, kFewest = 20;
  constexpr size_t kFewestOfALevel = 4;
  Values sorted = x;
  std::sort(sorted.begin(), sorted.end());
  const double middle = median(x);
  // A few wild nights don't stretch the grid; a level of its own does, however far away it is.
  const size_t edge = std::min(kFewestOfALevel, sorted.size()) - 1;
  const double low = std::min(middle - kReach * s, sorted[edge]);
  const double high = std::max(middle + kReach * s, sorted[sorted.size() - 1 - edge]);
  const double lo = std::max(sorted.front(), low), hi = std::min(sorted.back(), high);
  const size_t count = std::clamp(static_cast<size_t>((hi - lo) / (kStep * s) + 2), kFewest, kMost);
  Values grid(count);
  for (size_t i = 0; i < count; ++i) {
    grid[i] = lo + (hi - lo) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return grid;
}

// Viterbi's algorithm: the cheapest level at every point, a change costing a penalty.
class Segmentation {
 public:
  Segmentation(const Values& x, double s)
      : x_(x), s_(s), grid_(level_grid(x, s)), worst_(9 * s * s), cost_(grid_.size()) {
    const double n = std::max<double>(10, static_cast<double>(x.size()));
    penalty_ = 3 * s * s * std::log(n);
  }

  std::vector<size_t> changes() {
    for (size_t j = 0; j < grid_.size(); ++j) cost_[j] = loss(0, j);
    jumped_.assign(x_.size() * grid_.size(), 0);
    best_.assign(x_.size(), 0);
    for (size_t t = 1; t < x_.size(); ++t) advance(t);
    std::vector<size_t> found;
    size_t j = best_level();
    for (size_t t = x_.size() - 1; t > 0; --t) {
      if (jumped_[t * grid_.size() + j] == 0) continue;
      found.push_back(t);
      j = best_[t];
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  double loss(size_t t, size_t j) const {
    const double d = std::abs(x_[t] - grid_[j]);
    // A wild value next to a change costs (nearly) as much on either side: the nearer level has it.
    return d * d < worst_ ? d * d : worst_ * (1 + 1e-9 * d / s_);
  }
  size_t best_level() const {
    return static_cast<size_t>(std::min_element(cost_.begin(), cost_.end()) - cost_.begin());
  }
  void advance(size_t t) {
    best_[t] = best_level();
    const double from_best = cost_[best_[t]] + penalty_;
    char* const jumped = &jumped_[t * grid_.size()];
    for (size_t j = 0; j < grid_.size(); ++j) {
      jumped[j] = cost_[j] > from_best ? 1 : 0;
      cost_[j] = std::min(cost_[j], from_best) + loss(t, j);
    }
  }

  const Values& x_;
  double s_;
  Values grid_;
  double worst_, penalty_ = 0;
  Values cost_;
  std::vector<char> jumped_;  // [point][level]: came there from another level
  std::vector<size_t> best_;  // [point]: the level that it came from
};

// What stands for how much two neighbouring levels differ.
struct Step {
  double change = 0;          // of ln(value)
  double standard_error = 0;  // widened for correlation between neighbours
};

double neighbour_correlation(const Values& r) {
  if (r.size() <= 9) return 0;
  const double n = static_cast<double>(r.size() - 1);
  double mean_a = 0, mean_b = 0;
  for (size_t i = 1; i < r.size(); ++i) {
    mean_a += r[i - 1] / n;
    mean_b += r[i] / n;
  }
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 1; i < r.size(); ++i) {
    ab += (r[i - 1] - mean_a) * (r[i] - mean_b);
    aa += (r[i - 1] - mean_a) * (r[i - 1] - mean_a);
    bb += (r[i] - mean_b) * (r[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? std::clamp(ab / std::sqrt(aa * bb), 0.0, 0.9) : 0;
}

Step step_between(const Values& before, const Values& after, double s) {
  const double a = median(before), b = median(after);
  Values residuals;
  for (const double v : before) residuals.push_back(v - a);
  for (const double v : after) residuals.push_back(v - b);
  const Values sizes = absolute(residuals);
  // The second estimate sees noise of which the middle half is quiet.
  const double sd =
      std::max({kMadToSd * median(sizes), 0.9 * quantile(sizes, 0.8) / 1.2816, 0.7 * s});
  for (double& r : residuals) r = std::clamp(r, -3 * sd, 3 * sd);
  const double rho = neighbour_correlation(residuals);
  const double na = static_cast<double>(before.size()), nb = static_cast<double>(after.size());
  return {b - a, 1.253 * sd * std::sqrt((1 / na + 1 / nb) * (1 + rho) / (1 - rho))};
}

// Drops the weakest change until all stand.
void drop_weak(const Values& x, double s, const ChangePolicy& policy, std::vector<size_t>& cuts) {
  while (!cuts.empty()) {
    double worst = 0;
    std::optional<size_t> weakest;
    for (size_t k = 0; k < cuts.size(); ++k) {
      const size_t begin = k == 0 ? 0 : cuts[k - 1];
      const size_t end = k + 1 == cuts.size() ? x.size() : cuts[k + 1];
      const Step step = step_between(part(x, begin, cuts[k]), part(x, cuts[k], end), s);
      const double size = std::abs(step.change);
      // Of the two changes around a level of too few points the smaller one goes.
      double score = size / (1 + size) - 2;
      if (cuts[k] - begin >= policy.shortest && end - cuts[k] >= policy.shortest) {
        score = size < policy.least ? size / (1 + size) - 1
                                    : size - policy.z * step.standard_error - policy.least / 2;
      }
      if (score <= 0 && (!weakest || score < worst)) {
        worst = score;
        weakest = k;
      }
    }
    if (!weakest) return;
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(*weakest));
  }
}

constexpr double kAlike = 0.35;  // steps and levels are alike within this share of a step

// Is one of the steps from level `first` to `last` confirmed, and as large as the one to `last`?
bool has_confirmed(const Values& levels, const std::vector<size_t>& bounds, size_t first,
                   size_t last, const std::vector<size_t>& confirmed) {
  constexpr size_t kNear = 5;
  const double size = std::abs(levels[last] - levels[last - 1]);
  for (size_t k = first + 1; k <= last; ++k) {
    if (std::abs(std::abs(levels[k] - levels[k - 1]) - size) >= kAlike * size) continue;
    for (const size_t at : confirmed) {
      if ((at > bounds[k] ? at - bounds[k] : bounds[k] - at) <= kNear) return true;
    }
  }
  return false;
}

// Drops a short return to a level that was there before, unless a confirmed step lies between.
void drop_modes(const Values& x, const ChangePolicy& policy, const std::vector<size_t>& confirmed,
                std::vector<size_t>& cuts) {
  if (cuts.size() < 2) return;
  std::vector<size_t> bounds = {0};
  bounds.insert(bounds.end(), cuts.begin(), cuts.end());
  bounds.push_back(x.size());
  Values levels;
  for (size_t k = 0; k + 1 < bounds.size(); ++k) {
    levels.push_back(median(part(x, bounds[k], bounds[k + 1])));
  }
  cuts.clear();
  for (size_t k = 1; k < levels.size(); ++k) {
    bool seen = false;
    for (size_t j = 0; j + 1 < k; ++j) {
      seen |= std::abs(levels[k] - levels[j]) < kAlike * std::abs(levels[k] - levels[k - 1]) &&
              !has_confirmed(levels, bounds, j, k, confirmed);
    }
    if (!seen || bounds[k + 1] - bounds[k] >= policy.hold) cuts.push_back(bounds[k]);
  }
}

constexpr size_t kFewestOfASegment = 4;  // points whose median is a level

// The first point of the segment that a point is in.
size_t segment_begin(const std::vector<HistoryPoint>& history, size_t at) {
  while (at > 0 && history[at - 1].segment == history[at].segment) --at;
  return at;
}

// Logarithms, each new host or toolchain shifted onto the level of the one before. Levels are those
// of the dozen points around the border, as far as their segments go; one of fewer than four points
// stands on those before it, whose level it was given.
Values rebased(const std::vector<HistoryPoint>& history) {
  constexpr size_t kAround = 12;
  Values x;
  for (const HistoryPoint& p : history) {
    assert(p.value > 0);
    x.push_back(p.value);
  }
  // In units of its own median, so that another unit of time rounds alike.
  const double unit = median(x);
  for (double& v : x) v = std::log(v / unit);
  for (size_t e = 1; e < x.size(); ++e) {
    if (history[e].segment == history[e - 1].segment) continue;
    const size_t oldest = e > kAround ? e - kAround : 0;
    const size_t begin = segment_begin(history, e - 1);
    const bool is_level = e - begin >= kFewestOfASegment;
    const Values before = part(x, is_level ? std::max(oldest, begin) : oldest, e);
    size_t end = e + 1;
    while (end < x.size() && end < e + kAround && history[end].segment == history[e].segment) ++end;
    const double shift = median(part(x, e, end)) - median(before);
    for (size_t i = e; i < x.size(); ++i) x[i] -= shift;
  }
  return x;
}

// Standard errors by which a change clears half of the least one.
double clearance(const ChangePoint& c, const ChangePolicy& policy) {
  const double standard_error = std::log(c.hi / c.ratio) / policy.z;
  return (std::abs(std::log(c.ratio)) - policy.least / 2) / standard_error;
}

constexpr size_t kMostLooks = 4;  // in a row that a change is ever asked for

// Looks in a row that must show a change of that clearance while it is new.
size_t looks_of(double clearance, const TellPolicy& tell) {
  if (clearance >= tell.z_of_one) return 1;
  return clearance >= tell.z_of_two ? 2 : 3;
}

bool is_among(const ChangePoint& c, const std::vector<ChangePoint>& shown, size_t near) {
  return std::any_of(shown.begin(), shown.end(), [&](const ChangePoint& s) {
    const size_t apart = s.index > c.index ? s.index - c.index : c.index - s.index;
    return apart <= near && (s.ratio > 1) == (c.ratio > 1);
  });
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<HistoryPoint>& history,
                                       const ChangePolicy& policy,
                                       const std::vector<size_t>& confirmed) {
  if (history.size() < policy.fewest) return {};
  const Values x = rebased(history);
  const double s = noise_of(x);
  std::vector<size_t> cuts = Segmentation(x, s).changes();
  drop_weak(x, s, policy, cuts);
  drop_modes(x, policy, confirmed, cuts);
  std::vector<ChangePoint> found;
  for (size_t k = 0; k < cuts.size(); ++k) {
    const size_t begin = k == 0 ? 0 : cuts[k - 1];
    const size_t end = k + 1 == cuts.size() ? x.size() : cuts[k + 1];
    const Step step = step_between(part(x, begin, cuts[k]), part(x, cuts[k], end), s);
    const double half = policy.z * step.standard_error;
    found.push_back({cuts[k], std::exp(step.change), std::exp(step.change - half),
                     std::exp(step.change + half)});
  }
  return found;
}

std::vector<ChangePoint> told_changes(const std::vector<HistoryPoint>& history,
                                      const ChangePolicy& policy,
                                      const std::vector<size_t>& confirmed,
                                      const TellPolicy& tell) {
  std::vector<ChangePoint> told = change_points(history, policy, confirmed);
  const auto age = [&](const ChangePoint& c) { return history.size() - c.index; };
  std::erase_if(told, [&](const ChangePoint& c) { return age(c) > tell.oldest; });
  const auto asks_for = [&](const ChangePoint& c, size_t look) {
    const size_t looks = looks_of(clearance(c, policy), tell) + (age(c) >= tell.late ? 1 : 0);
    return look <= looks;
  };
  for (size_t look = 2; look <= kMostLooks; ++look) {
    if (std::none_of(told.begin(), told.end(),
                     [&](const ChangePoint& c) { return asks_for(c, look); })) {
      break;
    }
    const auto fewer = static_cast<std::ptrdiff_t>(history.size() - (look - 1));
    const auto shown = change_points({history.begin(), history.begin() + fewer}, policy, confirmed);
    std::erase_if(told, [&](const ChangePoint& c) {
      return asks_for(c, look) && !is_among(c, shown, tell.near);
    });
  }
  return told;
}

std::optional<double> trip_ratio(const std::vector<HistoryPoint>& history) {
  constexpr size_t kFewest = 12, kLevel = 12;
  if (history.size() < kFewest) return std::nullopt;
  if (history.size() - segment_begin(history, history.size() - 1) < kFewestOfASegment) {
    return std::nullopt;
  }
  const Values x = rebased(history);
  const Values before = part(x, x.size() - 1 - std::min(x.size() - 1, kLevel), x.size() - 1);
  const double change = x.back() - median(before), noise = noise_of(part(x, 0, x.size() - 1));
  if (std::abs(change) <= 4 * noise || std::abs(change) < std::log1p(0.03)) return std::nullopt;
  return std::exp(change);
}

bool trips(const std::vector<HistoryPoint>& history) { return trip_ratio(history).has_value(); }

}  // namespace nsop::stats
