// How exact our training is, beside PyTorch's from the same weights on the same batches;
// docs/dqn.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>

#include "harness/core/hash.h"
#include "harness/core/registry.h"
#include "kernels/runtime/target.h"

namespace nsop::layers {
namespace {

// Largest deviation from the replay in double precision: of losses, relative, and of parameters.
struct Deviation {
  double losses = 0, parameters = 0;
};

// A line of reference/peers/python/dqn_deviation.tsv.
struct PyTorchRun {
  uint64_t seed = 0;
  std::string inputs_sha256;
  Deviation deviation;
};

std::vector<PyTorchRun> pytorch_runs(const std::string& wanted) {
  std::ifstream file(NSOP_DQN_DEVIATION);
  std::vector<PyTorchRun> runs;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.substr(0, tab) != wanted) continue;
    std::istringstream fields(line.substr(tab));
    PyTorchRun run;
    fields >> run.seed >> run.inputs_sha256 >> run.deviation.losses >> run.deviation.parameters;
    if (!fields.fail()) runs.push_back(run);
  }
  return runs;
}

std::string bytes_of(std::span<const Tensor> tensors) {
  std::string bytes;
  for (const Tensor& t : tensors) {
    bytes.append(reinterpret_cast<const char*>(t.data().data()), t.data().size_bytes());
  }
  return bytes;
}

// A NaN is larger than all numbers.
double larger(double worst, double off) {
  return std::isfinite(off) ? std::max(worst, std::fabs(off)) : HUGE_VAL;
}

// The recorded batches of a seed, and what they lead to in double precision.
struct Batches {
  Batches(const std::string& line, uint64_t seed)
      : op_case(parse_case(line)),
        op(*find_op(op_case.op())),
        inputs(make_inputs(op, op_case, seed)),
        expected(expected_outputs(op, op_case, inputs, {})) {}

  Deviation deviation_of(const std::string& variant, const std::string& target) const {
    std::vector<Tensor> outputs;
    for (const OutputSpec& spec : op.outputs(op_case)) outputs.emplace_back(spec.shape);
    find_variant(op_case.op(), variant)->prepare({op_case, inputs, outputs, 1, target})->run();
    Deviation worst;
    for (size_t i = 0; i < expected[0].data.size(); ++i) {
      worst.losses = larger(worst.losses, outputs[0].data()[i] / expected[0].data[i] - 1);
    }
    for (size_t i = 0; i < expected[1].data.size(); ++i) {
      worst.parameters = larger(worst.parameters, outputs[1].data()[i] - expected[1].data[i]);
    }
    return worst;
  }

  Case op_case;
  const Op& op;
  std::vector<Tensor> inputs;
  std::vector<TensorF64> expected;
};

struct Exactness {
  std::string updates;
  std::vector<std::pair<std::string, std::string>> variants;  // and their target
  size_t seeds;  // so many of those recorded; all where NSOP_TEST_FULL is set
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;  // what a sanitizer sees does not depend on the seed
#else
constexpr bool kInstrumented = false;
#endif

size_t seeds_of(const Exactness& e, size_t recorded) {
  if (kInstrumented) return 1;
  return std::getenv("NSOP_TEST_FULL") != nullptr ? recorded : e.seeds;
}

std::ostream& operator<<(std::ostream& to, const Exactness& e) { return to << e.updates; }

class DqnExactness : public testing::TestWithParam<Exactness> {};

// After 100 training calls, from each seed alone: at most ten times what PyTorch's own float32 run
// deviates on these batches.
TEST_P(DqnExactness, IsThatOfPyTorchWithinAFactorOfTen) {
  const std::string line = "dqn_train updates=" + GetParam().updates + " calls=100";
  std::vector<PyTorchRun> runs = pytorch_runs(line);
  ASSERT_EQ(runs.size(), 20U) << NSOP_DQN_DEVIATION;
  runs.resize(seeds_of(GetParam(), runs.size()));
  std::vector<Deviation> worst(GetParam().variants.size());  // as multiples of PyTorch's
  for (const PyTorchRun& pytorch : runs) {
    const Batches batches(line, pytorch.seed);
    ASSERT_EQ(sha256_hex(bytes_of(batches.inputs)), pytorch.inputs_sha256)
        << "PyTorch trained on other batches: run reference/peers/python/dqn_deviation.py --write";
    for (size_t i = 0; i < worst.size(); ++i) {
      const auto& [variant, target] = GetParam().variants[i];
      SCOPED_TRACE(testing::Message() << variant << "@" << target << ", seed " << pytorch.seed);
      const Deviation ours = batches.deviation_of(variant, target);
      EXPECT_LE(ours.losses, 10 * pytorch.deviation.losses);
      EXPECT_LE(ours.parameters, 10 * pytorch.deviation.parameters);
      worst[i].losses = std::max(worst[i].losses, ours.losses / pytorch.deviation.losses);
      worst[i].parameters =
          std::max(worst[i].parameters, ours.parameters / pytorch.deviation.parameters);
    }
  }
  for (size_t i = 0; i < worst.size(); ++i) {
    const auto& [variant, target] = GetParam().variants[i];
    std::printf("updates=%s %s@%s, %zu seeds: losses off by at most %.2g times PyTorch's, ",
                GetParam().updates.c_str(), variant.c_str(), target.c_str(), runs.size(),
                worst[i].losses);
    std::printf("parameters by %.2g times\n", worst[i].parameters);
  }
}

const std::pair<std::string, std::string> kFunctional = {"functional", "x86-64"},
                                          kPooled = {"pooled", "x86-64"};
INSTANTIATE_TEST_SUITE_P(Updates, DqnExactness,
                         testing::Values(Exactness{"1",
                                                   {kFunctional,
                                                    kPooled,
                                                    {"batched", kernels::targets().front()},
                                                    {"batched", kernels::targets().back()}},
                                                   12},
                                         Exactness{"32", {kFunctional, kPooled}, 3}),
                         [](const auto& test) { return test.param.updates; });

}  // namespace
}  // namespace nsop::layers
