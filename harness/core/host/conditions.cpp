// read_conditions() of host.h, and steal.h: the state of a machine while it measures.
#include <set>

#include "harness/core/host/host.h"
#include "harness/core/host/libc.h"
#include "harness/core/host/machine_files.h"
#include "harness/core/host/steal.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr unsigned kAddrNoRandomize = 0x0040000;  // <sys/personality.h>, as /proc prints it

std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// One name where all allowed CPUs agree, else all names: `performance,powersave`.
std::string read_governor(const std::string& root, const std::vector<int>& cpus) {
  std::set<std::string> governors;
  for (const int cpu : cpus) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    const std::string governor = machine_text(root, folder + "/cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  return join(std::vector<std::string>(governors.begin(), governors.end()), ",");
}

std::string read_turbo(const std::string& root) {
  const std::string no_turbo = machine_text(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (!no_turbo.empty()) return no_turbo == "0" ? "on" : "off";
  const std::string boost = machine_text(root, "/sys/devices/system/cpu/cpufreq/boost");
  if (!boost.empty()) return boost == "0" ? "off" : "on";
  return {};
}

std::string read_aslr(const std::string& root) {
  const std::string personality = machine_text(root, "/proc/self/personality");
  if (std::strtoul(personality.c_str(), nullptr, 16) & kAddrNoRandomize) {
    return "off for this process";
  }
  const std::string state = machine_text(root, "/proc/sys/kernel/randomize_va_space");
  if (state == "2") return "full";
  if (state == "1") return "partial";
  return state == "0" ? "off" : "";
}

// What was in force when this process was started: glibc reads the variable only then.
std::string read_glibc_tunables(const std::string& root) {
  constexpr std::string_view kName = "GLIBC_TUNABLES=";
  for (const std::string& entry : split(machine_text(root, "/proc/self/environ"), '\0')) {
    if (entry.starts_with(kName)) return entry.substr(kName.size());
  }
  return {};
}

}  // namespace

// /proc/stat counts ticks: user nice system idle iowait irq softirq steal; guest time, which
// follows, is already part of user.
CpuTicks read_cpu_ticks(const std::string& root) {
  const std::string text = machine_text(root, "/proc/stat");
  CpuTicks ticks;
  int column = 0;
  for (const std::string& word : split(std::string_view(text).substr(0, text.find('\n')), ' ')) {
    if (word.empty() || word == "cpu") continue;
    const double count = leading_number(word);
    if (column < 8) ticks.total += count;
    if (column == 7) ticks.stolen = count;
    ++column;
  }
  return ticks;
}

double stolen_percent(const CpuTicks& before, const CpuTicks& after) {
  const double total = after.total - before.total;
  return total > 0 ? 100 * (after.stolen - before.stolen) / total : 0;
}

Conditions read_conditions(const std::string& root) {
  Conditions c;
  c.kernel = machine_text(root, "/proc/sys/kernel/osrelease");
  auto os = key_values(machine_text(root, "/etc/os-release"), '=');
  c.os = unquoted(os["PRETTY_NAME"]);
  auto status = key_values(machine_text(root, "/proc/self/status"), ':');
  c.allowed_cpus = parse_cpu_list(status["Cpus_allowed_list"]);
  c.governor = read_governor(root, c.allowed_cpus);
  c.turbo = read_turbo(root);
  c.aslr = read_aslr(root);
  c.libc = root.empty() ? libc_text() : std::string();
  c.microcode = key_values(machine_text(root, "/proc/cpuinfo"), ':')["microcode"];
  c.load1 = leading_number(machine_text(root, "/proc/loadavg"));
  c.steal_percent = stolen_percent({}, read_cpu_ticks(root));
  auto memory = key_values(machine_text(root, "/proc/meminfo"), ':');
  c.memory_bytes = leading_integer(memory["MemTotal"]) * 1024;
  c.memory_available_bytes = leading_integer(memory["MemAvailable"]) * 1024;
  c.glibc_tunables = read_glibc_tunables(root);
  return c;
}

}  // namespace nsop
