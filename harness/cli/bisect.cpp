// nsop bisect: which commit changed a case, by measuring commits against the good one.
#include "harness/judge/nightly/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/cli/duration.h"
#include "harness/cli/numbers.h"
#include "harness/cli/session.h"
#include "harness/core/io/json.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/report/base/format.h"
#include "harness/run/interrupt.h"

namespace nsop::cli {
namespace {

using judge::GateRowResult;
using judge::Purpose;
using judge::short_commit;
using judge::Side;
using stats::Verdict;

// What `git bisect run` understands as "this commit can't be judged".
constexpr auto kCantJudge = static_cast<ExitCode>(125);

struct BisectOptions {
  std::string good, bad = "HEAD", line, variant = "hwy", budget = "2m";
  int threads = 1, layouts = judge::kLinkOrders;
  std::optional<uint64_t> seed;
  double lock_wait_s = 600;
  bool step = false;
};

void declare_bisect(CLI::App& verb, BisectOptions& o) {
  verb.add_option("case", o.line, "Case line")->required();
  verb.add_option("--good", o.good, "Revision before the change")->required();
  verb.add_option("--bad", o.bad, "Revision after it (default HEAD)");
  verb.add_option("--variant", o.variant, "Variant, e.g. hwy or hwy@AVX2 (default hwy)");
  verb.add_option("--threads", o.threads, "Threads (1)")->check(CLI::Range(1, 4096));
  declare_layouts(verb, o.layouts, "Link orders of each build");
  verb.add_option("--budget", o.budget, "Time of each comparison that stays open, e.g. 90s");
  declare_seed(verb, o.seed);
  declare_lock_wait(verb, o.lock_wait_s);
  verb.add_flag("--step", o.step,
                "Judge the commit that is checked out: exit 0 good, 1 bad, 125 can't be judged; "
                "for `git bisect run`");
}

judge::LabOptions lab_options(const Context& context, const BisectOptions& o) {
  judge::LabOptions lab;
  lab.place = {context.settings.root, judge::default_builds_folder()};
  lab.gate.layouts = o.layouts;
  lab.gate.budget_s = parse_seconds("--budget", o.budget);
  lab.gate.seed = seed_of(o.seed);
  lab.lock_wait_s = o.lock_wait_s;
  lab.tool_version = NSOP_VERSION;
  return lab;
}

// The one row that is meant, with the target that this machine's worker would choose.
RowKey row_of(const BisectOptions& o, const Programs& programs) {
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  const run::Plan plan =
      run::make_plan({{o.line, "", {Selector::parse(o.variant)}, {o.threads}}}, programs.workers,
                     reference, run::profile_named("manual"), 0);
  if (plan.rows.size() != 1) {
    throw usage_error(fmt::format("'{}' is {} cases: bisect takes one", o.line, plan.rows.size()));
  }
  if (!plan.rows[0].unsupported.empty()) throw usage_error(plan.rows[0].unsupported);
  return plan.rows[0].key;
}

// What changed between two commits.
struct Change {
  judge::SuspectKind kind = judge::SuspectKind::kStep;
  double ratio = 1;
  std::string text;
};

std::string text_of(const GateRowResult& r) {
  const stats::GateDecision& d = r.first.decision;
  if (!r.first.reason.empty()) return r.first.reason;
  if (d.rounds == 0) return r.note;
  return fmt::format("{} [{}, {}]", report::change_text(d.ratio - 1), report::change_text(d.lo - 1),
                     report::change_text(d.hi - 1));
}

const GateRowResult& the_row(const judge::GateResult& gate, const RowKey& row) {
  if (!gate.void_reason.empty()) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("the session is void: {}; the machine is too noisy, try again later",
                            gate.void_reason));
  }
  const GateRowResult* result = judge::result_of(gate, row);
  if (result == nullptr) throw Error(ExitCode::kInconclusive, row.text() + ": was not measured");
  return *result;
}

// Throws Error (inconclusive) unless there is a change to search for.
Change change_between(const judge::GateResult& gate, const RowKey& row, const BisectOptions& o) {
  const GateRowResult& r = the_row(gate, row);
  Change change{judge::SuspectKind::kStep, r.first.decision.ratio, text_of(r)};
  if (r.first.base != Status::kOk) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} can't be measured itself: {}", o.good, r.first.reason));
  }
  const Verdict time = r.first.decision.verdict;
  if (r.first.head != Status::kOk) {
    change.kind = judge::SuspectKind::kFailure;
  } else if (r.verdict == Verdict::kWorse && time != Verdict::kWorse) {
    change.kind = judge::SuspectKind::kCount;
    change.text = r.note;
  } else if (r.verdict != Verdict::kWorse && r.verdict != Verdict::kBetter) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} against {}: {} ({}); there is no change to search for", o.bad,
                            o.good, stats::verdict_text(r.verdict), r.note));
  }
  return change;
}

ExitCode show(Context& context, const judge::RevisionLab& lab, const judge::Culprit& culprit,
              const Change& change, const std::string& subject) {
  if (context.json) {
    context.out << Json{{"schema", "nsop.bisect/1"},      {"case", culprit.row.case_text},
                        {"variant", culprit.row.variant}, {"target", culprit.row.target},
                        {"threads", culprit.row.threads}, {"change", change.text},
                        {"ratio", change.ratio},          {"last_good", culprit.last_good},
                        {"first_bad", culprit.first_bad}, {"subject", subject},
                        {"candidates", culprit.between},  {"judged", culprit.judged}}
                       .dump(2)
                << '\n';
  } else {
    context.out << fmt::format("{}\nfirst bad commit: {} {}\nlast good commit: {}\nchange: {}\n",
                               culprit.row.text(), culprit.first_bad, subject, culprit.last_good,
                               change.text);
    for (const std::string& commit : culprit.between) {
      context.out << fmt::format("or: {} (can't be judged)\n", commit);
    }
    context.note(fmt::format("{} comparisons", lab.comparisons()));
  }
  return culprit.between.empty() ? ExitCode::kOk : ExitCode::kInconclusive;
}

const char* side_text(Side side) {
  switch (side) {
    case Side::kGood:
      return "good";
    case Side::kBad:
      return "bad";
    case Side::kOpen:
      return "open";
    case Side::kUnknown:
      break;
  }
  return "can't be judged";
}

ExitCode search(Context& context, const BisectOptions& o, judge::RevisionLab& lab,
                const RowKey& row) {
  const std::vector<std::string> line = lab.line(o.good, o.bad);
  context.note(fmt::format("{} commit{}, {} steps after the first comparison if each can be judged",
                           line.size() - 1, line.size() == 2 ? "" : "s",
                           judge::bisect_steps(line.size())));
  const Change change =
      change_between(lab.compare(line.front(), line.back(), {row}, Purpose::kFinding), row, o);
  context.note(fmt::format("{} against {}: {}", o.bad, o.good, change.text));
  const auto culprits = judge::bisect(line, {row}, [&](const std::string& commit, const auto&) {
    std::map<RowKey, Side> sides;
    try {
      const judge::GateResult gate = lab.compare(line.front(), commit, {row}, Purpose::kStep);
      if (!gate.void_reason.empty()) {
        sides[row] = Side::kOpen;
        context.note(fmt::format("{}: {} (the session is void: {})", short_commit(commit),
                                 side_text(sides[row]), gate.void_reason));
        return sides;
      }
      const GateRowResult& r = the_row(gate, row);
      sides[row] = judge::side_of(r, change.kind, change.ratio);
      context.note(
          fmt::format("{}: {} ({})", short_commit(commit), side_text(sides[row]), text_of(r)));
    } catch (const Error& error) {
      context.note(fmt::format("{}: can't be judged: {}", short_commit(commit), error.what()));
    }
    return sides;
  });
  return show(context, lab, culprits[0], change, lab.subject(culprits[0].first_bad));
}

// One commit against the good one: for `git bisect run`, which needs 125 for what can't be judged.
ExitCode judge_step(Context& context, const BisectOptions& o, judge::RevisionLab& lab,
                    const RowKey& row) {
  const judge::GateResult gate = lab.compare(o.good, "HEAD", {row}, Purpose::kFinding);
  const GateRowResult& r = the_row(gate, row);
  context.note(fmt::format("{}: {} ({})", o.good, stats::verdict_text(r.verdict), text_of(r)));
  if (r.first.base != Status::kOk) return kCantJudge;
  if (r.verdict == Verdict::kWorse) return ExitCode::kFailed;
  return r.verdict == Verdict::kSame || r.verdict == Verdict::kBetter ? ExitCode::kOk : kCantJudge;
}

ExitCode run_bisect(Context& context, const BisectOptions& o) {
  const Programs programs = open_programs(context.settings);
  const RowKey row = row_of(o, programs);
  const judge::LabOptions options = lab_options(context, o);
  judge::commit_of(options.place, o.good);
  if ((o.step || o.bad == "HEAD") && judge::is_dirty(options.place)) {
    context.note("uncommitted changes are not measured: only commits are");
  }
  store::Store store(context.settings.db);
  judge::RevisionLab lab(options, programs.reference, store,
                         [&](const std::string& text) { context.note(text); });
  return o.step ? judge_step(context, o, lab, row) : search(context, o, lab, row);
}

ExitCode bisect_verb(Context& context, const BisectOptions& o) {
  if (!o.step) return run_bisect(context, o);
  // Any other code of ours would be taken for "bad".
  try {
    return run_bisect(context, o);
  } catch (const Error& error) {
    context.err << "nsop: can't judge: " << error.what() << std::endl;
  } catch (const run::WorkerFailure& failure) {
    context.err << "nsop: can't judge: " << failure.what() << std::endl;
  }
  return kCantJudge;
}

}  // namespace

void add_bisect(CLI::App& app, Context& context) {
  add_verb<BisectOptions>(app, context, "bisect", "Find the commit that changed a case",
                          declare_bisect, bisect_verb);
}

}  // namespace nsop::cli
