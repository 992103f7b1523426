// Every variant of ours on three threads, forced to fork however small the case is: thresholds keep
// small cases on one thread, so without force the checks of small cases would never see a fork.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "harness/core/check.h"
#include "harness/core/files.h"
#include "harness/core/registry.h"
#include "harness/core/text.h"
#include "kernels/runtime/thread_pool.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr int kThreads = 3;
constexpr size_t kStride = 11;  // one case in so many: the oracle is slow

// A sample of the cases of each op.
const std::vector<Case>& cases_of(const std::string& op) {
  static const auto all = [] {
    std::map<std::string, std::vector<Case>> cases;
    for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
      const std::string line = trim(raw);
      if (line.empty() || line[0] == '#') continue;
      const std::vector<Case> expanded = expand_cases(line, find_op(case_op(line))->spec);
      for (size_t i = 0; i < expanded.size(); ++i) {
        if (i % kStride == expanded.size() % kStride || i + 1 == expanded.size()) {
          cases[expanded[i].op()].push_back(expanded[i]);
        }
      }
    }
    return cases;
  }();
  return all.at(op);
}

std::vector<Tensor> empty_outputs(const Op& op, const Case& c) {
  std::vector<Tensor> outputs;
  for (const OutputSpec& spec : op.outputs(c)) {
    std::ranges::fill(outputs.emplace_back(spec.shape).data(), std::nanf(""));
  }
  return outputs;
}

// What the step says that it wrote.
std::vector<Tensor> results_of(const Step& step, const std::vector<Tensor>& outputs) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::copy(step.output(i), results.emplace_back(outputs[i].shape()).data().begin());
  }
  return results;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return std::ranges::equal(x.data(), y.data(), [](float p, float q) {
      return std::bit_cast<uint32_t>(p) == std::bit_cast<uint32_t>(q);
    });
  });
}

void check(const Variant& variant, const Case& c) {
  const Op& op = *find_op(c.op());
  const std::vector<Tensor> inputs = make_inputs(op, c, 1);
  std::vector<Tensor> outputs = empty_outputs(op, c);
  const auto step = [&] {
    const EagerThreadPools eager;
    return variant.prepare({c, inputs, outputs, kThreads, variant.targets().front()});
  }();
  const int64_t before = allocations;
  step->run();
  EXPECT_EQ(allocations, before) << c.text();
  const std::vector<Tensor> first = results_of(*step, outputs);
  if (op.oracle_given) return;  // draws anew in each step
  const std::vector<TensorF64> expected = expected_outputs(op, c, inputs, {});
  const std::vector<Tolerance> tolerances = tolerances_of(op, c);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const CheckResult result =
        check_output(fmt::format("{}", i), first[i].data(), expected[i], tolerances[i]);
    EXPECT_TRUE(result.ok) << c.text() << ": " << result.message;
  }
  for (Tensor& output : outputs) std::ranges::fill(output.data(), std::nanf(""));
  step->run();
  EXPECT_TRUE(same_bits(results_of(*step, outputs), first))
      << c.text() << ": another result in the second run";
}

std::vector<const Variant*> all_of_ours() {
  std::vector<const Variant*> out;
  for (const Variant& variant : all_variants()) {
    if (variant.role == Role::kOurs && variant.name != "forked") out.push_back(&variant);
  }
  return out;
}

class Forked : public testing::TestWithParam<const Variant*> {};
INSTANTIATE_TEST_SUITE_P(Variants, Forked, testing::ValuesIn(all_of_ours()),
                         [](const auto& one) { return one.param->op + "_" + one.param->name; });

TEST_P(Forked, IsRightRepeatsItsBitsAndAllocatesNothing) {
  for (const Case& c : cases_of(GetParam()->op)) {
    if (GetParam()->unsupported(c, kThreads).empty()) check(*GetParam(), c);
  }
}

}  // namespace
}  // namespace nsop::kernels
