#include "harness/audit/read/units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nsop::audit {
namespace {

struct Named {
  std::string_view name;
  Dimension dimension;
  double scale;
  int thousands;
};
constexpr std::array<Named, 41> kUnits{{
    {"ns", Dimension::kTime, 1e-9, 0},
    {"us", Dimension::kTime, 1e-6, 0},
    {"ms", Dimension::kTime, 1e-3, 0},
    {"nanoseconds", Dimension::kTime, 1e-9, 0},
    {"microseconds", Dimension::kTime, 1e-6, 0},
    {"milliseconds", Dimension::kTime, 1e-3, 0},
    {"nsec", Dimension::kTime, 1e-9, 0},
    {"usec", Dimension::kTime, 1e-6, 0},
    {"msec", Dimension::kTime, 1e-3, 0},
    {"mins", Dimension::kTime, 60, 0},
    {"minute", Dimension::kTime, 60, 0},
    {"hrs", Dimension::kTime, 3600, 0},
    {"hour", Dimension::kTime, 3600, 0},
    {"s", Dimension::kTime, 1, 0},
    {"sec", Dimension::kTime, 1, 0},
    {"secs", Dimension::kTime, 1, 0},
    {"second", Dimension::kTime, 1, 0},
    {"seconds", Dimension::kTime, 1, 0},
    {"min", Dimension::kTime, 60, 0},
    {"minutes", Dimension::kTime, 60, 0},
    {"h", Dimension::kTime, 3600, 0},
    {"hours", Dimension::kTime, 3600, 0},
    {"B", Dimension::kBytes, 1, 0},
    {"byte", Dimension::kBytes, 1, 0},
    {"bytes", Dimension::kBytes, 1, 0},
    {"kB", Dimension::kBytes, 1e3, 1},
    {"KB", Dimension::kBytes, 1e3, 1},
    {"MB", Dimension::kBytes, 1e6, 2},
    {"GB", Dimension::kBytes, 1e9, 3},
    {"TB", Dimension::kBytes, 1e12, 4},
    {"KiB", Dimension::kBytes, 1024., 0},
    {"MiB", Dimension::kBytes, 1048576., 0},
    {"GiB", Dimension::kBytes, 1073741824., 0},
    {"Hz", Dimension::kRate, 1, 0},
    {"kHz", Dimension::kRate, 1e3, 0},
    {"MHz", Dimension::kRate, 1e6, 0},
    {"GHz", Dimension::kRate, 1e9, 0},
    {"x", Dimension::kRatio, 1, 0},
    {"X", Dimension::kRatio, 1, 0},
    {"percent", Dimension::kPercent, 1, 0},
    {"%", Dimension::kPercent, 1, 0},
}};

bool per_operation(std::string_view what) {
  return what == "op" || what == "iter" || what == "call" || what == "run";
}

// `GFLOP/s`, `ops/s`, `eps/sec`: what comes per second, and its scale.
Unit rate_of(std::string_view what) {
  static constexpr std::string_view kPrefixes = "KMGT";
  Unit unit{Dimension::kRate, 1, std::string(what), 0};
  const size_t power =
      what.size() > 1 ? kPrefixes.find(what[0] == 'k' ? 'K' : what[0]) : std::string_view::npos;
  if (power != std::string_view::npos && std::isupper(static_cast<unsigned char>(what[1]))) {
    unit.scale = std::pow(1e3, static_cast<double>(power) + 1);
    unit.of = what.substr(1);
  }
  unit.of = singular(unit.of);
  return unit;
}

}  // namespace

std::string singular(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.size() > 2 && word.back() == 's' && word[word.size() - 2] != 's') word.pop_back();
  return word == "alloc" ? "allocation" : word;
}

bool read_unit(std::string_view text, size_t& i, Unit& unit) {
  size_t end = i;
  if (at(text, i) == '%') {
    end = i + 1;
  } else {
    while (letter(at(text, end))) ++end;
  }
  if (end == i) return false;
  const std::string_view name = text.substr(i, end - i);
  if (at(text, end) == '/' && letter(at(text, end + 1))) {
    size_t stop = end + 1;
    while (word_char(at(text, stop))) ++stop;
    const std::string_view per = text.substr(end + 1, stop - end - 1);
    if (per == "s" || per == "sec" || per == "second") {
      unit = rate_of(name);
      i = stop;
      return true;
    }
    const auto* found =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const Named& n) { return n.name == name; });
    if (found != kUnits.end()) {
      unit = {found->dimension, found->scale, per_operation(per) ? "" : singular(std::string(per)),
              found->thousands};
      i = stop;
      return true;
    }
    unit = {Dimension::kCount, 1, singular(std::string(name)), 0};
    i = stop;
    return per_operation(per);
  }
  if (digit(at(text, end)) || at(text, end) == '_') return false;
  if (name == "GFLOPS" || name == "MFLOPS" || name == "TFLOPS") {
    unit = rate_of(name.substr(0, name.size() - 1));
    i = end;
    return true;
  }
  const auto* found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Named& n) { return n.name == name; });
  if (found == kUnits.end()) return false;
  unit = {found->dimension, found->scale, "", found->thousands};
  if (found->dimension == Dimension::kRate) unit.of = "Hz";
  i = end;
  return true;
}

Unit header_unit(std::string_view header) {
  const size_t open = header.find_first_of("([");
  Unit unit;
  if (open != std::string_view::npos) {
    size_t i = open + 1;
    if (read_unit(header, i, unit) && (at(header, i) == ')' || at(header, i) == ']')) return unit;
    unit = {};
  }
  size_t i = 0;
  if (header.find('/') != std::string_view::npos && read_unit(header, i, unit)) return unit;
  std::string lower = singular(std::string(header));
  if (header == "%" || lower == "percent") return {Dimension::kPercent, 1, "", 0};
  if (lower.find("alloc") != std::string::npos) return {Dimension::kCount, 1, "allocation", 0};
  return {};
}

}  // namespace nsop::audit
