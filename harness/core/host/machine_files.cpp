#include "harness/core/host/machine_files.h"

#include <charconv>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop {

std::string machine_text(const std::string& root, const std::string& path) {
  try {
    return trim(read_file(root + path));
  } catch (const Error&) {
    return {};
  }
}

std::map<std::string, std::string> key_values(std::string_view text, char separator) {
  std::map<std::string, std::string> values;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) break;
    const size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    values[trim(line.substr(0, at))] = trim(line.substr(at + 1));
  }
  return values;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int kMostCpus = 1 << 16;  // a damaged file must not fill the memory
  std::vector<int> cpus;
  for (const std::string& part : split(trim(text), ',')) {
    int first = 0;
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, first);
    if (error != std::errc{}) return {};
    int last = first;
    if (at != end) {
      const auto rest = std::from_chars(at + 1, end, last);
      if (*at != '-' || rest.ec != std::errc{} || rest.ptr != end) return {};
    }
    if (first < 0 || last < first || last > kMostCpus) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

int64_t parse_size(std::string_view text) {
  const std::string clean = trim(text);
  int64_t value = 0;
  const char* end = clean.data() + clean.size();
  const auto [at, error] = std::from_chars(clean.data(), end, value);
  if (error != std::errc{} || value < 0) return 0;
  if (at == end) return value;
  if (at + 1 != end) return 0;
  if (*at == 'K') return value << 10;
  if (*at == 'M') return value << 20;
  return *at == 'G' ? value << 30 : 0;
}

int64_t leading_integer(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double leading_number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace nsop
