#include "harness/report/gate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/format.h"
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
         unclear = 0, fresh = 0, same = 0;
  size_t identical = 0, lost = 0, failed = 0;
};

Counts counts_of(const GateView& gate) {
  Counts n;
  for (const GateRowView& row : gate.rows) {
    if (row.control) {
      ++n.controls;
      continue;
    }
    ++n.rows;
    n.timed += row.presence == GatePresence::kBoth && row.failure.empty();
    const GateGroup group = group_of(row);
    n.worse += group == GateGroup::kWorse;
    n.declared += group == GateGroup::kDeclared;
    n.better += group == GateGroup::kBetter;
    n.unjudged += group == GateGroup::kUnjudged;
    n.unclear += group == GateGroup::kUnclear;
    n.fresh += group == GateGroup::kNew;
    n.same += group == GateGroup::kSame && row.presence != GatePresence::kIdentical;
    n.identical += row.presence == GatePresence::kIdentical;
    n.lost += row.presence == GatePresence::kLost;
    n.failed += !row.failure.empty();
  }
  return n;
}

bool counts_more(const std::optional<stats::Comparison>& count) {
  return count && count->verdict == stats::Verdict::kWorse;
}

// Worse by more than a time: what failed, is gone or allocates more does so however it was built.
bool is_worse_without_times(const GateRowView& row) {
  if (row.control || group_of(row) != GateGroup::kWorse) return false;
  return !row.failure.empty() || row.presence == GatePresence::kLost || counts_more(row.allocs) ||
         counts_more(row.bytes);
}

bool base_is_merge_base(const GateView& gate) {
  return gate.merge_base.empty() || gate.base.commit.empty() || gate.merge_base == gate.base.commit;
}

// What makes a build: not its commit, its hash or its link order.
std::vector<std::string> makings(const std::vector<Build>& builds) {
  std::set<std::string> out;
  for (const Build& b : builds) {
    out.insert(fmt::format("{}, {}, {}, {}", b.compiler, b.flags, b.build_type, b.libc));
  }
  return {out.begin(), out.end()};
}

bool built_alike(const GateView& gate) {
  return gate.base.builds.empty() || gate.head.builds.empty() ||
         makings(gate.base.builds) == makings(gate.head.builds);
}

// Why what was measured may not be what the change did; empty: it is.
std::string not_comparable(const GateView& gate) {
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
  if (n.unclear > 0) parts.push_back(counted(n.unclear, "row unclear", "rows unclear"));
  if (n.fresh > 0) parts.push_back(counted(n.fresh, "new row", "new rows"));
  if (n.worse == 0) parts.insert(parts.begin(), "no regression");
  return join(parts, ", ");
}

// `kind` is what a script may rely on, `headline` what people read.
Json verdict_json(const GateView& gate, const Counts& n) {
  const std::string findings = findings_text(n), doubt = not_comparable(gate);
  const auto made = [](const char* kind, const std::string& text) {
    return Json{{"kind", kind}, {"headline", text}};
  };
  if (gate.run.state != RunState::kComplete) {
    return made("inconclusive", "no verdict: the gate was interrupted");
  }
  const bool beyond_doubt = gate.state == GateState::kWorse &&
                            std::any_of(gate.rows.begin(), gate.rows.end(), is_worse_without_times);
  if (!doubt.empty() && beyond_doubt) {
    return made("worse", fmt::format("{}: action needed; times are in doubt: {}", findings, doubt));
  }
  if (!doubt.empty()) return made("inconclusive", "no verdict: " + doubt + " (" + findings + ")");
  switch (gate.state) {
    case GateState::kWorse:
      return made("worse", findings + ": action needed");
    case GateState::kVoid:
      return made("inconclusive", "no verdict: the machine changed while it was measuring");
    case GateState::kUnjudged:
      return made("inconclusive", fmt::format("no verdict: the base failed on {} of {} rows ({})",
                                              n.unjudged, n.rows, findings));
    case GateState::kUndecided:
      return made("inconclusive",
                  fmt::format("no verdict: {} of {} timed rows unclear", n.unclear, n.timed));
    case GateState::kIdentical:
      return made("passed", "the machine code is identical: no action needed");
    case GateState::kPassed:
      break;
  }
  return made("passed", findings + ": no action needed");
}

Json span(const char* kind, const std::string& text) { return {{"kind", kind}, {"text", text}}; }

void add_arm(Json& line, const GateArmView& arm, const std::string& role) {
  if (arm.commit.empty()) {
    line.push_back(span("code", arm.label));
    line.push_back(span("text", "(" + role + ", a program of unknown commit)"));
    return;
  }
  line.push_back(span("code", arm.commit.substr(0, kShortCommit)));
  line.push_back(span("text", "(" + role + ")"));
}

// Head against base, and how equal the two were treated.
Json equality_json(const GateView& gate) {
  Json line = Json::array();
  add_arm(line, gate.head, "head");
  line.push_back(span("text", "against"));
  const bool known = !gate.merge_base.empty() && !gate.base.commit.empty();
  add_arm(line, gate.base,
          !known                     ? "base"
          : base_is_merge_base(gate) ? "base: the merge base, exactly"
                                     : "base: NOT the merge base");
  std::string how = built_alike(gate) ? "same compiler and flags" : "built DIFFERENTLY";
  how += ", same machine, measured alternately, ";
  how += gate.layouts == 1 ? std::string("one link order each")
                           : fmt::format("{} link orders of each", gate.layouts);
  const bool again =
      std::ranges::any_of(gate.rows, [](const auto& r) { return r.second.has_value(); });
  if (gate.fresh_layouts && again) {
    how += fmt::format(" ({} others in the second session)", gate.layouts);
  }
  line.push_back(span("text", "on " + gate.host.cpu_model + ": " + how + "."));
  return line;
}

std::string counts_text(const Counts& n) {
  return fmt::format(
      "{}: {} same, {} identical, {} worse (of these {} lost, {} failed), {} worse as "
      "declared, {} better, {} not judged, {} unclear, {} new; and {}.",
      counted(n.rows, "row", "rows"), n.same, n.identical, n.worse, n.lost, n.failed, n.declared,
      n.better, n.unjudged, n.unclear, n.fresh, counted(n.controls, "control", "controls"));
}

Json warnings_json(const GateView& gate) {
  Json out = Json::array();
  if (!base_is_merge_base(gate)) {
    out.push_back(fmt::format(
        "the merge base is {}: a difference may come from commits that only the base has; measure "
        "with --merge-base",
        gate.merge_base.substr(0, kShortCommit)));
  }
  if (!built_alike(gate)) {
    out.push_back("base: " + join(makings(gate.base.builds), "; ") +
                  ". Head: " + join(makings(gate.head.builds), "; "));
  }
  if (!gate.void_reason.empty()) {
    out.push_back("void: " + gate.void_reason +
                  "; other programs disturbed the machine, no time was judged: measure again");
  }
  if (gate.state == GateState::kUnjudged) {
    out.push_back(
        "the base crashes, hangs or gives wrong results on rows, so nothing is known of how fast "
        "the "
        "head is there: measure against a base that works");
  }
  if (gate.probe_noisy) out.push_back("the machine was noisy from the start: " + gate.probe);
  if (gate.layouts == 1 && gate.state != GateState::kIdentical) {
    out.push_back("one link order each: an offset by layout can't be told from a change");
  }
  if (gate.run.trust != "local" && gate.run.trust != "ci") {
    out.push_back(
        "these numbers come from a job that ran the proposed code, which could have written any");
  }
  return out;
}

Json group_json(const GateView& gate, GateGroup group, const char* id, const char* title,
                bool folded) {
  Json out = {{"id", id}, {"title", title}, {"folded", folded}};
  out["table"] = gate_table(rows_of(gate, group));
  return out;
}

Json groups_json(const GateView& gate) {
  return {group_json(gate, GateGroup::kWorse, "worse", "Worse", false),
          group_json(gate, GateGroup::kDeclared, "declared", "Worse, as declared", false),
          group_json(gate, GateGroup::kUnjudged, "unjudged", "Not judged: the base failed", false),
          group_json(gate, GateGroup::kBetter, "better", "Better", false),
          group_json(gate, GateGroup::kUnclear, "unclear", "Unclear", false),
          group_json(gate, GateGroup::kNew, "new", "New", true)};
}

}  // namespace

Json build_gate_report(const GateView& gate) {
  const Counts n = counts_of(gate);
  Json out;
  out["schema"] = "nsop.gate-report/1";
  out["run"] = gate.run.id;
  out["head_commit"] = gate.head.commit;
  out["base_commit"] = gate.base.commit;
  out["verdict"] = verdict_json(gate, n);
  out["equality"] = equality_json(gate);
  out["counts"] = counts_text(n);
  out["warnings"] = warnings_json(gate);
  out["groups"] = groups_json(gate);
  out["all"] = all_rows_table(gate);
  out["families"] = family_table(gate);
  out["footer"] = gate_footer(gate);
  out["command"] = gate.command;
  out["rule"] = gate_rule_text(gate);
  out["tests"] = gate_tests(gate);
  out["annotations"] = gate_annotations(gate);
  return out;
}

}  // namespace nsop::report
