#include "harness/run/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::run {
namespace {

// Who is measured, before any worker was asked.
struct Selection {
  std::vector<Suite> suites;
  std::vector<std::string> peers;  // variants
};

std::vector<Selector> wanted_variants(const JobOptions& o) {
  std::vector<Selector> selectors;
  for (const std::string& v : o.variants) selectors.push_back(Selector::parse(v));
  if (selectors.empty()) return selectors;  // all
  for (const std::string& device : o.devices) selectors.push_back({device, "best"});
  return selectors;
}

bool is_wanted(const std::vector<Selector>& wanted, const std::string& variant,
               const std::string& target) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const Selector& s) {
           return s.variant == variant && (s.target == "best" || s.target == target);
         });
}

// Is the text in the name of one of them, or is nothing asked for?
bool is_among(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
           return name.find(w) != std::string::npos;
         });
}

// The devices that a suite compares, as variants.
std::vector<std::string> devices_of(const Suite& suite) {
  std::vector<Selector> selectors = suite.also;
  selectors.insert(selectors.end(), {suite.before, suite.after});
  std::vector<std::string> devices;
  for (const Selector& s : selectors) {
    if (is_device(s.variant)) devices.push_back(s.variant);
  }
  return devices;
}

// Without the cases that nobody asked for, and the suites that have none then.
void keep_wanted_cases(const JobOptions& o, std::vector<Suite>& suites) {
  const auto tagged = [&](const SuiteCase& c) {
    return o.tags.empty() || std::any_of(c.tags.begin(), c.tags.end(), [&](const auto& tag) {
             return std::find(o.tags.begin(), o.tags.end(), tag) != o.tags.end();
           });
  };
  for (Suite& suite : suites) {
    std::erase_if(suite.cases, [&](const SuiteCase& c) {
      return !is_among(o.sections, c.section) || !tagged(c);
    });
  }
  std::erase_if(suites, [](const Suite& suite) { return suite.cases.empty(); });
}

// The suites of the profile without those of devices that nobody asks for, unless they are named:
// who names one wants it.
std::vector<Suite> suites_of(const JobOptions& o, const NamedSuites& named,
                             const Profile& profile) {
  if (!o.cases.empty() && o.suites.empty()) return {};
  std::vector<Suite> suites = named(o.suites);
  if (o.suites.empty()) {
    std::erase_if(suites, [&](const Suite& s) {
      const std::vector<std::string> devices = devices_of(s);
      const bool asked = std::ranges::all_of(devices, [&](const std::string& device) {
        return std::ranges::find(o.devices, device) != o.devices.end();
      });
      return !asked || !is_of_profile(s, profile.name);
    });
  }
  keep_wanted_cases(o, suites);
  return suites;
}

Selection selection_of(const JobOptions& o, const PeerPlaces& places, const NamedSuites& named,
                       const Profile& profile) {
  Selection selection{suites_of(o, named, profile), {}};
  const std::vector<Selector> wanted = wanted_variants(o);
  std::vector<std::string> others;
  for (const Selector& s : wanted) others.push_back(s.variant);
  for (const Suite& suite : selection.suites) {
    for (const std::string& peer : suite.peers) {
      if (!o.cases.empty() || is_wanted(wanted, peer, "best")) selection.peers.push_back(peer);
    }
    for (const std::string& peer : held_peers(suite)) {
      const Selector held = Selector::parse(peer);
      const bool asked = !o.cases.empty() || is_wanted(wanted, held.variant, held.target);
      if (asked) selection.peers.push_back(peer);
    }
    for (const Selector& s : {suite.before, suite.after}) others.push_back(s.variant);
    for (const Selector& s : suite.also) others.push_back(s.variant);
    for (const Selector& s : suite.beside) others.push_back(s.variant);
    // Built or not: one that is missing says so in its rows.
    for (std::string& device : devices_of(suite)) selection.peers.push_back(std::move(device));
  }
  for (std::string& peer : peers_among(others, places)) {
    selection.peers.push_back(std::move(peer));
  }
  for (const Selector& s : wanted) {  // `onednn@AVX2`, or as a row's target has it, `@2.6.3-AVX2`
    if (!is_target(s.target, kHeldTo)) continue;
    for (const std::string& peer : peers_among({s.variant}, places)) {
      selection.peers.push_back(Selector{peer, kHeldTo}.text());
    }
  }
  selection.peers.insert(selection.peers.end(), o.devices.begin(), o.devices.end());
  return selection;
}

std::vector<PlanRequest> requests_of(const JobOptions& o, const Selection& selection,
                                     const Profile& profile, const Worker& ours) {
  const std::vector<Selector> wanted = wanted_variants(o);
  std::vector<PlanRequest> requests;
  if (o.listed) {
    requests = listed_requests(ours.hello, o.cases);
    for (PlanRequest& request : requests) request.threads = o.threads;
    return requests;
  }
  for (const Suite& suite : selection.suites) {
    for (PlanRequest& r : suite_requests(suite, profile)) {
      // Those that nobody wants weren't started.
      std::erase_if(r.peers, [&](const std::string& peer) {
        const Selector s = Selector::parse(peer);
        return o.cases.empty() && !is_wanted(wanted, s.variant, s.target);
      });
      requests.push_back(std::move(r));
    }
  }
  for (const std::string& line : o.cases) {
    PlanRequest request{line, "", wanted, {1}};
    if (o.variants.empty()) {
      for (const VariantInfo& v : ours.hello.variants) {
        const bool wanted_unnamed = v.op == case_op(line) && v.role != Role::kProbe;
        if (wanted_unnamed) request.selectors.push_back({v.name, "best"});
      }
    }
    requests.push_back(std::move(request));
  }
  for (PlanRequest& request : requests) {
    if (!o.threads.empty()) request.threads = o.threads;
    request.peers.insert(request.peers.end(), o.devices.begin(), o.devices.end());
  }
  return requests;
}

Profile profile_of(const JobOptions& o) {
  const std::string name =
      !o.profile.empty() ? o.profile : (o.cases.empty() ? "comprehensive" : "manual");
  Profile profile = profile_named(name);
  if (o.rounds > 0) profile.rounds = o.rounds;
  constexpr double kNsPerSecond = 1e9;
  if (o.warmup_s > 0) {
    profile.measure.warmup_ns = static_cast<int64_t>(o.warmup_s * kNsPerSecond);
  }
  if (o.min_time_s > 0) {
    profile.measure.min_time_ns = static_cast<int64_t>(o.min_time_s * kNsPerSecond);
  }
  profile.measure.instructions = o.instructions;
  return profile;
}

Plan plan_of(const JobOptions& o, const Selection& selection, const Profile& profile,
             const Programs& programs) {
  WorkerClient reference(programs.reference.timing, {}, 1);
  const uint64_t seed = seed_of(o.seed);
  const auto requests = requests_of(o, selection, profile, programs.workers[0]);
  Plan plan = make_plan(requests, programs.workers, reference, profile, seed, programs.missing);
  for (const Suite& suite : selection.suites) plan.suites.push_back(suite.name);
  if (o.cases.empty()) {
    const std::vector<Selector> wanted = wanted_variants(o);
    std::erase_if(plan.rows, [&](const PlanRow& row) {
      return !is_wanted(wanted, row.key.variant, row.key.target);
    });
  }
  filter_plan(plan, o.filter, "", 0);
  if (plan.rows.empty()) throw usage_error("nothing to measure: no row matches the filters");
  return plan;
}

// The newest run of this host that is not complete.
std::string last_unfinished(const store::Store& store) {
  for (const store::RunSummary& s : store.runs()) {
    if (s.run.state != RunState::kComplete && s.run.host_id == this_host().id) return s.run.id;
  }
  throw usage_error("no unfinished run of this machine: nothing to resume");
}

}  // namespace

uint64_t seed_of(const std::optional<uint64_t>& given) {
  return given ? *given : std::random_device{}();
}

Job new_job(const JobOptions& o, const ProgramPlaces& places, const NamedSuites& suites) {
  const Profile profile = profile_of(o);
  const Selection selection =
      o.listed ? Selection{} : selection_of(o, places.peers, suites, profile);
  Job job{{}, "", {}, open_programs(places, selection.peers)};
  job.plan = plan_of(o, selection, profile, job.programs);
  return job;
}

Job resumed_job(const std::string& name, const store::Store& store, const ProgramPlaces& places) {
  const std::string run_id =
      name.empty() ? last_unfinished(store) : store.resolve_run(name, this_host().id);
  const Run run = store.run(run_id);
  if (run.state == RunState::kComplete) {
    throw usage_error(fmt::format("run {} is complete: nothing to resume", short_id(run_id)));
  }
  if (run.host_id != this_host().id) {
    throw usage_error(fmt::format("run {} was started on another machine", short_id(run_id)));
  }
  Job job{plan_from_json(run.plan_json), run_id, {}, {}};
  std::vector<std::string> peers;
  for (const PlanRow& row : job.plan.rows) {
    if (row.worker == 0) continue;
    peers.push_back(row.key.variant);
    const bool held = row.key.target != kHeldTo && is_target(row.key.target, kHeldTo);
    if (held) peers.push_back(Selector{row.key.variant, kHeldTo}.text());
  }
  job.programs = open_programs(places, peers);
  try {
    rebind_workers(job.plan, run.plan_json, job.programs.workers);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("run {}: {}", short_id(run_id), error.what()));
  }
  for (const Invocation& i : store.invocations(run_id)) {
    job.done[{i.phase, i.round, i.row}] = i.status;
  }
  return job;
}

}  // namespace nsop::run
