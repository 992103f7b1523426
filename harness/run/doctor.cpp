#include "harness/run/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/core/host/machine_files.h"
#include "harness/core/text.h"
#include "harness/store/backend/address.h"
#include "harness/store/store.h"

namespace nsop::run {
namespace {

constexpr double kGiB = 1 << 30;

Finding ok(const std::string& name, const std::string& what) {
  return {name, Level::kOk, what, ""};
}

Finding warn(const std::string& name, const std::string& what, const std::string& fix) {
  return {name, Level::kWarn, what, fix};
}

Finding bad(const std::string& name, const std::string& what, const std::string& fix) {
  return {name, Level::kBad, what, fix};
}

Finding check_hypervisor(const Host& host) {
  if (host.hypervisor.empty()) return ok("hypervisor", "none: bare metal");
  return warn("hypervisor", "virtual machine (" + host.hypervisor + ")",
              "expect 3 % between runs; compare builds within one session, or use bare metal");
}

Finding check_cpus(const Host& host, const Conditions& c) {
  const size_t allowed = c.allowed_cpus.size();
  const std::string what = fmt::format("{} of {} CPUs allowed", allowed, host.threads);
  if (allowed >= 2) return ok("cpus", what);
  return warn("cpus", what + ": no spare CPU, so the runner disturbs what it measures",
              "allow at least 2 CPUs (taskset, cpuset of the container)");
}

Finding check_governor(const Host& host, const Conditions& c) {
  if (c.governor == "performance") return ok("governor", c.governor);
  const std::string fix = "cpupower frequency-set -g performance";
  if (!c.governor.empty())
    return warn("governor", c.governor + ": the clock follows the load", fix);
  if (!host.hypervisor.empty()) return ok("governor", "left to the hypervisor");
  return warn("governor", "unknown: no frequency control is visible", fix);
}

Finding check_turbo(const Host& host, const Conditions& c) {
  if (c.turbo == "off") return ok("turbo", "off");
  if (c.turbo.empty()) {
    return ok("turbo",
              host.hypervisor.empty() ? "unknown: no switch is visible" : "left to the hypervisor");
  }
  return warn("turbo", "on: the clock depends on heat and on what the other cores do",
              "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or "
              "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

Finding check_load(const Conditions& c) {
  const double cpus = std::max<double>(1, static_cast<double>(c.allowed_cpus.size()));
  const std::string what = fmt::format("load average {:.2f} on {:.0f} CPUs", c.load1, cpus);
  const std::string fix = "stop other programs, or wait a minute";
  if (c.load1 >= cpus) return bad("load", what + ": every CPU is taken", fix);
  if (c.load1 >= 0.25 * cpus) return warn("load", what, fix);
  return ok("load", what);
}

Finding check_steal(const Conditions& c) {
  const std::string what = fmt::format("{:.1f} % of time stolen since boot", c.steal_percent);
  const std::string fix = "ask for dedicated CPUs, or use another machine";
  if (c.steal_percent >= 10) return bad("steal", what, fix);
  return c.steal_percent >= 1 ? warn("steal", what, fix) : ok("steal", what);
}

// Randomised addresses are noise that several processes average out; fixed ones are one draw of it
// that every run repeats.
Finding check_aslr(const Conditions& c) {
  if (c.aslr == "full") return ok("aslr", "full");
  if (c.aslr.empty()) return warn("aslr", "unknown", "cat /proc/sys/kernel/randomize_va_space");
  return warn("aslr", c.aslr + ": one address layout is measured again and again",
              c.aslr == "off for this process" ? "run without setarch -R and outside a debugger"
                                               : "sysctl kernel.randomize_va_space=2");
}

Finding check_memory(const Conditions& c) {
  const double available = static_cast<double>(c.memory_available_bytes) / kGiB;
  const std::string what = fmt::format("{:.1f} of {:.1f} GiB available", available,
                                       static_cast<double>(c.memory_bytes) / kGiB);
  const std::string fix = "stop other programs; large cases will be refused";
  if (c.memory_bytes == 0) return warn("memory", "unknown", "cat /proc/meminfo");
  if (available < 0.25) return bad("memory", what, fix);
  return available < 1 ? warn("memory", what, fix) : ok("memory", what);
}

Finding check_swap(const std::string& root) {
  auto memory = key_values(machine_text(root, "/proc/meminfo"), ':');
  const int64_t used =
      leading_integer(memory["SwapTotal"]) - leading_integer(memory["SwapFree"]);  // kB
  if (used <= 0) return ok("swap", "not in use");
  return warn("swap", fmt::format("{} MiB in use: pages may come from disk", used / 1024),
              "swapoff -a, if memory suffices");
}

// The kernel marks the mode in force: `always [madvise] never`.
Finding check_huge_pages(const std::string& root) {
  const std::string text = machine_text(root, "/sys/kernel/mm/transparent_hugepage/enabled");
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return ok("huge pages", "not supported by this kernel");
  }
  const std::string mode = text.substr(open + 1, close - open - 1);
  if (mode != "never") return ok("huge pages", mode);
  return warn("huge pages", "never: large tensors pay for more address translation",
              "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

Finding check_database_disk(const std::string& database_path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::absolute(database_path, error).parent_path();
  while (!fs::is_directory(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const fs::space_info space = fs::space(folder, error);
  const auto free_bytes = error ? std::nullopt : std::optional(space.available);
  return check_disk(folder.string(), free_bytes, access(folder.c_str(), W_OK) == 0);
}

bool has_program(const Examination& what, const std::string& program) {
  for (const std::string& folder : split(what.search_path, ':')) {
    const std::string path = what.root + folder + "/" + program;
    if (!folder.empty() && access(path.c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::set<std::string> installed_packages(const std::string& root) {
  std::set<std::string> installed;
  std::string name;
  for (const std::string& line : split(machine_text(root, "/var/lib/dpkg/status"), '\n')) {
    if (line.starts_with("Package: ")) name = line.substr(9);
    if (line.starts_with("Status: ") && line.ends_with(" installed")) installed.insert(name);
  }
  return installed;
}

Finding check_needs(const Examination& what) {
  const std::set<std::string> installed = installed_packages(what.root);
  std::vector<std::string> missing, packages;
  for (const Need& need : what.needs) {
    const bool there =
        need.program.empty() ? installed.contains(need.package) : has_program(what, need.program);
    if (there) continue;
    missing.push_back(need.program.empty() ? need.package : need.program);
    if (std::find(packages.begin(), packages.end(), need.package) == packages.end()) {
      packages.push_back(need.package);
    }
  }
  if (missing.empty()) return ok("programs", fmt::format("all {} are there", what.needs.size()));
  return bad("programs", "missing: " + join(missing, ", "),
             "apt-get install " + join(packages, " "));
}

Finding check_own(const std::string& name, bool there, const std::string& path,
                  const std::string& without) {
  return there ? ok(name, path) : bad(name, without, "make build");
}

Finding check_python(const std::function<std::string()>& python) {
  try {
    return ok("python", python());
  } catch (const Error& error) {
    return bad("python", error.what(), "make setup");
  }
}

// Which other libraries can be measured beside ours.
Finding check_peers(const PeerPlaces& places) {
  std::vector<std::string> found = installed_peers(places);
  std::erase_if(found, is_device);
  std::vector<std::string> missing;
  for (const std::string& name : peer_names(places)) {
    const bool there = std::binary_search(found.begin(), found.end(), name);
    if (!there && !is_device(name)) missing.push_back(name);
  }
  const std::string there = found.empty() ? "none" : join(found, ", ");
  if (missing.empty()) return ok("peers", there);
  return warn("peers", there + "; not installed: " + join(missing, ", "), "make peers");
}

// Which devices can be measured beside the processor: nobody needs one.
Finding check_devices(const PeerPlaces& places) {
  std::vector<std::string> found = installed_peers(places);
  std::erase_if(found, [](const std::string& name) { return !is_device(name); });
  return ok("devices", found.empty() ? "no worker of one is built" : join(found, ", "));
}

}  // namespace

std::string level_text(Level level) {
  constexpr std::array kNames = {"ok", "warn", "bad"};
  return kNames.at(static_cast<size_t>(level));
}

Finding check_disk(const std::string& folder, std::optional<std::uintmax_t> free_bytes,
                   bool writable) {
  if (!writable) {
    return bad("disk", folder + " can't be written to",
               "give --db a path in a folder that you may write to");
  }
  if (!free_bytes) return warn("disk", folder + ": free space unknown", "df " + folder);
  const double free = static_cast<double>(*free_bytes) / kGiB;
  const std::string what = fmt::format("{:.1f} GiB free in {}", free, folder);
  const std::string fix = "free space, or give --db a path on another disk";
  if (free < 0.1) return bad("disk", what, fix);
  return free < 2 ? warn("disk", what, fix) : ok("disk", what);
}

std::vector<Finding> check_machine(const Host& host, const Conditions& conditions) {
  return {check_hypervisor(host),           check_cpus(host, conditions),
          check_governor(host, conditions), check_turbo(host, conditions),
          check_load(conditions),           check_steal(conditions),
          check_aslr(conditions),           check_memory(conditions)};
}

Finding check_server(const std::string& address) {
  const std::string shown = store::shown_address(address);
  try {
    const bool there = store::database_exists(address);
    return {"database", Level::kOk,
            shown + (there ? "" : ", empty yet: the first `nsop run` makes the tables"), ""};
  } catch (const Error& error) {
    return {"database", Level::kBad, error.what(), "see the message; docs/scale.md"};
  }
}

std::vector<Finding> examine(const Examination& what) {
  std::vector<Finding> findings = check_machine(read_host(what.root), read_conditions(what.root));
  findings.push_back(check_swap(what.root));
  findings.push_back(check_huge_pages(what.root));
  if (!what.database_path.empty()) findings.push_back(check_database_disk(what.database_path));
  findings.push_back(check_needs(what));
  return findings;
}

std::vector<Finding> examine_programs(const OwnPrograms& programs) {
  return {check_own("worker", std::filesystem::exists(programs.worker), programs.worker,
                    programs.worker + " is not there"),
          check_own("allocation counter", !programs.preload.empty(), programs.preload,
                    "libnsop_alloc.so is not beside the worker: allocations show as n/a"),
          check_python(programs.python), check_peers(programs.peers),
          check_devices(programs.peers)};
}

ExitCode exit_of(const std::vector<Finding>& findings) {
  const bool bad = std::any_of(findings.begin(), findings.end(),
                               [](const Finding& f) { return f.level == Level::kBad; });
  return bad ? ExitCode::kEnvironment : ExitCode::kOk;
}

}  // namespace nsop::run
