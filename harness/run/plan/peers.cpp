#include "harness/run/plan/peers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/missing_peer.h"
#include "harness/core/suite/selector.h"

namespace nsop::run {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kProgram = "nsop-peer-", kScript = "_worker.py";
constexpr std::string_view kDevice = "nsop-worker-";

// The program of every library that has one here.
std::map<std::string, std::string> programs(const PeerPlaces& places) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (const auto& entry : entries_of(places.scripts, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kScript)) continue;
    found[name.substr(0, name.size() - kScript.size())] = entry.path().string();
  }
  for (const auto& entry : entries_of(places.bin, error)) {
    const std::string name = entry.path().filename().string();
    const bool runs = access(entry.path().c_str(), X_OK) == 0 && entry.is_regular_file(error);
    for (const std::string_view program : {kProgram, kDevice}) {
      if (name.starts_with(program) && runs) {
        found[name.substr(program.size())] = entry.path().string();
      }
    }
  }
  return found;
}

// `/usr/lib/numpy_worker.py` needs the module numpy; another script none that we could know.
std::string module_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.ends_with(kScript) ? name.substr(0, name.size() - kScript.size()) : "sys";
}

// Of `onednn_blocked`: `onednn`, if that is a library with a program or a known one.
std::string library_of(const std::string& variant,
                       const std::map<std::string, std::string>& found) {
  for (const auto& [library, path] : found) {
    if (is_variant_of(variant, library)) return library;
  }
  for (const std::string& library : known_peers()) {
    if (is_variant_of(variant, library)) return library;
  }
  return variant;
}

Worker open_peer(const std::string& library, const std::string& path, const PeerPlaces& places,
                 const std::vector<std::string>& environment) {
  const bool script = path.ends_with(".py");
  Worker worker =
      open_worker(worker_command(path, places), script ? "" : places.preload, environment);
  worker.peer = library;
  return worker;
}

// Why it is missing; empty when it has joined the peers.
std::string try_open(const std::string& library, const std::map<std::string, std::string>& found,
                     const PeerPlaces& places, const std::vector<std::string>& environment,
                     Peers& peers) {
  const auto program = found.find(library);
  if (program == found.end() ||
      (program->second.ends_with(".py") && places.python_with(library).empty())) {
    if (is_device(library)) {
      return fmt::format("{}nsop-worker-{} is not there; {}", kMissingPeer, library,
                         "install opencl-headers and ocl-icd-opencl-dev, then run: make build");
    }
    return fmt::format("{}{} is not installed; run: make peers", kMissingPeer, library);
  }
  try {
    peers.workers.push_back(open_peer(library, program->second, places, environment));
    return {};
  } catch (const std::runtime_error& failure) {  // Error, WorkerFailure
    return fmt::format("{}{} doesn't work: {}", kMissingPeer, library, failure.what());
  }
}

// Has one of the library's workers the target already, without being held to it?
bool has_target(const std::vector<Worker>& workers, const std::string& library,
                const std::string& isa) {
  return std::ranges::any_of(workers, [&](const Worker& worker) {
    return worker.peer == library && std::ranges::any_of(worker.hello.variants, [&](const auto& v) {
             return std::ranges::any_of(v.targets,
                                        [&](const auto& target) { return is_target(target, isa); });
           });
  });
}

}  // namespace

const std::vector<std::string>& known_peers() {
  static const std::vector<std::string> names = {"blis",   "eigen",    "libxsmm", "numpy",
                                                 "onednn", "openblas", "torch"};
  return names;
}

const std::vector<std::string>& known_devices() {
  static const std::vector<std::string> names = {"opencl"};
  return names;
}

bool is_device(const std::string& library) {
  return std::ranges::find(known_devices(), library) != known_devices().end();
}

bool is_variant_of(const std::string& variant, const std::string& library) {
  return !library.empty() && (variant == library || variant.starts_with(library + "_"));
}

std::vector<std::string> peer_names(const PeerPlaces& places) {
  std::set<std::string> names(known_peers().begin(), known_peers().end());
  for (const auto& [library, path] : programs(places)) names.insert(library);
  return {names.begin(), names.end()};
}

std::vector<std::string> installed_peers(const PeerPlaces& places) {
  std::vector<std::string> names;
  for (const auto& [library, path] : programs(places)) {
    if (!path.ends_with(".py") || !places.python_with(library).empty()) names.push_back(library);
  }
  return names;
}

std::vector<std::string> worker_command(const std::string& path, const PeerPlaces& places) {
  if (!path.ends_with(".py")) return {path};
  const std::string module = module_of(path);
  const std::string python = places.python_with(module);
  if (!python.empty()) return {python, path};
  throw environment_error(fmt::format("{}: no Python that has the module {}", path, module));
}

std::vector<std::string> peer_environment() {
  return {
      "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:"
      "glibc.malloc.trim_threshold=4294967296"};
}

std::vector<std::string> held_environment(const std::string& isa) {
  std::vector<std::string> all = peer_environment();
  all.push_back("NSOP_PEER_ISA=" + isa);
  if (isa != kHeldTo) return all;
  for (const char* one :
       {"ONEDNN_MAX_CPU_ISA=AVX2", "OPENBLAS_CORETYPE=Haswell", "BLIS_ARCH_TYPE=haswell",
        "LIBXSMM_TARGET=hsw", "ATEN_CPU_CAPABILITY=avx2",
        "NPY_DISABLE_CPU_FEATURES=AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"}) {
    all.emplace_back(one);
  }
  return all;
}

Peers open_peers(const std::vector<std::string>& variants, const PeerPlaces& places) {
  const std::map<std::string, std::string> found = programs(places);
  Peers peers;
  std::map<std::string, std::string> failed;  // by library; of one that works: ""
  for (const std::string& variant : variants) {
    if (Selector::parse(variant).target != "best") continue;
    const std::string library = library_of(variant, found);
    if (!failed.contains(library)) {
      failed[library] = try_open(library, found, places, peer_environment(), peers);
    }
    if (!failed[library].empty()) peers.missing[variant] = failed[library];
  }
  for (const std::string& variant : variants) {
    const Selector held = Selector::parse(variant);
    const std::string library = library_of(held.variant, found),
                      key = Selector{library, held.target}.text();
    if (held.target == "best" || has_target(peers.workers, library, held.target)) continue;
    if (!failed.contains(key)) {
      failed[key] = try_open(library, found, places, held_environment(held.target), peers);
    }
    if (!failed[key].empty()) peers.missing[variant] = failed[key];
  }
  return peers;
}

Peers open_all_peers(const PeerPlaces& places) { return open_peers(peer_names(places), places); }

}  // namespace nsop::run
