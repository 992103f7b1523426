// nsop diff, a verb (verbs.h): two stored runs, row by row.
#include "harness/judge/history/diff.h"

#include <fmt/format.h>

#include "harness/cli/session.h"
#include "harness/cli/text/diff_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/report/stored/run.h"

namespace nsop::cli {
namespace {

struct DiffOptions {
  std::string before, after = "@last", filter;
  bool all = false;
};

void declare_diff(CLI::App& verb, DiffOptions& o) {
  verb.add_option("before", o.before, "Run: @last~1, uuid prefix, commit or baseline")->required();
  verb.add_option("after", o.after, "Run (default @last)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_flag("--all", o.all, "Show rows with the verdict `same`, too");
}

// A run that ended early lacks rows that nobody lost.
void note_unfinished(const report::RunData& data, stats::Diff& diff) {
  if (data.run.state == RunState::kComplete) return;
  diff.notes.push_back(fmt::format("{} is {}: rows that it didn't reach are missing or new",
                                   short_id(data.run.id), run_state_text(data.run.state)));
}

ExitCode diff_verb(Context& context, const DiffOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  const report::RunData before =
      report::load_run(store, store.resolve_run(o.before, this_host().id));
  const report::RunData after = report::load_run(store, store.resolve_run(o.after, this_host().id));
  if (before.run.id == after.run.id) {
    throw usage_error(fmt::format("'{}' and '{}' are the same run", o.before, o.after));
  }
  const judge::RunDiff found =
      judge::diff_runs(store, {before.run, before.host, before.builds, before.rows},
                       {after.run, after.host, after.builds, after.rows});
  stats::Diff diff = found.diff;
  note_unfinished(before, diff);
  note_unfinished(after, diff);
  if (before.host.id == after.host.id) diff.notes.push_back(tau_text(found));
  std::erase_if(diff.rows, [&](const stats::DiffRow& row) {
    return !o.filter.empty() && !case_matches(row.row.case_text, o.filter);
  });
  if (!judge::has_common_row(diff)) {
    diff.notes.push_back("no row is in both runs: nothing is compared");
  }
  show_diff(context, before, after, diff, o.all);
  return judge::exit_of(
      diff, before.run.state == RunState::kComplete && after.run.state == RunState::kComplete);
}

}  // namespace

void bind_diff(CLI::App& verb, Context& context) {
  bind_verb<DiffOptions>(verb, context, declare_diff, diff_verb);
}

}  // namespace nsop::cli
