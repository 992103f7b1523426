#include "harness/stats/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "harness/stats/gate/look.h"

namespace nsop::stats {
namespace {

constexpr double kMostAlpha = 0.5;    // of a look, however often its alpha is taken
constexpr double kMostRounds = 1000;  // numbers beyond that are not worth naming

std::string percent_tenths(double log_change) {
  return fmt::format("{:.1f} %", std::ceil(1000 * std::expm1(log_change) - 1e-6) / 10);
}

// `+41.3 % [+35.0 %, +48.1 %]`
std::string change_text(const RatioInterval& r) {
  return fmt::format("{:+.1f} % [{:+.1f} %, {:+.1f} %]", 100 * (r.ratio - 1), 100 * (r.lo - 1),
                     100 * (r.hi - 1));
}

// Rounds after which an interval around the same mean, with the same spread, would decide: one of
// the next look, whose confidence may be higher.
std::string what_it_takes(std::span<const PairedRound> rounds, const LogInterval& fastest,
                          const Look& look, const GatePolicy& policy, const VariancePrior& prior) {
  const std::vector<Look> looks = all_looks(policy);
  const auto next = std::find_if(looks.begin(), looks.end(),
                                 [&](const Look& one) { return one.rounds > look.rounds; });
  const double size = std::abs(fastest.middle);
  const double to_same = std::log1p(policy.same) - size;
  const double to_worth = size - std::log1p(policy.worth);
  const double gap = std::max(to_same, to_worth);
  const double width =
      half_width(rounds, next == looks.end() ? look.alpha : next->alpha, prior) / gap;
  const double needed =
      gap > 0 ? look.rounds * width * width : std::numeric_limits<double>::infinity();
  const std::string now = fmt::format("interval +/-{}: ", percent_tenths(fastest.half()));
  if (needed <= looks.back().rounds) {
    return now + fmt::format("needs about {:.0f} rounds", std::ceil(needed));
  }
  const std::string about =
      needed > kMostRounds ? "" : fmt::format(" (about {:.0f})", std::ceil(needed));
  return now + fmt::format("more than {} rounds would be needed{}", looks.back().rounds, about);
}

// What could hide at most on either side of an interval.
double most_hidden(double lo, double hi) { return std::max(std::abs(lo), std::abs(hi)); }

// The interval of first operations that `same` may rest on: of the quickest ones where the mean of
// all is too wide.
const LogInterval& firsts_of(const Looked& looked, const GatePolicy& policy) {
  const LogInterval& all = looked.of(Statistic::kFirst);
  const bool by_quickest =
      !all.within(policy.first_same) && looked.quickest_firsts.within(policy.first_same);
  return by_quickest ? looked.quickest_firsts : all;
}

std::string same_note(const Looked& looked, const GatePolicy& policy) {
  const LogInterval& fastest = looked.of(Statistic::kFastest);
  const LogInterval& excess = looked.of(Statistic::kExcess);
  std::string note = "no change >= " + percent_tenths(most_hidden(fastest.lo, fastest.hi));
  if (looks_at(policy, Statistic::kExcess)) {
    note += ", of the mean repetition >= " +
            percent_tenths(most_hidden(fastest.lo + excess.lo, fastest.hi + excess.hi));
  }
  const LogInterval& first = firsts_of(looked, policy);
  if (looks_at(policy, Statistic::kFirst) && first.is_known()) {
    note += &first == &looked.quickest_firsts ? ", of the quickest first operations >= "
                                              : ", of the first operation >= ";
    note += percent_tenths(most_hidden(first.lo, first.hi));
  }
  return note;
}

// The statistic as a note names it.
const char* name_of(Statistic statistic) {
  constexpr std::array kNames = {"the fastest repetition", "the mean repetition over the fastest",
                                 "the first operation of a process"};
  return kNames.at(static_cast<size_t>(statistic));
}

std::string by_another(const GateDecision& d) {
  return fmt::format("of {}; the fastest repetition: {}", name_of(d.by),
                     change_text(d.of(Statistic::kFastest)));
}

// Does the statistic keep a row from being the same? Of first operations that aren't known nothing
// is said.
bool speaks_against(const Looked& looked, Statistic statistic, const GatePolicy& policy) {
  if (!looks_at(policy, statistic)) return false;
  if (statistic == Statistic::kFirst) {
    const LogInterval& firsts = firsts_of(looked, policy);
    return firsts.is_known() && (looked.firsts_moved || !firsts.within(policy.first_same));
  }
  const LogInterval& interval = looked.of(statistic);
  return !interval.within(margins_of(policy, statistic).same);
}

// Why a row whose fastest repetitions are the same is not called the same; empty: it is.
std::string why_not_same(const Looked& looked, const Look& look, const GateDecision& d,
                         const GatePolicy& policy) {
  const bool fastest_alone = !looks_at(policy, Statistic::kExcess);
  if (fastest_alone) return {};
  if (!looked.of(Statistic::kExcess).is_known()) {
    return "only the fastest repetitions tell: most others were interrupted";
  }
  for (const Statistic statistic : {Statistic::kExcess, Statistic::kFirst}) {
    if (!speaks_against(looked, statistic, policy)) continue;
    return fmt::format("the fastest repetitions are the same, {} may not be: {}",
                       name_of(statistic), change_text(d.of(statistic)));
  }
  if (looked.lopsided) {
    return "a few processes lie far from the others, on one side: not the same in each process";
  }
  if (look.rounds < policy.same_rounds) {
    return fmt::format("needs {} rounds to be called the same", policy.same_rounds);
  }
  return {};
}

// What the statistics say of a change.
struct Findings {
  std::optional<Statistic> worse, better;  // the first that says so
};

Findings findings_of(const Looked& looked, const GatePolicy& policy) {
  Findings found;
  for (const Statistic statistic : kStatistics) {
    if (!looks_at(policy, statistic)) continue;
    const double worth = margins_of(policy, statistic).worth;
    if (!found.worse && looked.of(statistic).above(worth)) found.worse = statistic;
    if (!found.better && looked.of(statistic).below(worth)) found.better = statistic;
  }
  return found;
}

// Sets the verdict of one look: worse or better by one statistic, where no other says the contrary.
void conclude(std::span<const PairedRound> rounds, const Looked& looked, const Look& look,
              const GatePolicy& policy, const VariancePrior& prior, GateDecision& d) {
  const Findings found = findings_of(looked, policy);
  if (found.worse && found.better) {
    d.note = fmt::format("{}: {}; {}: {}", name_of(*found.worse), change_text(d.of(*found.worse)),
                         name_of(*found.better), change_text(d.of(*found.better)));
    return;
  }
  if (found.worse || found.better) {
    d.verdict = found.worse ? Verdict::kWorse : Verdict::kBetter;
    d.by = found.worse ? *found.worse : *found.better;
    if (d.by != Statistic::kFastest) d.note = by_another(d);
    return;
  }
  const LogInterval& fastest = looked.of(Statistic::kFastest);
  if (!fastest.within(policy.same)) {
    d.note = what_it_takes(rounds, fastest, look, policy, prior);
    return;
  }
  d.note = why_not_same(looked, look, d, policy);
  if (!d.note.empty()) return;
  d.verdict = Verdict::kSame;
  d.intervals.at(static_cast<size_t>(Statistic::kFirst)) = firsts_of(looked, policy).ratios();
  d.note = same_note(looked, policy);
}

// What a look at these rounds says.
void decide_at(std::span<const PairedRound> rounds, const Look& look, const GatePolicy& policy,
               const VariancePrior& prior, GateDecision& d) {
  const Looked looked = look_at(rounds, look.alpha, policy, prior);
  if (!looked.of(Statistic::kFastest).is_known()) return;  // too few clusters
  d.rounds = look.rounds;
  for (const Statistic statistic : kStatistics) {
    d.intervals.at(static_cast<size_t>(statistic)) = looked.of(statistic).ratios();
  }
  d.sd = looked.sd;
  d.note.clear();
  conclude(rounds, looked, look, policy, prior, d);
}

// How many statistics are looked at.
int statistics_of(const GatePolicy& policy) {
  return static_cast<int>(std::count_if(kStatistics.begin(), kStatistics.end(),
                                        [&](Statistic one) { return looks_at(policy, one); }));
}

}  // namespace

std::vector<Look> all_looks(const GatePolicy& policy) {
  std::vector<Look> looks = policy.looks;
  looks.insert(looks.end(), policy.further.begin(), policy.further.end());
  return looks;
}

GatePolicy confirming(GatePolicy policy) {
  for (auto* looks : {&policy.looks, &policy.further}) {
    for (Look& look : *looks) look.alpha = std::min(policy.confirming * look.alpha, kMostAlpha);
  }
  return policy;
}

bool sessions_multiply(const GatePolicy& policy) { return policy.confirming > 1; }

Margins margins_of(const GatePolicy& policy, Statistic statistic) {
  switch (statistic) {
    case Statistic::kExcess:
      return {policy.excess_worth, policy.excess_same};
    case Statistic::kFirst:
      return {policy.first_worth, policy.first_same};
    default:
      return {policy.worth, policy.same};
  }
}

bool looks_at(const GatePolicy& policy, Statistic statistic) {
  return margins_of(policy, statistic).same > 0;
}

double total_alpha(const GatePolicy& policy) {
  double alpha = 0;
  for (const Look& look : all_looks(policy)) alpha += look.alpha;
  return statistics_of(policy) * alpha;
}

GateDecision decide_gate(std::span<const PairedRound> rounds, const GatePolicy& policy,
                         std::span<const VariancePrior> priors) {
  GateDecision d;
  d.note = "too few rounds";
  const std::vector<Look> looks = all_looks(policy);
  for (size_t i = 0; i < looks.size(); ++i) {
    const auto seen = static_cast<size_t>(looks[i].rounds);
    if (rounds.size() < seen) return d;
    d.alpha += statistics_of(policy) * looks[i].alpha;
    const VariancePrior prior = i < priors.size() ? priors[i] : VariancePrior{};
    decide_at(rounds.first(seen), looks[i], policy, prior, d);
    if (d.verdict != Verdict::kInconclusive) break;
  }
  return d;
}

double gate_p_value(std::span<const PairedRound> rounds, const GatePolicy& policy) {
  double least = 1;
  for (const Statistic statistic : kStatistics) {
    if (!looks_at(policy, statistic)) continue;
    least = std::min(least, p_value(rounds, statistic, margins_of(policy, statistic).worth));
  }
  return std::min(1.0, statistics_of(policy) * least);  // Bonferroni
}

std::vector<bool> discoveries(const std::vector<double>& p_values, double q) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  size_t last = 0;  // how many of the smallest are discoveries
  const double count = static_cast<double>(p_values.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (p_values[order[i]] <= q * static_cast<double>(i + 1) / count) last = i + 1;
  }
  std::vector<bool> found(p_values.size(), false);
  for (size_t i = 0; i < last; ++i) found[order[i]] = true;
  return found;
}

}  // namespace nsop::stats
