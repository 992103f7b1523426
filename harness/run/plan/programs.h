// The programs of a session: what is measured, and what knows the right answers.
#pragma once

#include <string>
#include <vector>

#include "harness/run/plan/peers.h"
#include "harness/run/workers/oracle_cache.h"

namespace nsop::run {

struct ProgramPlaces {
  std::string worker;  // what is measured
  // Of the worker: what nsop-adapter is to measure, which then is its own reference. Empty: it has
  // operations of its own.
  std::vector<std::string> arguments{};
  std::string preload;    // its counting library; empty: none
  std::string reference;  // gives inputs and expected outputs; may be the worker itself
  PeerPlaces peers;
};

struct Programs {
  std::vector<Worker> workers;  // ours first, then peers
  MissingPeers missing;
  Worker reference;
};
// Throws Error (environment) when ours or the reference can't be started or doesn't speak the
// protocol. Of the peers only those that these variants need are started.
Programs open_programs(const ProgramPlaces& places, const std::vector<std::string>& peers = {});
// The same with every peer that is installed.
Programs open_all_programs(const ProgramPlaces& places);

// The names that are peers' variants rather than ours.
std::vector<std::string> peers_among(const std::vector<std::string>& variants,
                                     const PeerPlaces& places);

// Inputs and expected outputs that the reference gives, kept in the user's cache.
OracleCache open_oracle(const Worker& reference, const std::string& scratch);

}  // namespace nsop::run
