// nsop bisect, a verb (verbs.h): which commit changed a case, by measuring commits against the good
// one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/cli/session.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/judge/nightly/search.h"
#include "harness/report/base/format.h"
#include "harness/run/job.h"

namespace nsop::cli {
namespace {

using judge::GateRowResult;
using judge::Purpose;
using judge::short_commit;
using judge::Side;

struct BisectOptions {
  std::string good, bad = "HEAD", line, variant, budget = "2m";
  int threads = 1, layouts = judge::kLinkOrders;
  std::optional<uint64_t> seed;
  double lock_wait_s = 600;
  bool step = false;
};

void declare_bisect(CLI::App& verb, BisectOptions& o) {
  verb.add_option("case", o.line, "Case line")->required();
  verb.add_option("--good", o.good, "Revision before the change")->required();
  verb.add_option("--bad", o.bad, "Revision after it (default HEAD)");
  verb.add_option("--variant", o.variant,
                  "Variant, e.g. hwy or hwy@AVX2 (default hwy; of a program, its adapter)");
  verb.add_option("--threads", o.threads, "Threads (1)")->check(CLI::Range(1, 4096));
  declare_layouts(verb, o.layouts, "Link orders of each build");
  verb.add_option("--budget", o.budget, "Most time of each comparison, e.g. 90s");
  declare_seed(verb, o.seed);
  declare_lock_wait(verb, o.lock_wait_s);
  verb.add_flag("--step", o.step,
                "Judge the commit that is checked out: exit 0 good, 1 bad, 125 can't be judged; "
                "for `git bisect run`");
}

// The variant that is asked for; else the only one, as a program has; else hwy.
Selector variant_of(const BisectOptions& o, const run::Programs& programs) {
  if (!o.variant.empty()) return Selector::parse(o.variant);
  const auto& variants = programs.workers[0].hello.variants;
  const auto of_op = [&](const auto& variant) { return variant.op == case_op(o.line); };
  if (std::count_if(variants.begin(), variants.end(), of_op) == 1) {
    return {std::find_if(variants.begin(), variants.end(), of_op)->name};
  }
  return {"hwy"};
}

// The one row that is meant, with the target that this machine's worker would choose.
RowKey row_of(const BisectOptions& o, const run::Programs& programs) {
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  const run::Plan plan =
      run::make_plan({{o.line, "", {variant_of(o, programs)}, {o.threads}}}, programs.workers,
                     reference, run::profile_named("manual"), 0);
  if (plan.rows.size() != 1) {
    throw usage_error(fmt::format("'{}' is {} cases: bisect takes one", o.line, plan.rows.size()));
  }
  if (!plan.rows[0].unsupported.empty()) throw usage_error(plan.rows[0].unsupported);
  return plan.rows[0].key;
}

std::string text_of(const GateRowResult& r) {
  const stats::GateDecision& d = r.first.decision;
  if (!r.first.reason.empty()) return r.first.reason;
  if (d.rounds == 0) return r.note;
  return fmt::format("{} [{}, {}]", report::change_text(d.change().ratio - 1),
                     report::change_text(d.change().lo - 1),
                     report::change_text(d.change().hi - 1));
}

std::string text_of(const judge::Change& change) {
  return change.kind == judge::SuspectKind::kCount ? change.result.note : text_of(change.result);
}

ExitCode show(Context& context, const judge::RevisionLab& lab, const judge::Culprit& culprit,
              const judge::Change& change, const std::string& subject) {
  if (context.json) {
    context.out << Json{{"schema", "nsop.bisect/1"},
                        {"case", culprit.row.case_text},
                        {"variant", culprit.row.variant},
                        {"target", culprit.row.target},
                        {"threads", culprit.row.threads},
                        {"change", text_of(change)},
                        {"ratio", change.result.first.decision.change().ratio},
                        {"last_good", culprit.last_good},
                        {"first_bad", culprit.first_bad},
                        {"subject", subject},
                        {"candidates", culprit.between},
                        {"judged", culprit.judged}}
                       .dump(2)
                << '\n';
  } else {
    context.out << fmt::format("{}\nfirst bad commit: {} {}\nlast good commit: {}\nchange: {}\n",
                               culprit.row.text(), culprit.first_bad, subject, culprit.last_good,
                               text_of(change));
    for (const std::string& commit : culprit.between) {
      context.out << fmt::format("or: {} (can't be judged)\n", commit);
    }
    context.note(fmt::format("{} comparisons", lab.comparisons()));
  }
  return judge::exit_of(culprit);
}

const char* side_text(Side side) {
  switch (side) {
    case Side::kGood:
      return "good";
    case Side::kBad:
      return "bad";
    case Side::kInconclusive:
      return "inconclusive";
    case Side::kUnknown:
      break;
  }
  return "can't be judged";
}

// A step that judged nothing says why; a void session is inconclusive, and its reason is said, too.
std::string step_text(const judge::SearchStep& step) {
  const std::string commit = short_commit(step.commit);
  if (step.result != nullptr) {
    return fmt::format("{}: {} ({})", commit, side_text(step.side), text_of(*step.result));
  }
  if (step.side == Side::kUnknown) return fmt::format("{}: can't be judged: {}", commit, step.why);
  return fmt::format("{}: {} (the session is void: {})", commit, side_text(step.side), step.why);
}

ExitCode search(Context& context, const BisectOptions& o, judge::RevisionLab& lab,
                const RowKey& row) {
  const std::vector<std::string> line = lab.line(o.good, o.bad);
  context.note(fmt::format("{} commit{}, {} steps after the first comparison if each can be judged",
                           line.size() - 1, line.size() == 2 ? "" : "s",
                           judge::bisect_steps(line.size())));
  const judge::Change change = judge::change_between(
      lab.compare(line.front(), line.back(), {row}, Purpose::kFinding), row, o.good, o.bad);
  context.note(fmt::format("{} against {}: {}", o.bad, o.good, text_of(change)));
  const judge::Culprit culprit =
      judge::search_change(line, row, change, lab,
                           [&](const judge::SearchStep& step) { context.note(step_text(step)); });
  return show(context, lab, culprit, change, lab.subject(culprit.first_bad));
}

// One commit against the good one, for `git bisect run`.
ExitCode compare_step(Context& context, const BisectOptions& o, judge::RevisionLab& lab,
                      const RowKey& row) {
  const judge::GateResult gate = lab.compare(o.good, "HEAD", {row}, Purpose::kFinding);
  const GateRowResult& r = judge::result_in(gate, row);
  context.note(fmt::format("{}: {} ({})", o.good, stats::verdict_text(r.verdict), text_of(r)));
  return judge::exit_of_step(r);
}

ExitCode run_bisect(Context& context, const BisectOptions& o) {
  if (!context.settings.foreign.adapter.empty()) context.settings.revision = o.good;
  const run::Programs programs = run::open_programs(program_places(context.settings));
  const RowKey row = row_of(o, programs);
  const judge::LabOptions options =
      lab_options(context.settings, {o.layouts, o.budget, o.seed, o.lock_wait_s});
  judge::commit_of(options.place, o.good);
  if ((o.step || o.bad == "HEAD") && judge::is_dirty(options.place)) {
    context.note("uncommitted changes are not measured: only commits are");
  }
  store::Store store(context.settings.db);
  const run::Worker controls = controls_worker(context.settings, programs);
  judge::RevisionLab lab(options, controls, store,
                         [&](const std::string& text) { context.note(text); });
  return o.step ? compare_step(context, o, lab, row) : search(context, o, lab, row);
}

ExitCode bisect_verb(Context& context, const BisectOptions& o) {
  const auto bisect = [&] { return run_bisect(context, o); };
  return o.step ? judge::judge_step(bisect) : bisect();
}

}  // namespace

void bind_bisect(CLI::App& verb, Context& context) {
  bind_verb<BisectOptions>(verb, context, declare_bisect, bisect_verb);
}

}  // namespace nsop::cli
