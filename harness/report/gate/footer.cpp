#include "harness/report/gate/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/rows.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

bool was_judged(const judge::GateRowResult& row) {
  return row.first.decision.rounds > 0 && failure_of(row).empty();
}

std::string noise_text(const GateRecord& gate) {
  std::vector<double> sd;
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (was_judged(row)) sd.push_back(row.first.decision.sd);
  }
  if (sd.empty()) return "nothing was timed";
  return fmt::format("paired SD of the median row {}, of the noisiest {}",
                     share_text(stats::median(sd)),
                     share_text(*std::max_element(sd.begin(), sd.end())));
}

std::string controls_text(const GateRecord& gate) {
  std::string text;
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (!row.row.canary || !was_judged(row)) continue;
    text += (text.empty() ? "" : "; ") + row.row.key.case_text + " " +
            change_with_interval(row.first.decision);
  }
  return text.empty() ? "none were timed"
                      : "frozen code, the base's build in both arms, should stay at 0: " + text;
}

// The smallest change that a row which is the same would have shown.
std::string could_have_seen(const GateRecord& gate) {
  std::vector<double> sizes;
  for (const judge::GateRowResult* row : rows_of(gate, GateGroup::kSame)) {
    if (was_judged(*row))
      sizes.push_back(
          std::max(row->first.decision.change().hi, 1 / row->first.decision.change().lo) - 1);
  }
  if (sizes.empty()) return "nothing: no row was called the same";
  return fmt::format("a change of {} in the median row that is the same, of {} in the worst",
                     share_text(stats::median(sizes)),
                     share_text(*std::max_element(sizes.begin(), sizes.end())));
}

std::string rounds_text(const GateRecord& gate) {
  int rounds = 0, most = 0, rows = 0;
  for (const judge::GateRowResult& row : gate.result.rows) {
    rounds += rounds_of(row);
    most = std::max(most, rounds_of(row));
    rows += rounds_of(row) > 0;
  }
  if (rows == 0) return "nothing was timed";
  return fmt::format("{:.1f} per row on average, {} at most; seed {}",
                     static_cast<double>(rounds) / rows, most, gate.run.seed);
}

// Of names of targets that nobody else uses; empty: no row has one.
std::string targets_text(const GateRecord& gate) {
  const bool avx3 = std::ranges::any_of(gate.result.rows, [](const judge::GateRowResult& row) {
    return row.row.key.target.starts_with("AVX3");
  });
  return avx3 ? kAvx3Text : "";
}

const Build* first_of(const std::vector<Build>& builds) {
  return builds.empty() ? nullptr : &builds.front();
}

void add(Json& items, const char* label, const std::string& text) {
  if (!text.empty()) items.push_back({{"label", label}, {"text", text}});
}

}  // namespace

Json gate_footer(const GateRecord& gate) {
  Json items = Json::array();
  add(items, "Host", host_text(gate.host));
  add(items, "System", system_text(gate.run.conditions));
  add(items, "Probe", probe_text(gate.plan.probe));
  if (const Build* base = first_of(gate.base_builds)) add(items, "Base build", build_text(*base));
  if (const Build* head = first_of(gate.head_builds)) add(items, "Head build", build_text(*head));
  add(items, "Targets", targets_text(gate));
  add(items, "Noise", noise_text(gate));
  add(items, "Controls", controls_text(gate));
  add(items, "Could have seen", could_have_seen(gate));
  add(items, "Rounds", rounds_text(gate));
  const bool excess = stats::looks_at(gate.plan.policy, stats::Statistic::kExcess);
  add(items, "Method",
      std::string(
          "base and head alternately, every invocation a process of its own; its value is "
          "its fastest repetition (CPU time at one thread, unpreempted wall time at more)") +
          (excess ? ", and beside it the mean of its repetitions over the fastest, and its first "
                    "operation"
                  : "") +
          "; what is judged is head / base by round; times shown are wall times");
  return items;
}

std::string gate_rule_text(const GateRecord& gate) {
  double rows = 0;
  for (const judge::GateRowResult& row : gate.result.rows)
    rows += rounds_of(row) > 0 && !row.row.canary;
  // At a margin only one direction is wrong; half of alpha lies in each.
  const double once = rows * stats::total_alpha(gate.plan.policy) / 2;
  const double twice = once * stats::total_alpha(stats::confirming(gate.plan.policy)) / 2;
  const bool multiply = gate.plan.second_session && stats::sessions_multiply(gate.plan.policy);
  const stats::GatePolicy& policy = gate.plan.policy;
  const auto of_others = [&](double stats::Margins::*margin) {
    if (!stats::looks_at(policy, stats::Statistic::kExcess)) return std::string();
    return fmt::format(" ({} of the mean repetition over the fastest, {} of the first operation)",
                       share_text(stats::margins_of(policy, stats::Statistic::kExcess).*margin),
                       share_text(stats::margins_of(policy, stats::Statistic::kFirst).*margin));
  };
  std::string text = fmt::format("Worse or better: the whole interval lies beyond {}{}",
                                 share_text(policy.worth), of_others(&stats::Margins::worth));
  if (gate.plan.second_session)
    text += multiply ? ", in two independent sessions" : ", in two sessions";
  text += fmt::format(", at a false discovery rate of {}. Same: within {}{}. ",
                      share_text(gate.plan.false_discovery_rate), share_text(policy.same),
                      of_others(&stats::Margins::same));
  text += fmt::format("Expected false alarms in this report: at most {}",
                      significant(multiply ? twice : once));
  if (multiply) {
    text += fmt::format(" if both sessions err independently of each other ({} after one session)",
                        significant(once));
  }
  return text + fmt::format(", even if each of the {} timed rows had changed by exactly {}{}.",
                            count_text(rows), share_text(policy.worth),
                            of_others(&stats::Margins::worth));
}

}  // namespace nsop::report
