#include "harness/run/plan/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/core/error.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::run {
namespace {

Worker open_program(const std::string& path, const std::string& preload, const PeerPlaces& peers) {
  try {
    const std::vector<std::string> command = worker_command(path, peers);
    return open_worker(command, command.size() == 1 ? preload : "");
  } catch (const WorkerFailure& failure) {
    throw environment_error(fmt::format("{}: is no usable worker: {}", path, failure.what()));
  }
}

// Programs of other projects, which nobody but they has answers of.
Programs open_foreign(const ProgramPlaces& places) {
  std::vector<std::string> command = {places.worker};
  command.insert(command.end(), places.arguments.begin(), places.arguments.end());
  Programs programs;
  try {
    programs.workers.push_back(open_worker(command, places.preload));
  } catch (const WorkerFailure& failure) {
    throw environment_error(failure.what());
  }
  programs.reference = programs.workers[0];
  return programs;
}

Programs open_ours(const ProgramPlaces& places) {
  if (!places.arguments.empty()) return open_foreign(places);
  Programs programs;
  programs.workers.push_back(open_program(places.worker, places.preload, places.peers));
  const bool own = places.reference == places.worker ||
                   programs.workers[0].hello.has("own_reference");  // of another project
  programs.reference = own ? programs.workers[0] : open_program(places.reference, "", places.peers);
  if (!programs.reference.hello.has("reference")) {
    throw environment_error(
        fmt::format("{}: has no reference; build it with `make build`", places.reference));
  }
  return programs;
}

void add_peers(Programs& programs, Peers peers) {
  for (Worker& worker : peers.workers) programs.workers.push_back(std::move(worker));
  programs.missing = std::move(peers.missing);
}

}  // namespace

Programs open_programs(const ProgramPlaces& places, const std::vector<std::string>& peers) {
  Programs programs = open_ours(places);
  if (!peers.empty()) add_peers(programs, open_peers(peers, places.peers));
  return programs;
}

Programs open_all_programs(const ProgramPlaces& places) {
  Programs programs = open_ours(places);
  add_peers(programs, open_all_peers(places.peers));
  return programs;
}

std::vector<std::string> peers_among(const std::vector<std::string>& variants,
                                     const PeerPlaces& places) {
  const std::vector<std::string> libraries = peer_names(places);
  std::vector<std::string> peers;
  std::copy_if(
      variants.begin(), variants.end(), std::back_inserter(peers), [&](const std::string& variant) {
        return std::any_of(libraries.begin(), libraries.end(),
                           [&](const auto& library) { return is_variant_of(variant, library); });
      });
  return peers;
}

OracleCache open_oracle(const Worker& reference, const std::string& scratch) {
  // What can't tell that its oracles changed is asked again by every process.
  const std::string& sources = reference.build.reference_sha256;
  return {reference.timing, sources, sources.empty() ? "" : default_oracle_folder(), scratch};
}

}  // namespace nsop::run
