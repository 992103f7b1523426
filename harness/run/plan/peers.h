// Other libraries, measured beside ours: their workers are found, started and named here.
//
// A peer is an executable `nsop-peer-<library>` beside nsop or a script `<library>_worker.py`. Its
// variants are called like the library, or `<library>_<layout>` for a second layout. Devices that
// work beside the processor are found in the same way: `nsop-worker-<device>` beside nsop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/plan/plan.h"

namespace nsop::run {

struct PeerPlaces {
  std::string bin;      // folder of the executables
  std::string scripts;  // folder of the Python workers
  std::string preload;  // the counting library; "" = none
  // A Python interpreter that has the module; empty when there is none.
  std::function<std::string(const std::string& module)> python_with;
};

struct Peers {
  std::vector<Worker> workers;
  MissingPeers missing;
};

// Libraries that nsop comes with workers for, whether or not they are installed.
const std::vector<std::string>& known_peers();

// Devices that nsop comes with workers for, built or not.
const std::vector<std::string>& known_devices();
bool is_device(const std::string& library);

// Is the variant one of this library's? False for the empty library, which is ours.
bool is_variant_of(const std::string& variant, const std::string& library);

// The known libraries and those with a worker program here, installed or not; starts nothing.
std::vector<std::string> peer_names(const PeerPlaces& places);

// Libraries whose worker could be started here, sorted; starts only interpreters.
std::vector<std::string> installed_peers(const PeerPlaces& places);

// The command that starts a worker program: a script gets an interpreter. Throws Error
// (environment) when there is none that has its module.
std::vector<std::string> worker_command(const std::string& path, const PeerPlaces& places);

// What a peer finds in its environment: memory that is freed stays in the process, so that a
// library which returns a fresh result in every call does not pay for page faults each time.
std::vector<std::string> peer_environment();

// The same for a library that is held to an instruction set: its own variable that says so, and
// NSOP_PEER_ISA for the worker, which tells whether the library does as it was told.
std::vector<std::string> held_environment(const std::string& isa);

// Starts the workers that these variants need, each once; `onednn@AVX2`: a process that is held to
// that, unless the plain one has the target, too. Never throws for what a peer does wrong: it is
// missing, with the reason.
Peers open_peers(const std::vector<std::string>& variants, const PeerPlaces& places);

// All that are installed; the known others are missing.
Peers open_all_peers(const PeerPlaces& places);

}  // namespace nsop::run
