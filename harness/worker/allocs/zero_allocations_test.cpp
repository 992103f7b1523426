// Runs under LD_PRELOAD=libnsop_alloc.so: no step of a layer, forward or backward, allocates: in
// all configurations of the suites that publish layers, and on a sample of the awkward cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/core/files.h"
#include "harness/core/registry.h"
#include "harness/core/suite/suite.h"
#include "harness/core/text.h"
#include "harness/worker/allocs/alloc_counter.h"

namespace nsop::worker {
namespace {

using CasesByOp = std::map<std::string, std::vector<Case>>;

void add_line(const std::string& line, size_t stride, CasesByOp& cases) {
  const Op* op = find_op(case_op(line));
  if (op == nullptr) throw std::runtime_error("unknown op in: " + line);
  const std::vector<Case> all = expand_cases(line, op->spec);
  for (size_t i = 0; i < all.size(); i += stride) cases[op->spec.name].push_back(all[i]);
}

const CasesByOp& published_cases() {
  static const CasesByOp all = [] {
    CasesByOp cases;
    for (const char* name : {"layers", "conv", "matched"}) {
      const Suite suite = load_suite(std::string(NSOP_SUITES) + "/" + name + ".toml", {});
      for (const SuiteCase& one : suite.cases) add_line(one.line, 1, cases);
    }
    return cases;
  }();
  return all;
}

const CasesByOp& awkward_cases() {
  static const CasesByOp all = [] {
    CasesByOp cases;
    for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
      const std::string line = trim(raw);
      if (!line.empty() && line[0] != '#') add_line(line, 17, cases);
    }
    return cases;
  }();
  return all;
}

// What two runs of the step allocate, the first one included.
NsopAllocTotals count_step(const Variant& variant, const Case& c, int threads) {
  const Op& op = *find_op(c.op());
  const std::vector<Tensor> inputs = make_inputs(op, c, 1);
  std::vector<Tensor> outputs;
  for (const OutputSpec& spec : op.outputs(c)) outputs.emplace_back(spec.shape);
  const auto step = variant.prepare({c, inputs, outputs, threads, variant.targets().front()});
  const auto hook = find_alloc_hook();
  if (!hook) throw std::runtime_error("this test runs under LD_PRELOAD=libnsop_alloc.so");
  return count_allocs(*hook, [&] {
    step->run();
    step->run();
  });
}

int expect_none(const Variant& variant, const CasesByOp& cases) {
  const auto found = cases.find(variant.op);
  int counted = 0;
  if (found == cases.end()) return counted;
  for (const Case& c : found->second) {
    for (const int threads : {1, 2}) {
      if (!variant.unsupported(c, threads).empty()) continue;
      const NsopAllocTotals totals = count_step(variant, c, threads);
      EXPECT_EQ(totals.allocs, 0) << c.text() << " threads=" << threads;
      EXPECT_EQ(totals.requested_bytes, 0) << c.text() << " threads=" << threads;
      ++counted;
    }
  }
  return counted;
}

std::vector<const Variant*> layer_variants() {
  std::vector<const Variant*> layers;
  for (const Variant& variant : all_variants()) {
    if (variant.name == "layer") layers.push_back(&variant);
  }
  return layers;
}

class LayerAllocations : public testing::TestWithParam<const Variant*> {};
INSTANTIATE_TEST_SUITE_P(Ops, LayerAllocations, testing::ValuesIn(layer_variants()),
                         [](const auto& variant) { return variant.param->op; });

TEST_P(LayerAllocations, AreNone) {
  const int published = expect_none(*GetParam(), published_cases());
  EXPECT_GT(published + expect_none(*GetParam(), awkward_cases()), 0);
}

// Training calls of a network, with its optimizer and in the loop that plays the games.
TEST(TrainingAllocations, AreNone) {
  for (const char* line : {"dqn_train updates=1 calls=3", "dqn2048 updates=1 episodes=3"}) {
    const Case c = parse_case(line);
    const NsopAllocTotals totals = count_step(*find_variant(c.op(), "batched"), c, 1);
    EXPECT_EQ(totals.allocs, 0) << line;
    EXPECT_EQ(totals.requested_bytes, 0) << line;
  }
}

// What is counted: the same calls with fresh tensors.
TEST(TrainingAllocations, OfFreshTensorsAreCounted) {
  const Case c = parse_case("dqn_train updates=1 calls=3");
  EXPECT_GT(count_step(*find_variant(c.op(), "functional"), c, 1).allocs, 100);
}

TEST(LayerAllocations, EveryPublishedOpHasALayer) {
  std::set<std::string> with_layer;
  for (const Variant* variant : layer_variants()) with_layer.insert(variant->op);
  for (const auto& [op, cases] : published_cases()) EXPECT_THAT(with_layer, testing::Contains(op));
}

}  // namespace
}  // namespace nsop::worker
