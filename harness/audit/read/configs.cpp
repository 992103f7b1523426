#include "harness/audit/read/configs.h"

#include <cctype>
#include <string_view>

#include "harness/audit/read/columns.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr size_t kMostDigits = 12;
constexpr size_t kMostDimensions = 8;

// Whole numbers with `separator` and blanks between, as far as they go; empty where other things
// stand between.
Shape numbers_in(std::string_view text, char separator) {
  Shape out;
  for (const std::string& one : split(text, separator)) {
    const std::string number = trim(one);
    const bool whole = !number.empty() && number.size() <= kMostDigits &&
                       number.find_first_not_of("0123456789") == std::string::npos;
    if (!whole || out.size() == kMostDimensions) return {};
    out.push_back(std::stoll(number));
  }
  return out;
}

// `[8, 64, 32, 32]` at the beginning.
Shape bracketed(std::string_view text) {
  const size_t close = text.find(']');
  if (text.empty() || text[0] != '[' || close == std::string_view::npos) return {};
  return numbers_in(text.substr(1, close - 1), ',');
}

// `3x3`, `3/5/7`, `3x3/5x5`, up to a comma or blank.
std::vector<Shape> kernels_in(std::string_view text) {
  std::vector<Shape> out;
  for (const std::string& one : split(text.substr(0, text.find_first_of(", ")), '/')) {
    out.push_back(numbers_in(one, 'x'));
    if (out.back().empty()) return {};
  }
  return out;
}

double product(const Shape& shape, size_t from) {
  double out = 1;
  for (size_t i = from; i < shape.size(); ++i) out *= static_cast<double>(shape[i]);
  return out;
}

}  // namespace

std::vector<Config> configs_of(const Document& document) {
  std::vector<Config> out;
  std::string name, heading;
  bool fresh = true;
  for (const Statement& s : document.statements) {
    const bool names = s.list == 0 && !s.label.empty() && s.text == s.label + ":";
    if (s.heading != heading || names) {
      heading = s.heading;
      name = words_of(names ? s.label : heading);
      fresh = true;
    }
    const std::string label = words_of(s.label);
    const bool part = label == "input" || label == "output" || label == "kernel";
    if (s.list == 0 || !part || name.empty()) continue;
    const std::string value = trim(std::string_view(s.text).substr(s.text.find(':') + 1));
    if (fresh && out.size() == kMostConfigs) break;
    if (fresh) out.push_back({.name = name, .line = s.line});
    fresh = false;
    Config& config = out.back();
    if (label == "input") {
      config.input = bracketed(value);
      config.line = s.line;
    } else if (label == "output") {
      config.output = bracketed(value);
      config.output_line = s.line;
    } else {
      config.kernels = kernels_in(value);
    }
  }
  return out;
}

double multiplications(const Config& config, size_t kernel) {
  const size_t rank = config.input.size();
  if (rank < 2 || config.output.size() != rank) return 0;
  if (rank == 2) {
    if (!config.kernels.empty() || config.input[0] != config.output[0]) return 0;
    return product(config.input, 0) * static_cast<double>(config.output[1]);
  }
  if (kernel >= config.kernels.size()) return 0;
  const Shape& taps = config.kernels[kernel];
  if (taps.size() != rank - 2 && taps.size() != 1) return 0;
  double window = product(taps, 0);
  for (size_t d = taps.size(); d < rank - 2; ++d) window *= static_cast<double>(taps[0]);
  return product(config.output, 0) * static_cast<double>(config.input[1]) * window;
}

std::string shape_text(const Shape& shape) {
  std::string out;
  for (const int64_t d : shape) out += (out.empty() ? "" : "x") + std::to_string(d);
  return out;
}

}  // namespace nsop::audit
