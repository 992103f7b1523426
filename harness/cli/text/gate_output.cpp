#include "harness/cli/text/gate_output.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"
#include "harness/judge/gate/verdict.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/instructions.h"
#include "harness/report/gate/report.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

using judge::GateRowResult;
using stats::Verdict;

std::string interval_of(const GateRowResult& r) {
  const stats::GateDecision& d = r.first.decision;
  if (d.rounds == 0) return "-";
  return fmt::format("[{}, {}]", report::change_text(d.change().lo - 1),
                     report::change_text(d.change().hi - 1));
}

std::string allocs_of(const GateRowResult& r) {
  const auto text = [](const std::optional<AllocCounts>& a) {
    return a ? report::count_text(a->allocs_per_op) : std::string("n/a");
  };
  const std::string base = text(r.base_allocs), head = text(r.head_allocs);
  return base == head ? head : base + " -> " + head;
}

std::string note_of(const GateRowResult& r) {
  const std::string instructions = report::instructions_text(r);
  return r.note + (r.note.empty() || instructions.empty() ? "" : "; ") + instructions;
}

// Null where nobody asked for them.
Json instructions_json(const GateRowResult& r) {
  const auto side = [](const std::optional<InstructionCounts>& counts) {
    return counts ? to_json(*counts) : Json();
  };
  if (!r.base_instructions && !r.head_instructions) return {};
  const auto change = report::instruction_change(r);
  return {{"base", side(r.base_instructions)},
          {"head", side(r.head_instructions)},
          {"change", change ? Json(*change) : Json()}};
}

const char* statistic_text(stats::Statistic statistic) {
  constexpr std::array kNames = {"fastest", "excess", "first"};
  return kNames.at(static_cast<size_t>(statistic));
}

Json interval_json(const stats::RatioInterval& r) {
  return {{"ratio", r.ratio}, {"lo", r.lo}, {"hi", std::isfinite(r.hi) ? Json(r.hi) : Json()}};
}

Json session_json(const judge::SessionRow& s) {
  Json rounds = Json::array();
  Json excess = Json::array(), first = Json::array();
  const auto known = [](double value) { return std::isnan(value) ? Json() : Json(value); };
  for (const stats::PairedRound& r : s.rounds) {
    rounds.push_back({r.log_ratio, r.cluster});
    excess.push_back(known(r.log_excess));
    first.push_back(known(r.log_first));
  }
  const stats::GateDecision& d = s.decision;
  return {{"verdict", stats::verdict_text(d.verdict)},
          {"rounds", d.rounds},
          {"ratio", d.change().ratio},
          {"lo", d.change().lo},
          {"hi", std::isfinite(d.change().hi) ? Json(d.change().hi) : Json()},
          {"by", statistic_text(d.by)},
          {"fastest", interval_json(d.of(stats::Statistic::kFastest))},
          {"excess", interval_json(d.of(stats::Statistic::kExcess))},
          {"first", interval_json(d.of(stats::Statistic::kFirst))},
          {"sd", d.sd},
          {"alpha", d.alpha},
          {"note", d.note},
          {"log_ratios", std::move(rounds)},
          {"log_excesses", std::move(excess)},
          {"log_firsts", std::move(first)}};
}

Json result_json(const judge::GateResult& result, const judge::GateArms& arms,
                 const std::string& run_id, const judge::HostProbe& probe) {
  Json rows = Json::array();
  for (const GateRowResult& r : result.rows) {
    rows.push_back(gate_row_json(r));
  }
  return {{"schema", "nsop.gate/1"},
          {"run", run_id},
          {"base", {{"label", arms.base.label}, {"commit", arms.base.commit}}},
          {"head", {{"label", arms.head.label}, {"commit", arms.head.commit}}},
          {"layouts", arms.orders.session},
          {"fresh_layouts", arms.orders.fresh},
          {"void", result.void_reason},
          {"probe", judge::probe_json(probe)},
          {"seconds", result.seconds},
          {"rows", std::move(rows)}};
}

// Rows that nothing is known of, because the base failed there: said before everything else.
std::string unjudged_text(const judge::GateResult& result) {
  size_t n = 0, rows = 0;
  const GateRowResult* example = nullptr;  // a control only if nothing else failed
  for (const GateRowResult& r : result.rows) {
    const bool failed = r.verdict == Verdict::kIncomparable;
    rows += !r.row.canary;
    n += failed && !r.row.canary;
    if (failed && (example == nullptr || example->row.canary)) example = &r;
  }
  if (example == nullptr) return {};
  const std::string what = n > 0 ? fmt::format("on {} of {} rows", n, rows) : "on a control row";
  return fmt::format(
      "not judged: the base failed {}, e.g. {} ({}); name a base that works, or accept that by "
      "--inconclusive=pass\n",
      what, example->row.key.text(), example->note);
}

}  // namespace

Json gate_row_json(const judge::GateRowResult& r) {
  return {{"case", r.row.key.case_text},
          {"variant", r.row.key.variant},
          {"target", r.row.key.target},
          {"threads", r.row.key.threads},
          {"control", r.row.canary},
          {"verdict", stats::verdict_text(r.verdict)},
          {"note", r.note},
          {"identical", r.row.kind == judge::RowKind::kIdentical},
          {"declared", r.is_declared},
          {"instructions", instructions_json(r)},
          {"first", session_json(r.first)},
          {"second", r.second ? session_json(*r.second) : Json()}};
}

void print_gate_rows(Context& context, const judge::GateResult& result,
                     const std::map<RowKey, std::string>& nodes) {
  std::vector<Column> columns = {{"verdict"},           {"case"},
                                 {"variant"},           {"threads", true},
                                 {"time change", true}, {"interval", true},
                                 {"rounds", true},      {"SD", true},
                                 {"allocs/op", true},   {"note"}};
  if (!nodes.empty()) columns.push_back({"node"});
  Table table(columns);
  for (const Verdict v : {Verdict::kWorse, Verdict::kIncomparable, Verdict::kInconclusive,
                          Verdict::kBetter, Verdict::kNew, Verdict::kSame}) {
    for (const GateRowResult& r : result.rows) {
      if (r.verdict != v) continue;
      const stats::GateDecision& d = r.first.decision;
      const char* mark = r.row.canary ? " (control)" : r.is_declared ? " (declared)" : "";
      std::vector<std::string> cells = {
          stats::verdict_text(v) + mark,
          r.row.key.case_text,
          r.row.key.variant + "@" + r.row.key.target,
          fmt::format("{}", r.row.key.threads),
          d.rounds == 0 ? "-" : report::change_text(d.change().ratio - 1),
          interval_of(r),
          fmt::format("{}", r.first.rounds.size()),
          d.rounds == 0 ? "-" : fmt::format("{:.1f} %", 100 * d.sd),
          allocs_of(r),
          note_of(r)};
      if (!nodes.empty()) cells.push_back(nodes.at(r.row.key));
      table.add(cells);
    }
  }
  table.print(context.out);
}

std::string gate_counts_text(const judge::GateResult& result) {
  std::map<Verdict, int> counts;
  for (const GateRowResult& r : result.rows) ++counts[r.verdict];
  std::string text;
  for (const auto& [verdict, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, stats::verdict_text(verdict));
  }
  return text;
}

ExitCode show_gate(Context& context, const judge::GateResult& result, const judge::GateArms& arms,
                   const std::string& run_id, const judge::HostProbe& probe) {
  const judge::GateOutcome outcome = judge::outcome_of(result);
  const ExitCode code = judge::exit_of(outcome);
  if (context.json) {
    context.out << result_json(result, arms, run_id, probe).dump(2) << '\n';
    return code;
  }
  context.out << unjudged_text(result);
  print_gate_rows(context, result);
  int identical = 0;
  for (const GateRowResult& r : result.rows) {
    identical += r.row.kind == judge::RowKind::kIdentical;
  }
  std::string text = gate_counts_text(result);
  if (identical > 0)
    text += fmt::format("; {} run the same machine code and were not timed", identical);
  context.out << fmt::format("{} against {}: {} rows: {}; {} of measuring\n", arms.head.label,
                             arms.base.label, result.rows.size(), text,
                             run::duration_text(result.seconds));
  if (!result.void_reason.empty()) {
    context.out << "void: " << result.void_reason
                << "; other programs disturbed the machine, try again\n";
  }
  const std::string before = report::probe_text(probe);
  if (judge::is_too_noisy(outcome) && !before.empty()) {
    context.out << fmt::format("too noisy to judge; the machine before: {}\n", before);
  }
  context.out << fmt::format("stored as {}; report: nsop report --gate {}\n", short_id(run_id),
                             short_id(run_id));
  return code;
}

ExitCode say_identical(Context& context, const judge::GateArms& arms, const std::string& run_id) {
  if (context.json) {
    context.out << Json{{"schema", "nsop.gate/1"},
                        {"run", run_id},
                        {"base", {{"label", arms.base.label}, {"commit", arms.base.commit}}},
                        {"head", {{"label", arms.head.label}, {"commit", arms.head.commit}}},
                        {"identical", true},
                        {"rows", Json::array()}}
                       .dump(2)
                << '\n';
    return ExitCode::kOk;
  }
  context.out << fmt::format(
      "{} and {} are identical: kernels, core and engine are the same "
      "objects ({}); nothing was timed (--time-identical does)\n",
      arms.base.label, arms.head.label, arms.head.objects_sha256.substr(0, 12));
  context.out << fmt::format("stored as {}; report: nsop report --gate {}\n", short_id(run_id),
                             short_id(run_id));
  return ExitCode::kOk;
}

}  // namespace nsop::cli
