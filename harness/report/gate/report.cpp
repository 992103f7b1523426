#include "harness/report/gate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/text.h"
#include "harness/judge/gate/verdict.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/advice.h"
#include "harness/report/gate/checks.h"
#include "harness/report/gate/footer.h"
#include "harness/report/gate/rows.h"

namespace nsop::report {
namespace {

constexpr size_t kShortCommit = 12;

std::string counted(size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

struct Counts {
  size_t rows = 0, timed = 0, controls = 0, worse = 0, declared = 0, better = 0, unjudged = 0,
         inconclusive = 0, fresh = 0, same = 0;
  size_t identical = 0, lost = 0, failed = 0;
};

Counts counts_of(const GateRecord& gate) {
  Counts n;
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (row.row.canary) {
      ++n.controls;
      continue;
    }
    ++n.rows;
    n.timed += row.row.kind == judge::RowKind::kBoth && failure_of(row).empty();
    const GateGroup group = group_of(row);
    n.worse += group == GateGroup::kWorse;
    n.declared += group == GateGroup::kDeclared;
    n.better += group == GateGroup::kBetter;
    n.unjudged += group == GateGroup::kUnjudged;
    n.inconclusive += group == GateGroup::kInconclusive;
    n.fresh += group == GateGroup::kNew;
    n.same += group == GateGroup::kSame && row.row.kind != judge::RowKind::kIdentical;
    n.identical += row.row.kind == judge::RowKind::kIdentical;
    n.lost += row.row.kind == judge::RowKind::kLost;
    n.failed += !failure_of(row).empty();
  }
  return n;
}

// Worse by more than a time: what failed, is gone or allocates more does so however it was built.
bool is_worse_without_times(const judge::GateRowResult& row) {
  if (row.row.canary || group_of(row) != GateGroup::kWorse) return false;
  return !failure_of(row).empty() || row.row.kind == judge::RowKind::kLost ||
         judge::allocates_more(row);
}

bool base_is_merge_base(const GateRecord& gate) {
  return gate.plan.merge_base.empty() || gate.plan.base.commit.empty() ||
         gate.plan.merge_base == gate.plan.base.commit;
}

// What makes a build: not its commit, its hash or its link order.
std::vector<std::string> makings(const std::vector<Build>& builds) {
  std::set<std::string> out;
  for (const Build& b : builds) {
    out.insert(fmt::format("{}, {}, {}, {}", b.compiler, b.flags, b.build_type, b.libc));
  }
  return {out.begin(), out.end()};
}

bool built_alike(const GateRecord& gate) {
  return gate.base_builds.empty() || gate.head_builds.empty() ||
         makings(gate.base_builds) == makings(gate.head_builds);
}

// Why what was measured may not be what the change did; empty: it is.
std::string not_comparable(const GateRecord& gate) {
  if (!base_is_merge_base(gate)) return "the base is not the merge base";
  if (!built_alike(gate)) return "base and head were built differently";
  return {};
}

std::string findings_text(const Counts& n) {
  std::vector<std::string> parts;
  if (n.worse > 0) parts.push_back(counted(n.worse, "regression", "regressions"));
  if (n.declared > 0) {
    parts.push_back(counted(n.declared, "declared regression", "declared regressions"));
  }
  if (n.better > 0) parts.push_back(counted(n.better, "improvement", "improvements"));
  if (n.unjudged > 0) {
    parts.push_back(counted(n.unjudged, "row not judged", "rows not judged"));
  }
  if (n.inconclusive > 0)
    parts.push_back(counted(n.inconclusive, "row inconclusive", "rows inconclusive"));
  if (n.fresh > 0) parts.push_back(counted(n.fresh, "new row", "new rows"));
  if (n.worse == 0) parts.insert(parts.begin(), "no regression");
  return join(parts, ", ");
}

// `kind` (passed, worse, inconclusive, error) is what a script may rely on, `headline` what people
// read.
Json verdict_json(const GateRecord& gate, const Counts& n) {
  const std::string findings = findings_text(n), doubt = not_comparable(gate);
  const auto made = [](const char* kind, const std::string& text) {
    return Json{{"kind", kind}, {"headline", text}};
  };
  if (gate.run.state != RunState::kComplete) {
    return made("inconclusive", "no verdict: the gate was interrupted");
  }
  const judge::GateOutcome outcome = judge::outcome_of(gate.result);
  const bool beyond_doubt =
      outcome == judge::GateOutcome::kWorse &&
      std::any_of(gate.result.rows.begin(), gate.result.rows.end(), is_worse_without_times);
  if (!doubt.empty() && beyond_doubt) {
    return made("worse", fmt::format("{}: action needed; times are in doubt: {}", findings, doubt));
  }
  if (!doubt.empty()) return made("inconclusive", "no verdict: " + doubt + " (" + findings + ")");
  if (n.rows == 0) {  // identical builds are not timed; anything else without rows judged nothing
    return gate.plan.identical && n.controls == 0
               ? made("passed", "the machine code is identical: no action needed")
               : made("error", "no verdict: the plan has no row");
  }
  switch (outcome) {
    case judge::GateOutcome::kWorse:
      return made("worse", findings + ": action needed");
    case judge::GateOutcome::kVoid:
      return made("inconclusive", "no verdict: the machine changed while it was measuring");
    case judge::GateOutcome::kUnjudged:
      return made("inconclusive", fmt::format("no verdict: the base failed on {} of {} rows ({})",
                                              n.unjudged, n.rows, findings));
    case judge::GateOutcome::kInconclusive:
      return made("inconclusive", fmt::format("no verdict: {} of {} timed rows inconclusive",
                                              n.inconclusive, n.timed));
    case judge::GateOutcome::kPassed:
      break;
  }
  return made("passed", findings + ": no action needed");
}

Json span(const char* kind, const std::string& text) { return {{"kind", kind}, {"text", text}}; }

void add_arm(Json& line, const judge::GateSide& arm, const std::string& role) {
  if (arm.commit.empty()) {
    line.push_back(span("code", arm.label));
    line.push_back(span("text", "(" + role + ", a program of unknown commit)"));
    return;
  }
  line.push_back(span("code", arm.commit.substr(0, kShortCommit)));
  line.push_back(span("text", "(" + role + ")"));
}

// Head against base, and how equal the two were treated.
Json equality_json(const GateRecord& gate) {
  Json line = Json::array();
  add_arm(line, gate.plan.head, "head");
  line.push_back(span("text", "against"));
  const bool known = !gate.plan.merge_base.empty() && !gate.plan.base.commit.empty();
  add_arm(line, gate.plan.base,
          !known                     ? "base"
          : base_is_merge_base(gate) ? "base: the merge base, exactly"
                                     : "base: NOT the merge base");
  std::string how = built_alike(gate) ? "same compiler and flags" : "built DIFFERENTLY";
  how += ", same machine, measured alternately, ";
  how += gate.plan.layouts == 1 ? std::string("one link order each")
                                : fmt::format("{} link orders of each", gate.plan.layouts);
  const bool again =
      std::ranges::any_of(gate.result.rows, [](const auto& r) { return r.second.has_value(); });
  if (gate.plan.fresh_layouts && again) {
    how += fmt::format(" ({} others in the second session)", gate.plan.layouts);
  }
  line.push_back(span("text", "on " + gate.host.cpu_model + ": " + how + "."));
  return line;
}

std::string counts_text(const Counts& n) {
  return fmt::format(
      "{}: {} same, {} identical, {} worse (of these {} lost, {} failed), {} worse as "
      "declared, {} better, {} not judged, {} inconclusive, {} new; and {}.",
      counted(n.rows, "row", "rows"), n.same, n.identical, n.worse, n.lost, n.failed, n.declared,
      n.better, n.unjudged, n.inconclusive, n.fresh, counted(n.controls, "control", "controls"));
}

Json warnings_json(const GateRecord& gate) {
  Json out = Json::array();
  if (!base_is_merge_base(gate)) {
    out.push_back(fmt::format(
        "the merge base is {}: a difference may come from commits that only the base has; measure "
        "with --merge-base",
        gate.plan.merge_base.substr(0, kShortCommit)));
  }
  if (!built_alike(gate)) {
    out.push_back("base: " + join(makings(gate.base_builds), "; ") +
                  ". Head: " + join(makings(gate.head_builds), "; "));
  }
  if (!gate.result.void_reason.empty()) {
    out.push_back("void: " + gate.result.void_reason +
                  "; other programs disturbed the machine, no time was judged: measure again");
  }
  if (judge::outcome_of(gate.result) == judge::GateOutcome::kUnjudged) {
    out.push_back(
        "the base crashes, hangs or gives wrong results on rows, so nothing is known of how fast "
        "the "
        "head is there: measure against a base that works");
  }
  if (gate.plan.probe.noisy)
    out.push_back("the machine was noisy from the start: " + probe_text(gate.plan.probe));
  if (gate.plan.layouts == 1 && !gate.plan.identical) {
    out.push_back("one link order each: an offset by layout can't be told from a change");
  }
  if (gate.run.trust != "local" && gate.run.trust != "ci") {
    out.push_back(
        "these numbers come from a job that ran the proposed code, which could have written any");
  }
  return out;
}

Json group_json(const GateRecord& gate, GateGroup group, const char* id, const char* title,
                bool folded) {
  Json out = {{"id", id}, {"title", title}, {"folded", folded}};
  out["table"] = gate_table(rows_of(gate, group));
  return out;
}

Json groups_json(const GateRecord& gate) {
  return {group_json(gate, GateGroup::kWorse, "worse", "Worse", false),
          group_json(gate, GateGroup::kDeclared, "declared", "Worse, as declared", false),
          group_json(gate, GateGroup::kUnjudged, "unjudged", "Not judged: the base failed", false),
          group_json(gate, GateGroup::kBetter, "better", "Better", false),
          group_json(gate, GateGroup::kInconclusive, "inconclusive", "Inconclusive", false),
          group_json(gate, GateGroup::kNew, "new", "New", true)};
}

}  // namespace

std::string probe_text(const judge::HostProbe& probe) {
  if (!probe.failure.empty()) return probe.failure;
  if (probe.paired_sd == 0) return {};
  return fmt::format(
      "paired SD {}, {} of the repetitions preempted, {:.1f} % of the time stolen, load {:.1f}",
      share_text(probe.paired_sd), share_text(probe.preempted_share), probe.steal_percent,
      probe.load1);
}

void must_have_head(const GateRecord& gate, const std::string& commit) {
  const std::string& head = gate.plan.head.commit;
  if (head == commit) return;
  throw bad_data(fmt::format("gate {} measured head {}, expected {}", short_id(gate.run.id),
                             head.empty() ? "unknown" : head, commit));
}

Json build_gate_report(const GateRecord& gate) {
  const Counts n = counts_of(gate);
  Json out;
  out["schema"] = "nsop.gate-report/1";
  out["run"] = gate.run.id;
  out["head_commit"] = gate.plan.head.commit;
  out["base_commit"] = gate.plan.base.commit;
  out["verdict"] = verdict_json(gate, n);
  out["equality"] = equality_json(gate);
  out["counts"] = counts_text(n);
  out["warnings"] = warnings_json(gate);
  out["forest"] = forest_json(gate);
  out["advice"] = advice_json(gate);
  out["groups"] = groups_json(gate);
  out["all"] = all_rows_table(gate);
  out["families"] = family_table(gate);
  out["footer"] = gate_footer(gate);
  out["command"] = gate.plan.command;
  out["rule"] = gate_rule_text(gate);
  out["tests"] = gate_tests(gate);
  out["annotations"] = gate_annotations(gate);
  return out;
}

ExitCode exit_of_gate(const Json& report) {
  return report["verdict"]["kind"] == "worse" ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace nsop::report
