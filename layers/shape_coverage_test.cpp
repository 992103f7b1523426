// Which shapes each kind of layer is checked with: the cases that the tests of gradients, errors
// and allocations go through must have all that trip kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "harness/core/registry.h"
#include "layers/testing/layer_cases_support.h"

namespace nsop::layers {
namespace {

bool is_recurrent(const LayerCase& c) {
  return std::ranges::any_of(std::array{"lstm", "gru", "rnn"},
                             [&](const char* op) { return c.op_case.starts_with(op); });
}

// Sequences are [steps, batch, in].
bool has_batch_1(const LayerCase& c) {
  const bool sequence = is_recurrent(c) && c.in.size() == 3;
  return c.in.size() == 1 || c.in[sequence ? 1 : 0] == 1;
}
bool has_length_1(const LayerCase& c) { return c.in.back() == 1; }
// At axis 1; a vector or a cell's input has no channels but its features.
bool has_channels_1(const LayerCase& c) {
  return (c.in.size() > 2 && !is_recurrent(c) ? c.in[1] : c.in.back()) == 1;
}
// An extent of more than a vector of 4 lanes that is no whole number of vectors of any kind.
bool is_ragged(const LayerCase& c) {
  return std::ranges::any_of(c.in, [](int64_t extent) { return extent > 4 && extent % 4 != 0; });
}

// Is there a key of the oracle's case that is above `least`?
bool is_above(const LayerCase& c, const char* key, int64_t least) {
  if (c.op_case.empty()) return false;
  const Case op_case = parse_case(c.op_case);
  return op_case.has(key) && op_case.integer(key) > least;
}

struct Trait {
  const char* name;
  bool (*has)(const LayerCase& c);
  // The kinds that must have it; empty: all.
  std::vector<std::string> kinds = {};
};

const std::vector<Trait>& traits() {
  const std::vector<std::string> convolutions = {"conv1d", "conv2d", "conv3d"};
  const std::vector<std::string> windows = {"conv1d", "conv2d", "conv3d", "MaxPool2D", "AvgPool2D"};
  static const std::vector<Trait> all = {
      {"batch 1", has_batch_1},
      {"length 1", has_length_1},
      {"channels 1", has_channels_1},
      {"ragged", is_ragged},
      {"stride", [](const LayerCase& c) { return is_above(c, "s", 1); }, windows},
      {"padding", [](const LayerCase& c) { return is_above(c, "p", 0); }, windows},
      {"dilation", [](const LayerCase& c) { return is_above(c, "d", 1); }, convolutions},
      {"groups", [](const LayerCase& c) { return is_above(c, "groups", 1); }, convolutions},
  };
  return all;
}

TEST(ShapeCoverage, EveryKindOfLayerHasEveryKindOfShape) {
  std::printf("%-18s %5s", "layer", "cases");
  for (const Trait& trait : traits()) std::printf(" %10s", trait.name);
  std::printf("\n");
  for (const LayerKind& kind : layer_kinds()) {
    std::printf("%-18s %5zu", kind.name.c_str(), kind.cases.size());
    for (const Trait& trait : traits()) {
      const auto count = std::ranges::count_if(kind.cases, trait.has);
      const bool wanted =
          trait.kinds.empty() || std::ranges::find(trait.kinds, kind.name) != trait.kinds.end();
      std::printf(" %10s", count == 0 && !wanted ? "-" : std::to_string(count).c_str());
      EXPECT_TRUE(count > 0 || !wanted) << kind.name << " has no case of " << trait.name;
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace nsop::layers
