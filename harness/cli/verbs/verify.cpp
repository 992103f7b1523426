// nsop verify, a verb (verbs.h): every variant on every target against the oracle; for a foreign
// worker the conformance test of the protocol, too.
#include <fmt/format.h>

#include <map>

#include "harness/cli/session.h"
#include "harness/cli/text/summary_table.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/run/progress.h"
#include "harness/run/runner.h"
#include "harness/run/workers/conformance.h"
#include "harness/run/workers/interrupt.h"

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

// Every variant of the workers on every target that they have, for every case.
run::Plan plan_of(const VerifyOptions& o, const Settings& settings, const run::Programs& programs) {
  const run::Profile profile = run::profile_named(o.quick ? "quick" : "manual");
  std::vector<run::PlanRequest> requests;
  for (const std::string& line : o.cases) requests.push_back({line, "", {}, {1}});
  if (o.cases.empty()) {
    for (const Suite& suite : named_suites(settings, o.suites)) {
      for (auto& r : run::suite_requests(suite, profile)) requests.push_back(std::move(r));
    }
  }
  for (run::PlanRequest& request : requests) {
    request.selectors.clear();
    request.peers.clear();
    for (const run::Worker& worker : programs.workers) {
      for (const run::VariantInfo& v : worker.hello.variants) {
        if (v.op != case_op(request.line)) continue;
        for (const std::string& target : v.targets) request.selectors.push_back({v.name, target});
      }
    }
  }
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  run::Plan plan = run::make_plan(requests, programs.workers, reference, profile, 0);
  run::filter_plan(plan, o.filter, "", 0);
  if (plan.rows.empty()) throw usage_error("nothing to verify: no row matches");
  return plan;
}

std::vector<Invocation> check_rows(Context& context, const run::Plan& plan,
                                   const run::Programs& programs, run::OracleCache& oracle,
                                   const std::string& scratch) {
  run::ProgressLine progress(stderr,
                             context.quiet || !context.err_is_terminal
                                 ? run::ProgressLine::Mode::kSilent
                                 : run::ProgressLine::Mode::kTerminal,
                             80);
  run::KeptClients kept;
  std::vector<Invocation> results;
  for (const run::PlanRow& row : plan.rows) {
    run::throw_if_interrupted();
    progress.update(row.key.text(), static_cast<int64_t>(results.size()),
                    static_cast<int64_t>(plan.rows.size()), 0);
    const run::InvokeContext invoke{programs.workers.at(row.worker),
                                    plan.cases.at(row.key.case_text),
                                    oracle.get(row.key.case_text, run::kFirstSeed),
                                    oracle.get(row.key.case_text, run::kSecondSeed),
                                    oracle,
                                    {},
                                    scratch,
                                    {},
                                    &kept};
    results.push_back(run::check_row(row.key, invoke));
  }
  return results;
}

Json result_json(const Invocation& i) {
  return {{"case", i.row.case_text},  {"variant", i.row.variant},        {"target", i.row.target},
          {"threads", i.row.threads}, {"status", status_text(i.status)}, {"reason", i.reason},
          {"check", to_json(i.check)}};
}

void print(Context& context, const std::vector<Invocation>& results,
           const run::Conformance& conformance, const std::map<Status, int>& counts) {
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
  Table table({{"status"}, {"case"}, {"variant"}, {"threads", true}, {"reason"}});
  for (const Invocation& i : results) {
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

// Each worker with the first row that it can run.
run::Conformance check_protocol(const run::Plan& plan, const run::Programs& programs,
                                run::OracleCache& oracle, const std::string& scratch) {
  std::map<int, run::Conformance> answers;
  for (const run::PlanRow& row : plan.rows) {
    const auto answer = answers.find(row.worker);
    if (!row.unsupported.empty() || (answer != answers.end() && !answer->second.unsupported)) {
      continue;
    }
    answers[row.worker] =
        run::check_conformance(programs.workers.at(row.worker).timing, row.key,
                               oracle.get(row.key.case_text, run::kFirstSeed).inputs, scratch);
  }
  run::Conformance all;
  for (const auto& [worker, one] : answers) {
    all.checks += one.checks;
    for (const std::string& problem : one.problems) {
      all.problems.push_back(programs.workers.at(worker).hello.program + ": " + problem);
    }
  }
  return all;
}

// What a peer computes is its own affair: it is shown, but decides nothing.
bool is_our_failure(const Invocation& i, const run::PlanRow& row) {
  return row.worker == 0 &&
         (i.status == Status::kWrong || i.status == Status::kError || i.status == Status::kTimeout);
}

ExitCode verify_verb(Context& context, const VerifyOptions& o) {
  const run::Programs programs = o.peers ? run::open_all_programs(program_places(context.settings))
                                         : run::open_programs(program_places(context.settings));
  const run::Plan plan = plan_of(o, context.settings, programs);
  const run::ScratchFolder scratch;
  run::OracleCache oracle = run::open_oracle(programs.reference, scratch.path());
  const run::Conformance conformance = check_protocol(plan, programs, oracle, scratch.path());
  const std::vector<Invocation> results =
      check_rows(context, plan, programs, oracle, scratch.path());
  std::map<Status, int> counts;
  bool fine = conformance.problems.empty();
  for (size_t i = 0; i < results.size(); ++i) {
    ++counts[results[i].status];
    fine = fine && !is_our_failure(results[i], plan.rows[i]);
  }
  print(context, results, conformance, counts);
  return fine ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

void bind_verify(CLI::App& verb, Context& context) {
  bind_verb<VerifyOptions>(verb, context, declare_verify, verify_verb);
}

}  // namespace nsop::cli
