// nsop report, a verb (verbs.h): the report model of each suite as JSON, rendered to Markdown and
// plots.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/cli/renderer.h"
#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/report/model.h"
#include "harness/report/runs/run_reports.h"
#include "harness/report/site/site_links.h"
#include "harness/report/stored/gate.h"
#include "harness/report/stored/published_runs.h"
#include "harness/run/scratch.h"

namespace nsop::cli {
namespace {

struct ReportOptions {
  std::string run = "@last", out, previous, gate, format = "pull-request", expect_head, comment_id;
  std::vector<std::string> suites, links;
  std::string earlier;
  bool fail_on_missed_goals = false, fail_on_worse = false, untrusted = false;
};

// Those of gate.FORMATS in reports/nsop_report/gate.py.
const std::vector<std::string> kGateFormats = {"pull-request", "step-summary", "junit", "github",
                                               "status"};

void declare_report(CLI::App& verb, ReportOptions& o) {
  verb.add_option("run", o.run, "Run: @last, uuid prefix, commit or baseline (default @last)");
  verb.add_option("--suite", o.suites, "Only these suites (default: those of the run)");
  verb.add_option("--out", o.out,
                  "Folder (default build/reports); with --gate a file (default: print)");
  verb.add_option(
      "--previous", o.previous,
      "Run for the column `vs previous run` (default: the one before that measured the suite)");
  verb.add_option("--gate", o.gate, "Report a gate instead: its run, as `nsop gate` named it")
      ->excludes("run");
  verb.add_option(
          "--format", o.format,
          "Of a gate: github are annotations, status is `failure` or `success` and the headline")
      ->check(CLI::IsMember(kGateFormats))
      ->needs("--gate");
  verb.add_option("--comment-id", o.comment_id,
                  "Of a gate: name in the comment's first line, by which it is found again; tells "
                  "apart the gates of one change (default none)")
      ->needs("--gate");
  verb.add_option("--link", o.links,
                  "Of a gate's comment: NAME=URL, shown under the verdict (repeatable)")
      ->needs("--gate");
  verb.add_option("--earlier", o.earlier,
                  "Of a gate's comment: file of the one that it replaces, whose verdicts it keeps")
      ->needs("--gate");
  verb.add_option("--expect-head", o.expect_head, "Refuse a gate of another head commit")
      ->needs("--gate");
  verb.add_flag("--untrusted", o.untrusted,
                "Say that a job which ran proposed code wrote the numbers")
      ->needs("--gate");
  verb.add_flag("--fail-on-worse", o.fail_on_worse, "Exit 1 when the gate found a row to be worse")
      ->needs("--gate");
  verb.add_flag("--fail-on-missed-goals", o.fail_on_missed_goals,
                "Exit 1 when a row misses a goal of its suite");
}

// What the authors of a suite should look at: misses without a reason, reasons without a miss.
void tell_authors(Context& context, const std::string& suite, const Json& built) {
  const auto unexplained = built["summary"]["goals_unexplained"].get<int64_t>();
  if (unexplained > 0) {
    context.note(fmt::format("{}: {} missed goals have no reason ([[reasons]] in the suite)", suite,
                             unexplained));
  }
  for (const Json& text : built["outdated_reasons"]) {
    context.note(fmt::format("{}: the reason for {} is outdated: all its rows meet their goals",
                             suite, text.get<std::string>()));
  }
}

// Where links of the report lead: nowhere without a site.
void name_site(Json& built, const std::string& address) {
  if (!address.empty()) built["site"] = address;
}

// Writes one form of a gate's report to a file or, by default, to standard output.
ExitCode gate_report(Context& context, const ReportOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  report::GateRecord gate = report::load_gate(store, store.resolve_run(o.gate, this_host().id));
  if (o.untrusted) gate.run.trust = "pr";
  if (!o.expect_head.empty()) report::must_have_head(gate, o.expect_head);
  const Renderer renderer(context.settings);
  const run::ScratchFolder scratch;
  const std::string json = scratch.path() + "/gate.json";
  Json built = report::build_gate_report(gate);
  name_site(built, report::site_address(context.settings.site, ""));
  write_file_atomically(json, report::report_text(built), Durability::kScratch);
  context.out.flush();
  std::vector<std::string> arguments{"--json",
                                     json,
                                     "--format",
                                     o.format,
                                     "--out",
                                     o.out.empty() ? "-" : o.out,
                                     "--comment-id=" + o.comment_id};
  for (const std::string& link : o.links) arguments.push_back("--link=" + link);
  if (!o.earlier.empty()) arguments.push_back("--earlier=" + o.earlier);
  const ExitCode code = renderer.run(arguments);
  return code == ExitCode::kOk && o.fail_on_worse ? report::exit_of_gate(built) : code;
}

ExitCode report_verb(Context& context, const ReportOptions& o) {
  if (!o.gate.empty()) return gate_report(context, o);
  const store::Store store = open_for_reading(context.settings);
  const Settings& settings = context.settings;
  const std::string run_id = store.resolve_run(o.run, this_host().id);
  const std::string previous =
      o.previous.empty() ? "" : store.resolve_run(o.previous, this_host().id);
  report::RunReports reports(store, run_id, previous, settings.root,
                             report::all_published(store, settings.data + "/reference/published"));
  const std::string folder = o.out.empty() ? context.settings.reports : o.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw environment_error(fmt::format("{}: can't be created: {}", folder, error.message()));
  }
  const std::string site = report::site_address(context.settings.site, folder);
  const Renderer renderer(context.settings);
  int64_t missed = 0;
  for (const Suite& suite : measured_suites(context.settings, reports.run(), o.suites)) {
    const std::string json = fmt::format("{}/{}.json", folder, suite.name);
    Json built = reports.of(suite);
    name_site(built, site);
    missed += built["summary"]["goals_missed"].get<int64_t>();
    write_file_atomically(json, report::report_text(built));
    const ExitCode code = renderer.run({"--json", json, "--out", folder});
    if (code != ExitCode::kOk) return code;
    context.note(fmt::format("{}/{}.md", folder, suite.name));
    tell_authors(context, suite.name, built);
  }
  if (!o.fail_on_missed_goals) return ExitCode::kOk;
  if (missed > 0) context.note(fmt::format("{} goals are missed", missed));
  return report::exit_of_goals(missed);
}

}  // namespace

void bind_report(CLI::App& verb, Context& context) {
  bind_verb<ReportOptions>(verb, context, declare_report, report_verb);
}

}  // namespace nsop::cli
