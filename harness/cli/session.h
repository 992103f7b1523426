// What several verbs need: workers, suites, stored runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/report/gate/report.h"
#include "harness/report/model.h"
#include "harness/run/peers.h"
#include "harness/run/runner.h"
#include "harness/store/store.h"

namespace nsop::cli {

// The programs of a session: what is measured, and what knows the right answers.
struct Programs {
  std::vector<run::Worker> workers;  // ours first, then peers
  run::MissingPeers missing;
  run::Worker reference;
};
// Throws Error (environment) when ours or the reference can't be started or doesn't speak the
// protocol. Of the peers only those that these variants need are started.
Programs open_programs(const Settings& settings, const std::vector<std::string>& peers = {});
// The same with every peer that is installed.
Programs open_all_programs(const Settings& settings);

run::PeerPlaces peer_places(const Settings& settings);
// Those of the names that are peers' variants rather than ours.
std::vector<std::string> peers_among(const std::vector<std::string>& variants,
                                     const Settings& settings);
run::OracleCache open_oracle(const run::Worker& reference, const std::string& scratch);

// Throws Error (usage) with a hint when a name is none of the known ones.
void must_be_suites(const std::vector<std::string>& names, const std::vector<std::string>& known);

// The suites with these names, or all of them when there are none. Throws Error (usage) with a
// suggestion for an unknown name.
std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names);

// This machine's identity.
const Host& this_host();

// A stored run with everything that a diff or a report needs.
report::RunData load_run(const store::Store& store, const std::string& run_id);

// A stored gate, judged again from its invocations. Throws Error: (usage) for a run that is no
// gate, (bad data) for one whose plan is damaged.
report::GateRecord load_gate(const store::Store& store, const std::string& run_id);

// The newest complete run of the host that measured what its machine can do at most.
std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id);

// Opens the database for reading; a missing one is an Error (usage) that says how to fill it.
store::Store open_for_reading(const Settings& settings);

// `1a2b3c4d`: enough of a uuid for people.
std::string short_id(const std::string& uuid);

}  // namespace nsop::cli
