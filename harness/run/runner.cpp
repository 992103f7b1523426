#include "harness/run/runner.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/planned_note.h"
#include "harness/core/tensor/random.h"
#include "harness/run/workers/interrupt.h"
#include "harness/stats/base/robust.h"

namespace nsop::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostAgain = 2;  // times that a row is measured again

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps this process off the CPUs that are measured, where there is another.
void move_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Of one operation; at least one repetition.
double fastest_ns(const Invocation& invocation) {
  double least = std::numeric_limits<double>::infinity();
  for (const Repetition& r : invocation.repetitions) {
    least = std::min(least, static_cast<double>(r.wall_ns) / static_cast<double>(r.iterations));
  }
  return least;
}

// Between invocations.
double relative_sd(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return stats::scaled_mad(values);
}

}  // namespace

Runner::Runner(const Plan& plan, const std::vector<Worker>& workers, OracleCache& oracle,
               std::string scratch, Observer& observer)
    : plan_(plan),
      workers_(workers),
      oracle_(oracle),
      scratch_(std::move(scratch)),
      observer_(observer),
      allowed_cpus_(read_conditions().allowed_cpus),
      states_(plan.rows.size()) {
  for (size_t i = 0; i < states_.size(); ++i) states_[i].rounds = plan.profile.rounds;
}

RunOutcome Runner::run(const std::string& run_id, const Done& done,
                       const std::function<void(const Invocation&)>& sink) {
  run_id_ = run_id;
  sink_ = sink;
  if (allowed_cpus_.size() > 1) {
    move_to({allowed_cpus_.begin(), allowed_cpus_.end() - 1});
  }
  skip_done(done);
  const auto start = Clock::now();
  count_all(done);
  counting_s_ = seconds_since(start);
  time_all(done);
  if (!allowed_cpus_.empty()) move_to(allowed_cpus_);
  return outcome_;
}

// The last allowed CPUs; the runner stays on the first.
Invocation Runner::measure(size_t index, Phase phase, int round) {
  const PlanRow& row = plan_.rows[index];
  Invocation invocation;
  if (!row.unsupported.empty()) {
    invocation.id = new_uuid();
    invocation.phase = phase;
    invocation.build_id = workers_[row.worker].build.id;
    invocation.row = row.key;
    invocation.status = Status::kUnsupported;
    invocation.reason = row.unsupported;
    invocation.at_utc = utc_now();
    return invocation;
  }
  try {
    const ReferenceData& first = oracle_.get(row.key.case_text, kFirstSeed);
    const ReferenceData& second = oracle_.get(row.key.case_text, kSecondSeed);
    const InvokeContext context{workers_[row.worker],
                                plan_.cases.at(row.key.case_text),
                                first,
                                second,
                                oracle_,
                                worker_cpus(allowed_cpus_, row.key.threads),
                                scratch_,
                                plan_.profile.measure,
                                &kept_,
                                round == 0};
    LoadedFacts& facts = states_[index].facts;
    invocation = phase == Phase::kCount ? count_row(row.key, context, &facts)
                                        : time_row(row.key, context, &facts);
  } catch (const WorkerFailure& failure) {  // of the reference
    invocation.id = new_uuid();
    invocation.phase = phase;
    invocation.build_id = workers_[row.worker].build.id;
    invocation.row = row.key;
    invocation.status = Status::kError;
    invocation.reason = std::string("reference: ") + failure.what();
    invocation.at_utc = utc_now();
  }
  return invocation;
}

void Runner::emit(size_t index, Invocation invocation, int round, int slot) {
  RowState& state = states_[index];
  invocation.run_id = run_id_;
  invocation.round = round;
  invocation.slot = slot;
  if (!state.note.empty()) invocation.warnings.push_back(state.note);
  sink_(invocation);
  ++outcome_.done;
  if (invocation.phase == Phase::kTime && invocation.status == Status::kOk) {
    state.values.push_back(fastest_ns(invocation));
  }
  if (ends_row(index, invocation.phase, invocation.status)) state.dropped = true;
  if (invocation.status != Status::kOk && invocation.status != Status::kUnsupported) {
    ++outcome_.failed;
  }
  observer_.finished(invocation);
}

// A row whose allocations can't be counted is timed all the same; a wrong one never is.
bool Runner::ends_row(size_t index, Phase phase, Status status) const {
  const bool only_uncounted = phase == Phase::kCount && status == Status::kUnsupported &&
                              plan_.rows[index].unsupported.empty();
  return status != Status::kOk && !only_uncounted;
}

void Runner::skip_done(const Done& done) {
  for (size_t i = 0; i < plan_.rows.size(); ++i) {
    for (const auto& [slot, status] : done) {
      const auto& [phase, round, row] = slot;
      if (row == plan_.rows[i].key && ends_row(i, phase, status)) states_[i].dropped = true;
    }
  }
}

void Runner::count_all(const Done& done) {
  for (size_t i = 0; i < plan_.rows.size(); ++i) {
    throw_if_interrupted();
    const RowKey& key = plan_.rows[i].key;
    // What can't be measured says so once, in place of its first time.
    const Phase phase = plan_.rows[i].unsupported.empty() ? Phase::kCount : Phase::kTime;
    if (done.contains({phase, 0, key})) continue;
    observer_.progress(key, outcome_.done, planned(), seconds_to_tell(0));
    emit(i, measure(i, phase, 0), 0, static_cast<int>(i));
  }
}

// Cases in the shuffled order of the round; within a case its rows, forwards in even rounds and
// backwards in odd ones (ABBA), so that drift hits all variants alike.
std::vector<size_t> Runner::order_of(int round) const {
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < plan_.rows.size(); ++i) {
    if (i == 0 || plan_.rows[i].key.case_text != plan_.rows[i - 1].key.case_text)
      groups.push_back({});
    groups.back().push_back(i);
  }
  SplitMix64 generator(plan_.seed + static_cast<uint64_t>(round));
  for (size_t i = groups.size(); i > 1; --i) std::swap(groups[i - 1], groups[generator.next() % i]);
  std::vector<size_t> order;
  for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
  if (round % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

int64_t Runner::planned() const {
  int64_t total = 0;
  for (const RowState& state : states_) total += 1 + (state.dropped ? 0 : state.rounds);
  return total;
}

double Runner::seconds_left(int round) const {
  double total = 0;
  for (const RowState& state : states_) {
    if (state.dropped) continue;
    const double one = state.seconds > 0 ? state.seconds : 0.08;
    total += one * std::max(0, state.rounds - std::max(round, state.next_round));
  }
  return total;
}

// What takes how long is not known before the first of it was timed.
double Runner::seconds_to_tell(int round) const {
  const bool known = std::any_of(states_.begin(), states_.end(),
                                 [](const RowState& state) { return state.seconds > 0; });
  return known ? seconds_left(round) : std::numeric_limits<double>::quiet_NaN();
}

void Runner::time_round(int round, const Done& done) {
  int slot = 0;
  for (const size_t i : order_of(round)) {
    RowState& state = states_[i];
    if (state.dropped || round >= state.rounds) continue;
    if (done.contains({Phase::kTime, round, plan_.rows[i].key})) {
      state.next_round = round + 1;
      continue;
    }
    throw_if_interrupted();
    observer_.progress(plan_.rows[i].key, outcome_.done, planned(), seconds_to_tell(round));
    state.next_round = round + 1;
    const auto start = Clock::now();
    Invocation invocation = measure(i, Phase::kTime, round);
    const double took = seconds_since(start);
    state.seconds = state.seconds > 0 ? std::min(state.seconds, took) : took;
    emit(i, std::move(invocation), round, slot++);
  }
  kept_.quit_all();
}

void Runner::time_all(const Done& done) {
  const auto start = Clock::now();
  const int rounds = plan_.profile.rounds;
  for (int round = 0; round < rounds; ++round) {
    time_round(round, done);
    outcome_.timing_s = seconds_since(start);
    fit_to_budget(round + 1);
  }
  for (int session = 1; session <= kMostAgain && ask_again(session * rounds); ++session) {
    for (int round = session * rounds; round < (session + 1) * rounds; ++round) {
      time_round(round, done);
    }
    outcome_.timing_s = seconds_since(start);
  }
}

// Gives rows that may not differ so much between invocations as many rounds again; false where
// there is none.
bool Runner::ask_again(int rounds_done) {
  bool any = false;
  for (size_t i = 0; i < states_.size(); ++i) {
    RowState& state = states_[i];
    const std::optional<double>& most = plan_.rows[i].most_sd;
    if (!most || state.dropped || state.values.size() < 2) continue;
    const double sd = relative_sd(state.values);
    if (sd <= *most) continue;
    state.rounds = rounds_done + plan_.profile.rounds;
    state.note = fmt::format("{}measured again: {} invocations differed by {:.0f} % (relative SD)",
                             kPlannedNote, state.values.size(), 100 * sd);
    any = true;
  }
  return any;
}

// Takes rounds from rows that would exceed their budget, then, while the whole exceeds its own,
// from the rows with the most time still to come.
void Runner::fit_to_budget(int rounds_done) {
  const auto cut_to = [&](RowState& state, int rounds, const std::string& why) {
    outcome_.dropped_rounds += state.rounds - rounds;
    state.rounds = rounds;
    state.note = why;
  };
  for (RowState& state : states_) {
    if (state.dropped || state.seconds <= 0) continue;
    const int fits = std::max({rounds_done, plan_.profile.fewest_rounds,
                               static_cast<int>(plan_.profile.row_budget_s / state.seconds)});
    if (fits < state.rounds) {
      cut_to(state, fits,
             fmt::format("{}{} invocations instead of {}: one takes {:.1f} s", kPlannedNote, fits,
                         plan_.profile.rounds, state.seconds));
    }
  }
  if (plan_.profile.total_budget_s <= 0) return;
  const double budget = plan_.profile.total_budget_s - counting_s_ - outcome_.timing_s;
  while (seconds_left(rounds_done) > budget) {
    const auto left = [&](const RowState& s) {
      return s.dropped || s.rounds <= rounds_done ? 0.0 : s.seconds * (s.rounds - rounds_done);
    };
    const auto most =
        std::max_element(states_.begin(), states_.end(),
                         [&](const auto& a, const auto& b) { return left(a) < left(b); });
    if (left(*most) <= 0) break;
    cut_to(*most, most->rounds - 1,
           fmt::format("{}{} invocations instead of {}: the run may take {:.0f} s", kPlannedNote,
                       most->rounds - 1, plan_.profile.rounds, plan_.profile.total_budget_s));
  }
}

}  // namespace nsop::run
