#include "harness/run/verify.h"

#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/run/invoke.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::run {
namespace {

Conformance check_protocol(const Plan& plan, const Programs& programs, OracleCache& oracle,
                           const std::string& scratch) {
  std::map<int, Conformance> answers;
  for (const PlanRow& row : plan.rows) {
    const auto answer = answers.find(row.worker);
    if (!row.unsupported.empty() || (answer != answers.end() && !answer->second.unsupported)) {
      continue;
    }
    answers[row.worker] =
        check_conformance(programs.workers.at(row.worker).timing, row.key,
                          oracle.get(row.key.case_text, kFirstSeed).inputs, scratch);
  }
  Conformance all;
  for (const auto& [worker, one] : answers) {
    all.checks += one.checks;
    if (one.unsupported) continue;  // it can run no row, and said why: the rows tell it
    for (const std::string& problem : one.problems) {
      all.problems.push_back(programs.workers.at(worker).hello.program + ": " + problem);
    }
  }
  return all;
}

bool is_our_failure(const Invocation& i, const PlanRow& row) {
  return row.worker == 0 &&
         (i.status == Status::kWrong || i.status == Status::kError || i.status == Status::kTimeout);
}

}  // namespace

Plan verification_plan(std::vector<PlanRequest> requests, const Programs& programs,
                       const Profile& profile, const std::string& filter) {
  for (PlanRequest& request : requests) {
    request.selectors.clear();
    request.peers.clear();
    for (const Worker& worker : programs.workers) {
      for (const VariantInfo& v : worker.hello.variants) {
        if (v.op != case_op(request.line)) continue;
        for (const std::string& target : v.targets) request.selectors.push_back({v.name, target});
      }
    }
  }
  WorkerClient reference(programs.reference.timing, {}, 1);
  Plan plan = make_plan(requests, programs.workers, reference, profile, 0);
  filter_plan(plan, filter, "", 0);
  if (plan.rows.empty()) throw usage_error("nothing to verify: no row matches");
  return plan;
}

Verification verify(const Plan& plan, const Programs& programs,
                    const std::function<void(const RowKey&, size_t)>& progress) {
  const ScratchFolder scratch;
  OracleCache oracle = open_oracle(programs.reference, scratch.path());
  Verification done;
  done.conformance = check_protocol(plan, programs, oracle, scratch.path());
  done.passed = done.conformance.problems.empty();
  KeptClients kept;
  for (const PlanRow& row : plan.rows) {
    throw_if_interrupted();
    progress(row.key, done.results.size());
    const InvokeContext invoke{programs.workers.at(row.worker),
                               plan.cases.at(row.key.case_text),
                               oracle.get(row.key.case_text, kFirstSeed),
                               oracle.get(row.key.case_text, kSecondSeed),
                               oracle,
                               {},
                               scratch.path(),
                               {},
                               &kept};
    done.results.push_back(check_row(row.key, invoke));
    done.passed = done.passed && !is_our_failure(done.results.back(), row);
  }
  return done;
}

}  // namespace nsop::run
