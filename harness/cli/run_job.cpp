#include "harness/cli/run_job.h"

#include <algorithm>

#include "harness/cli/text/numbers.h"

namespace nsop::cli {
namespace {

// Who is measured, before any worker was asked.
struct Selection {
  std::vector<Suite> suites;
  std::vector<std::string> peers;  // variants
};

std::vector<Selector> wanted_variants(const RunOptions& o) {
  std::vector<Selector> selectors;
  for (const std::string& v : o.variants) selectors.push_back(Selector::parse(v));
  return selectors;
}

bool is_wanted(const std::vector<Selector>& wanted, const std::string& variant,
               const std::string& target) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const Selector& s) {
           return s.variant == variant && (s.target == "best" || s.target == target);
         });
}

// The suites of the profile, unless they are named: who names one wants it.
std::vector<Suite> suites_of(const RunOptions& o, const Settings& settings,
                             const run::Profile& profile) {
  if (!o.cases.empty() && o.suites.empty()) return {};
  std::vector<Suite> suites = named_suites(settings, o.suites);
  if (o.suites.empty()) {
    std::erase_if(suites, [&](const Suite& s) { return !is_of_profile(s, profile.name); });
  }
  return suites;
}

Selection select(const RunOptions& o, const Settings& settings, const run::Profile& profile) {
  Selection selection{suites_of(o, settings, profile), {}};
  const std::vector<Selector> wanted = wanted_variants(o);
  std::vector<std::string> others;
  for (const Selector& s : wanted) others.push_back(s.variant);
  for (const Suite& suite : selection.suites) {
    for (const std::string& peer : suite.peers) {
      if (!o.cases.empty() || is_wanted(wanted, peer, "best")) selection.peers.push_back(peer);
    }
    for (const Selector& s : {suite.before, suite.after}) others.push_back(s.variant);
    for (const Selector& s : suite.also) others.push_back(s.variant);
    for (const Selector& s : suite.beside) others.push_back(s.variant);
  }
  for (std::string& peer : peers_among(others, settings)) {
    selection.peers.push_back(std::move(peer));
  }
  return selection;
}

std::vector<run::PlanRequest> requests_of(const RunOptions& o, const Selection& selection,
                                          const run::Profile& profile, const run::Worker& ours) {
  const std::vector<Selector> wanted = wanted_variants(o);
  std::vector<run::PlanRequest> requests;
  for (const Suite& suite : selection.suites) {
    for (run::PlanRequest& r : run::suite_requests(suite, profile)) {
      // Those that nobody wants weren't started.
      std::erase_if(r.peers, [&](const std::string& peer) {
        return o.cases.empty() && !is_wanted(wanted, peer, "best");
      });
      requests.push_back(std::move(r));
    }
  }
  for (const std::string& line : o.cases) {
    run::PlanRequest request{line, "", wanted, {1}};
    if (o.variants.empty()) {
      for (const run::VariantInfo& v : ours.hello.variants) {
        if (v.op == case_op(line)) request.selectors.push_back({v.name, "best"});
      }
    }
    requests.push_back(std::move(request));
  }
  for (run::PlanRequest& request : requests) {
    if (!o.threads.empty()) request.threads = o.threads;
  }
  return requests;
}

run::Profile profile_of(const RunOptions& o) {
  const std::string name =
      !o.profile.empty() ? o.profile : (o.cases.empty() ? "comprehensive" : "manual");
  run::Profile profile = run::profile_named(name);
  if (o.rounds > 0) profile.rounds = o.rounds;
  return profile;
}

run::Plan plan_of(const RunOptions& o, const Selection& selection, const run::Profile& profile,
                  const Programs& programs) {
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  const uint64_t seed = seed_of(o.seed);
  const auto requests = requests_of(o, selection, profile, programs.workers[0]);
  run::Plan plan =
      run::make_plan(requests, programs.workers, reference, profile, seed, programs.missing);
  for (const Suite& suite : selection.suites) plan.suites.push_back(suite.name);
  if (o.cases.empty()) {
    const std::vector<Selector> wanted = wanted_variants(o);
    std::erase_if(plan.rows, [&](const run::PlanRow& row) {
      return !is_wanted(wanted, row.key.variant, row.key.target);
    });
  }
  run::filter_plan(plan, o.filter, "", 0);
  if (plan.rows.empty()) throw usage_error("nothing to measure: no row matches the filters");
  return plan;
}

}  // namespace

Job new_job(const RunOptions& o, const Settings& settings) {
  const run::Profile profile = profile_of(o);
  const Selection selection = select(o, settings, profile);
  Job job{{}, "", {}, open_programs(settings, selection.peers)};
  job.plan = plan_of(o, selection, profile, job.programs);
  return job;
}

}  // namespace nsop::cli
