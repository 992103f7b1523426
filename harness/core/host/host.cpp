#include "harness/core/host/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "harness/core/hash.h"
#include "harness/core/host/machine_files.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

// Flags that decide which float kernels a machine can run; the many others would only make the
// identity change with the kernel's version.
constexpr std::array kIsaFlags = {
    "sse2",     "ssse3",       "sse4_1",      "sse4_2",      "avx",      "avx2",
    "fma",      "f16c",        "avx512f",     "avx512bw",    "avx512cd", "avx512dq",
    "avx512vl", "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx_vnni", "amx_bf16",
    "amx_fp16", "amx_int8",    "amx_tile",    "asimd",       "asimdhp",  "asimddp",
    "asimdfhm", "bf16",        "sve",         "sve2",        "svebf16",  "sme"};

using Fields = std::map<std::string, std::string>;

std::string first_of(const Fields& fields, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto it = fields.find(key); it != fields.end()) return it->second;
  }
  return {};
}

// "implementer 0x41" and "part 0xd0c" is all that ARM kernels say; x86 gives decimal numbers.
int number_of(const std::string& text) {
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 0));
}

// One map per logical CPU: /proc/cpuinfo has a paragraph for each.
std::vector<Fields> read_cpus(const std::string& root) {
  std::vector<Fields> cpus;
  std::string_view text;
  const std::string all = machine_text(root, "/proc/cpuinfo");
  text = all;
  while (!text.empty()) {
    const size_t end = text.find("\n\n");
    Fields fields = key_values(text.substr(0, end), ':');
    if (fields.contains("processor")) cpus.push_back(std::move(fields));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return cpus;
}

void count_cpus(const std::vector<Fields>& cpus, const std::string& root, Host& host) {
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  for (const Fields& cpu : cpus) {
    const std::string folder =
        fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu.at("processor"));
    std::string socket = first_of(cpu, {"physical id"});
    std::string core = first_of(cpu, {"core id"});
    if (socket.empty()) socket = machine_text(root, folder + "physical_package_id");
    if (core.empty()) core = machine_text(root, folder + "core_id");
    if (!socket.empty()) sockets.insert(socket);
    if (!core.empty()) cores.insert({socket, core});
  }
  host.threads = static_cast<int>(cpus.size());
  host.sockets = static_cast<int>(sockets.size());
  host.cores = static_cast<int>(cores.size());
}

std::vector<std::string> isa_of(const Fields& cpu) {
  std::vector<std::string> isa;
  const std::vector<std::string> words = split(first_of(cpu, {"flags", "Features"}), ' ');
  for (const char* flag : kIsaFlags) {
    if (std::find(words.begin(), words.end(), flag) != words.end()) isa.emplace_back(flag);
  }
  std::sort(isa.begin(), isa.end());
  return isa;
}

// The vendor that the machine's firmware names, when the CPU says that it is virtual.
std::string read_hypervisor(const Fields& cpu, const std::string& root) {
  const std::string type = machine_text(root, "/sys/hypervisor/type");
  if (!type.empty()) return type;
  const std::string vendor = machine_text(root, "/sys/class/dmi/id/sys_vendor");
  const std::string product = machine_text(root, "/sys/class/dmi/id/product_name");
  const std::vector<std::string> flags = split(first_of(cpu, {"flags"}), ' ');
  // ARM CPUs have no such flag; there the firmware of virtual machines gives itself away.
  const bool is_virtual = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end() ||
                          vendor == "QEMU" || product.find("Virtual") != std::string::npos;
  if (!is_virtual) return {};
  return vendor.empty() ? "unknown" : vendor;
}

}  // namespace

std::map<std::string, int64_t> read_caches(const std::string& root) {
  std::map<std::string, int64_t> caches;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const std::string level = machine_text(root, folder + "level");
    const std::string type = machine_text(root, folder + "type");
    const int64_t bytes = parse_size(machine_text(root, folder + "size"));
    if (level.empty() || bytes == 0) continue;
    const char* suffix = type == "Data" ? "d" : type == "Instruction" ? "i" : "";
    caches["L" + level + suffix] = bytes;
  }
  return caches;
}

Host read_host(const std::string& root) {
  Host host;
  const std::vector<Fields> cpus = read_cpus(root);
  const Fields first = cpus.empty() ? Fields{} : cpus.front();
  host.cpu_vendor = first_of(first, {"vendor_id", "CPU implementer"});
  host.cpu_model = first_of(first, {"model name", "CPU part"});
  host.family = number_of(first_of(first, {"cpu family", "CPU architecture"}));
  host.model = number_of(first_of(first, {"model", "CPU part"}));
  host.stepping = number_of(first_of(first, {"stepping", "CPU revision"}));
  count_cpus(cpus, root, host);
  host.isa = isa_of(first);
  host.cache_bytes = read_caches(root);
  host.hypervisor = read_hypervisor(first, root);
  host.id = host_fingerprint(host);
  return host;
}

const Host& this_host() {
  static const Host host = read_host();
  return host;
}

std::string host_fingerprint(const Host& host) {
  std::string text = fmt::format(
      "vendor={}\nmodel_name={}\nfamily={}\nmodel={}\nstepping={}\nsockets={}\ncores={}\n"
      "threads={}\n",
      host.cpu_vendor, host.cpu_model, host.family, host.model, host.stepping, host.sockets,
      host.cores, host.threads);
  for (const auto& [name, bytes] : host.cache_bytes) {
    text += fmt::format("cache {}={}\n", name, bytes);
  }
  text += fmt::format("isa={}\nhypervisor={}\n", join(host.isa, " "), host.hypervisor);
  return sha256_hex(text);
}

}  // namespace nsop
