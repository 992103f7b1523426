// The oracles' backward passes against central differences of their forward passes:
// d(sum y*dy)/dt ~ (L(t + h) - L(t - h)) / 2h for every element t of x, w and b.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/core/util.h"
#include "reference/test_util.h"

namespace nsop::reference {
namespace {

// Powers of two, and inputs that are multiples of the step: t + h and t - h are exact floats.
constexpr double kStep = 0x1p-10;

using Tensors = std::map<std::string, Tensor>;

Tensor random_tensor(const Shape& shape, uint64_t seed) {
  Tensor t(shape);
  SplitMix64 generator(seed);
  for (float& value : t.data()) {
    do {
      value = static_cast<float>(std::round((4 * generator.uniform() - 2) / kStep) * kStep);
      // Away from the kink of relu, where the two sides of a difference disagree.
    } while (std::fabs(value) < 4 * kStep);
  }
  return t;
}

std::vector<Tensor> select(const Op& op, const Case& c, const Tensors& tensors) {
  std::vector<Tensor> inputs;
  for (const InputSpec& spec : op.inputs(c)) {
    const Tensor& from = tensors.at(spec.name);
    Tensor& to = inputs.emplace_back(spec.shape);
    std::ranges::copy(from.data(), to.data().begin());
  }
  return inputs;
}

// The forward pass, weighted: sum of y*dy.
double loss(const Op& op, const Case& forward, const Tensors& tensors) {
  const auto y = run_oracle(op, forward, select(op, forward, tensors));
  const auto dy = tensors.at("dy").data();
  double sum = 0;
  for (size_t i = 0; i < dy.size(); ++i) sum += y[0].data[i] * dy[i];
  return sum;
}

double central_difference(const Op& op, const Case& forward, Tensors& tensors, float& value) {
  const float middle = value;
  value = static_cast<float>(middle + kStep);
  const double above = loss(op, forward, tensors);
  value = static_cast<float>(middle - kStep);
  const double below = loss(op, forward, tensors);
  value = middle;
  return (above - below) / (2 * kStep);
}

// Inputs of both passes: those of the forward pass, a random dy, and y for those that save it.
Tensors all_inputs(const Op& op, const Case& forward) {
  Tensors tensors;
  uint64_t seed = 1;
  for (const InputSpec& spec : op.inputs(forward)) {
    tensors.emplace(spec.name, random_tensor(spec.shape, seed++));
  }
  tensors.emplace("dy", random_tensor(op.outputs(forward)[0].shape, seed));
  const auto y = run_oracle(op, forward, select(op, forward, tensors));
  Tensor& saved = tensors.emplace("y", y[0].shape).first->second;
  std::ranges::transform(y[0].data, saved.data().begin(),
                         [](double v) { return static_cast<float>(v); });
  return tensors;
}

// Linear ops have no truncation error at all; tanh and sigmoid have h^2/6 * |f'''|, below 4e-7, and
// their y is rounded to float.
constexpr double kAbsolute = 2e-6;

class Gradient : public testing::TestWithParam<std::string> {};

TEST_P(Gradient, BackwardIsTheDerivativeOfForward) {
  std::string line = GetParam();
  const Case backward = parse_case(line);
  const Case forward = parse_case(line.replace(line.find("backward"), 8, "forward"));
  const Op& op = *find_op(forward.op());
  Tensors tensors = all_inputs(op, forward);
  const auto gradients = run_oracle(op, backward, select(op, backward, tensors));
  const auto outputs = op.outputs(backward);
  ASSERT_EQ(outputs.size(), op.inputs(forward).size()) << "one gradient for every input";
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::span<float> values = tensors.at(outputs[i].name.substr(1)).data();
    ASSERT_EQ(values.size(), gradients[i].data.size());
    for (size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(gradients[i].data[j], central_difference(op, forward, tensors, values[j]),
                  kAbsolute)
          << outputs[i].name << "[" << j << "]";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Oracles, Gradient,
    testing::Values("relu pass=backward n=3x7 range=-3:3", "tanh pass=backward n=37 range=-3:3",
                    "sigmoid pass=backward n=37 range=-3:3",
                    "dense pass=backward in=1x1 out=1 bias=1 w=oi",
                    "dense pass=backward in=3x5 out=7 bias=1 w=oi",
                    "dense pass=backward in=3x5 out=7 bias=0 w=io",
                    "conv2d pass=backward in=1x1x1x1 out=1 k=1 s=1 p=0 bias=1",
                    "conv2d pass=backward in=2x3x5x4 out=2 k=3 s=1 p=1 bias=1",
                    "conv2d pass=backward in=2x2x7x6 out=3 k=3 s=2 p=1 bias=0",
                    "conv2d pass=backward in=1x2x7x8 out=2 k=2 s=3 p=2 bias=1",
                    "conv2d pass=backward in=1x2x7x6 out=2 k=3 s=1 p=2 bias=1 d=2",
                    "conv2d pass=backward in=2x4x4x5 out=6 k=3 s=1 p=1 bias=1 groups=2",
                    "conv2d pass=backward in=1x3x5x5 out=3 k=3 s=2 p=0 bias=1 groups=3",
                    "conv2d pass=backward in=2x2x5x6 out=3 k=3 s=1 p=1 bias=1 reduce=mean"));

// The kink: relu's derivative at 0 is taken as 0, whatever the sign of the zero.
TEST(GradientAtTheKink, OfReluIsZero) {
  EXPECT_EQ(evaluate("relu pass=backward n=2 range=-1:1", {{0.0F, -0.0F}, {1, 1}})[0].data,
            (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace nsop::reference
