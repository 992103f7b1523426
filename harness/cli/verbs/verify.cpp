// nsop verify, a verb (verbs.h): every variant on every target against the oracle; for a foreign
// worker the conformance test of the protocol, too.
#include "harness/run/verify.h"

#include <fmt/format.h>

#include <map>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> cases, suites;
  std::string filter;
  bool quick = false, peers = false;
};

void declare_verify(CLI::App& verb, VerifyOptions& o) {
  verb.add_option("cases", o.cases, "Case lines (default: all of the suites)");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'conv2d k=3'");
  verb.add_flag("--quick", o.quick, "Only the cases tagged quick");
  verb.add_flag("--peers", o.peers, "The variants of installed peers, too");
}

std::vector<run::PlanRequest> requests_of(const VerifyOptions& o, const Settings& settings,
                                          const run::Profile& profile) {
  std::vector<run::PlanRequest> requests;
  for (const std::string& line : o.cases) requests.push_back({line, "", {}, {1}});
  if (!o.cases.empty()) return requests;
  for (const Suite& suite : named_suites(settings, o.suites)) {
    for (auto& r : run::suite_requests(suite, profile)) requests.push_back(std::move(r));
  }
  return requests;
}

run::Verification verify_with_progress(Context& context, const run::Plan& plan,
                                       const run::Programs& programs) {
  run::ProgressLine line(stderr,
                         context.quiet || !context.err_is_terminal
                             ? run::ProgressLine::Mode::kSilent
                             : run::ProgressLine::Mode::kTerminal,
                         80);
  return run::verify(plan, programs, [&](const RowKey& row, size_t done) {
    line.update(row.text(), static_cast<int64_t>(done), static_cast<int64_t>(plan.rows.size()), 0);
  });
}

Json result_json(const Invocation& i) {
  return {{"case", i.row.case_text},  {"variant", i.row.variant},        {"target", i.row.target},
          {"threads", i.row.threads}, {"status", status_text(i.status)}, {"reason", i.reason},
          {"check", to_json(i.check)}};
}

void print(Context& context, const run::Verification& done) {
  const std::vector<Invocation>& results = done.results;
  const run::Conformance& conformance = done.conformance;
  if (context.json) {
    Json rows = Json::array();
    for (const Invocation& i : results) rows.push_back(result_json(i));
    context.out << Json{{"schema", "nsop.verify/1"},
                        {"protocol_checks", conformance.checks},
                        {"protocol_problems", conformance.problems},
                        {"rows", std::move(rows)}}
                       .dump(2)
                << '\n';
    return;
  }
  for (const std::string& problem : conformance.problems) {
    context.out << "protocol: " << printable(problem) << '\n';
  }
  std::map<Status, int> counts;
  Table table({{"status"}, {"case"}, {"variant"}, {"threads", true}, {"reason"}});
  for (const Invocation& i : results) {
    ++counts[i.status];
    if (i.status == Status::kOk) continue;
    table.add({status_text(i.status), i.row.case_text, i.row.variant + "@" + i.row.target,
               fmt::format("{}", i.row.threads), i.reason});
  }
  if (table.size() > 0) table.print(context.out);
  std::string text;
  for (const auto& [status, n] : counts) text += fmt::format(", {} {}", n, status_text(status));
  context.out << fmt::format("{} protocol checks, {} problems; {} rows checked on two seeds{}\n",
                             conformance.checks, conformance.problems.size(), results.size(), text);
}

ExitCode verify_verb(Context& context, const VerifyOptions& o) {
  const run::Programs programs = o.peers ? run::open_all_programs(program_places(context.settings))
                                         : run::open_programs(program_places(context.settings));
  const run::Profile profile = run::profile_named(o.quick ? "quick" : "manual");
  const run::Plan plan = run::verification_plan(requests_of(o, context.settings, profile), programs,
                                                profile, o.filter);
  const run::Verification done = verify_with_progress(context, plan, programs);
  print(context, done);
  return done.passed ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

void bind_verify(CLI::App& verb, Context& context) {
  bind_verb<VerifyOptions>(verb, context, declare_verify, verify_verb);
}

}  // namespace nsop::cli
