// The oracles' backward passes against central differences of their forward passes:
// d(sum y*dy)/dt ~ (L(t + h) - L(t - h)) / 2h for every element t of x, w and b.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "harness/core/files.h"
#include "harness/core/tensor/random.h"
#include "harness/core/text.h"
#include "reference/testing/oracle_support.h"

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

// The forward pass, weighted: the sum of output * d<output> over all outputs with a gradient.
double loss(const Op& op, const Case& forward, const Tensors& tensors) {
  const auto results = run_oracle(op, forward, select(op, forward, tensors));
  const auto specs = op.outputs(forward);
  double sum = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    const auto gradient = tensors.find("d" + specs[i].name);
    if (gradient == tensors.end()) continue;
    const auto dy = gradient->second.data();
    for (size_t j = 0; j < dy.size(); ++j) sum += results[i].data[j] * dy[j];
  }
  return sum;
}

double central_difference(const Op& op, const Case& forward, Tensors& tensors, float& value,
                          double step) {
  const float middle = value;
  value = static_cast<float>(middle + step);
  const double above = loss(op, forward, tensors);
  value = static_cast<float>(middle - step);
  const double below = loss(op, forward, tensors);
  value = middle;
  return (above - below) / (2 * step);
}

// Richardson's extrapolation of two steps: the error in h^2 cancels.
double derivative(const Op& op, const Case& forward, Tensors& tensors, float& value) {
  const double fine = central_difference(op, forward, tensors, value, kStep);
  const double coarse = central_difference(op, forward, tensors, value, 2 * kStep);
  return (4 * fine - coarse) / 3;
}

// Values that differ by four steps or more, in random order: no difference crosses the kink of an
// op that picks the largest.
void spread_apart(Tensor& t) {
  const std::span<float> values = t.data();
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    values[order[i]] = static_cast<float>((4.0 * static_cast<double>(i) + 2) * kStep);
  }
}

// 0, 2, 4, ... round and round, so that some rows are picked twice and others never.
void pick_rows(Tensor& index, int64_t vocab) {
  for (size_t i = 0; i < index.size(); ++i) {
    index.data()[i] = static_cast<float>(2 * static_cast<int64_t>(i) % vocab);
  }
}

// Inputs of both passes: what the forward pass takes, a random gradient for each output that the
// backward pass has a gradient of, and the outputs that the backward pass takes.
Tensors all_inputs(const Op& op, const Case& forward, const Case& backward) {
  Tensors tensors;
  uint64_t seed = 1;
  for (const InputSpec& spec : op.inputs(forward)) {
    const auto at = tensors.emplace(spec.name, random_tensor(spec.shape, seed++)).first;
    if (op.spec.name.find("maxpool") != std::string::npos) spread_apart(at->second);
    if (spec.name == "var") {
      for (float& value : at->second.data()) value = std::fabs(value) + 0.5f;
    }
    if (spec.name == "index") pick_rows(at->second, forward.integer("vocab"));
  }
  const auto results = run_oracle(op, forward, select(op, forward, tensors));
  const auto specs = op.outputs(forward);
  for (size_t i = 0; i < specs.size(); ++i) {
    Tensor& saved = tensors.emplace(specs[i].name, results[i].shape).first->second;
    std::ranges::transform(results[i].data, saved.data().begin(),
                           [](double v) { return static_cast<float>(v); });
  }
  for (const InputSpec& spec : op.inputs(backward)) {
    if (!tensors.contains(spec.name)) {
      tensors.emplace(spec.name, random_tensor(spec.shape, seed++));
    }
  }
  return tensors;
}

// What is left of the truncation error is h^4/30 times the fifth derivative, nothing. Saved outputs
// (y, mean, inv_std) are rounded to float: some 1e-7 of gradients of a size of up to 10.
constexpr double kAbsolute = 2e-6;

class Gradient : public testing::TestWithParam<std::string> {};

TEST_P(Gradient, BackwardIsTheDerivativeOfForward) {
  std::string line = GetParam();
  const Case backward = parse_case(line);
  const Case forward = parse_case(line.replace(line.find("backward"), 8, "forward"));
  const Op& op = *find_op(forward.op());
  Tensors tensors = all_inputs(op, forward, backward);
  const auto gradients = run_oracle(op, backward, select(op, backward, tensors));
  const auto outputs = op.outputs(backward);
  // Statistics that are given are constants, and so are indices.
  const auto is_constant = [&](const InputSpec& input) {
    const bool given = forward.has("mode") && forward.str("mode") == "eval";
    return input.name == "index" || (given && (input.name == "mean" || input.name == "var"));
  };
  const auto constants = std::ranges::count_if(op.inputs(forward), is_constant);
  ASSERT_EQ(outputs.size() + static_cast<size_t>(constants), op.inputs(forward).size())
      << "a gradient for every input";
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::span<float> values = tensors.at(outputs[i].name.substr(1)).data();
    ASSERT_EQ(values.size(), gradients[i].data.size());
    for (size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(gradients[i].data[j], derivative(op, forward, tensors, values[j]), kAbsolute)
          << outputs[i].name << "[" << j << "]";
    }
  }
}

// Shapes chosen by hand: the smallest, ragged ones, each parameter away from its plain value.
const std::vector<std::string> kByHand = {
    "relu pass=backward n=3x7 range=-3:3",
    "tanh pass=backward n=37 range=-3:3",
    "sigmoid pass=backward n=37 range=-3:3",
    "relu6 pass=backward n=37 range=-3:3",
    "leaky_relu pass=backward n=37 alpha=0.1 range=-3:3",
    "elu pass=backward n=37 alpha=1.5 range=-3:3",
    "gelu pass=backward n=37 form=tanh range=-3:3",
    "gelu pass=backward n=37 form=erf range=-3:3",
    "silu pass=backward n=37 range=-3:3",
    "softplus pass=backward n=37 range=-3:3",
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
    "conv2d pass=backward in=2x2x5x6 out=3 k=3 s=1 p=1 bias=1 reduce=mean",
    "conv1d pass=backward in=1x1x1 out=1 k=1 s=1 p=0 bias=1",
    "conv1d pass=backward in=2x3x7 out=4 k=3 s=2 p=1 bias=1 d=2",
    "conv1d pass=backward in=2x4x6 out=2 k=2 s=1 p=1 bias=1 groups=2 reduce=mean",
    "conv3d pass=backward in=1x1x1x1x1 out=1 k=1 s=1 p=0 bias=1",
    "conv3d pass=backward in=2x2x3x4x3 out=2 k=3 s=1 p=1 bias=1",
    "conv3d pass=backward in=1x4x4x5x3 out=2 k=2 s=2 p=1 bias=0 d=2 groups=2",
    "conv2d_transpose pass=backward in=1x1x1x1 out=1 k=1 s=1 p=0 bias=1",
    "conv2d_transpose pass=backward in=2x3x3x4 out=2 k=3 s=2 p=1 bias=1 op=1",
    "conv2d_transpose pass=backward in=1x2x4x3 out=3 k=2 s=3 p=0 bias=0 op=2",
    "conv2d_transpose pass=backward in=1x4x3x2 out=6 k=2 s=2 p=1 bias=1 op=1 d=3 groups=2",
    "conv1d_transpose pass=backward in=2x2x5 out=4 k=3 s=2 p=1 bias=1 d=2 groups=2",
    "conv3d_transpose pass=backward in=1x2x2x3x2 out=2 k=2 s=2 p=0 bias=1 op=1",
    "adaptive_maxpool2d pass=backward in=1x2x5x7 out=3x2",
    "adaptive_maxpool2d pass=backward in=1x1x3x4 out=5x4",
    "maxpool2d pass=backward in=1x1x1x1 k=1 s=1 p=0",
    "maxpool2d pass=backward in=2x2x5x7 k=2 s=2 p=0",
    "maxpool2d pass=backward in=1x2x7x6 k=3 s=2 p=1",
    "maxpool2d pass=backward in=1x1x6x7 k=3 s=1 p=2",
    "maxpool2d pass=backward in=1x1x7x8 k=2 s=3 p=0",
    "maxpool1d pass=backward in=2x2x7 k=2 s=2 p=0",
    "maxpool1d pass=backward in=1x3x8 k=3 s=2 p=1",
    "maxpool3d pass=backward in=1x2x3x4x3 k=2 s=2 p=0",
    "maxpool3d pass=backward in=1x1x3x4x5 k=3 s=2 p=1",
    "maxpool3d pass=backward in=1x1x4x3x4 k=2 s=1 p=1",
    "avgpool1d pass=backward in=2x2x7 k=2 s=2 p=0",
    "avgpool1d pass=backward in=1x3x8 k=3 s=1 p=2",
    "avgpool3d pass=backward in=1x2x3x4x3 k=2 s=2 p=0",
    "avgpool3d pass=backward in=1x1x3x4x5 k=3 s=2 p=1",
    "avgpool2d pass=backward in=1x1x1x1 k=1 s=1 p=0",
    "avgpool2d pass=backward in=2x2x5x7 k=2 s=2 p=0",
    "avgpool2d pass=backward in=1x2x7x6 k=3 s=2 p=1",
    "avgpool2d pass=backward in=1x1x6x7 k=3 s=1 p=2",
    "avgpool2d pass=backward in=1x1x7x8 k=2 s=3 p=0",
    "adaptive_avgpool2d pass=backward in=2x2x5x7 out=1x1",
    "adaptive_avgpool2d pass=backward in=1x2x5x7 out=3x2",
    "adaptive_avgpool2d pass=backward in=1x1x3x4 out=5x4",
    "lstm_pointwise pass=backward n=1x1",
    "lstm_pointwise pass=backward n=3x5",
    "gru_pointwise pass=backward n=1x1",
    "gru_pointwise pass=backward n=3x5",
    "batchnorm pass=backward in=1x1x1x1 mode=train",
    "batchnorm pass=backward in=2x3x3x5 mode=eval",
    "batchnorm pass=backward in=3x2x1x1 mode=train",
    "batchnorm pass=backward in=2x3x3x5 mode=train",
    "batchnorm pass=backward in=3x2x5 mode=train",
    "batchnorm pass=backward in=2x2x2x3x2 mode=train",
    "batchnorm pass=backward in=3x2x5 mode=eval",
    "groupnorm pass=backward in=2x3x1x2 groups=1",
    "groupnorm pass=backward in=2x6x2x3 groups=3",
    "groupnorm pass=backward in=1x4x3x3 groups=4",
    "groupnorm pass=backward in=2x4x5 groups=2",
    "groupnorm pass=backward in=1x4x2x3x2 groups=2",
    "layernorm pass=backward n=5 last=1",
    "layernorm pass=backward n=4x7 last=1",
    "layernorm pass=backward n=2x3x5 last=2",
    "layernorm pass=backward n=2x2x3x4 last=3",
    "rmsnorm pass=backward n=1",
    "rmsnorm pass=backward n=5x7",
    "rmsnorm pass=backward n=2x3x4",
    "lstm pass=backward in=1x1x1 hidden=1",
    "lstm pass=backward in=1x3x2 hidden=3",
    "lstm pass=backward in=4x2x3 hidden=2",
    "gru pass=backward in=1x1x1 hidden=1",
    "gru pass=backward in=1x3x2 hidden=3",
    "gru pass=backward in=4x2x3 hidden=2",
    "rnn pass=backward in=1x1x1 hidden=1",
    "rnn pass=backward in=1x3x2 hidden=3",
    "rnn pass=backward in=4x2x3 hidden=2",
    "embedding pass=backward n=7 vocab=5 dim=3",
    "embedding pass=backward n=2x3 vocab=1 dim=1",
    "mean pass=backward n=3x5x2 axis=all",
    "mean pass=backward n=3x5x2 axis=1",
    "softmax pass=backward n=7 axis=0",
    "softmax pass=backward n=3x5x2 axis=1",
    "log_softmax pass=backward n=7 axis=0",
    "log_softmax pass=backward n=3x5x2 axis=1",
};

constexpr int64_t kMostElements = 64;  // of all inputs
constexpr size_t kMostLines = 4;       // of an op

int64_t input_elements(const Op& op, const Case& c) {
  int64_t elements = 0;
  for (const InputSpec& input : op.inputs(c)) elements += element_count(input.shape);
  return elements;
}

// Small cases of check_cases.txt of every op with a backward pass that has none above: an op that
// is added is checked without a line here.
std::vector<std::string> registered_lines() {
  std::map<std::string, size_t> count;
  for (const std::string& line : kByHand) count[case_op(line)] = kMostLines;
  std::vector<std::string> lines;
  for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
    const std::string line = trim(raw);
    if (line.empty() || line[0] == '#') continue;
    const Op* op = find_op(case_op(line));
    if (op == nullptr || op->oracle_given) continue;
    for (const Case& c : expand_cases(line, op->spec)) {
      if (!c.has("pass") || c.str("pass") != "backward") continue;
      if (input_elements(*op, c) > kMostElements || count[c.op()] == kMostLines) continue;
      ++count[c.op()];
      lines.push_back(c.text());
    }
  }
  return lines;
}

INSTANTIATE_TEST_SUITE_P(ByHand, Gradient, testing::ValuesIn(kByHand));
INSTANTIATE_TEST_SUITE_P(Registered, Gradient, testing::ValuesIn(registered_lines()));

// The kink: relu's derivative at 0 is taken as 0, whatever the sign of the zero.
TEST(GradientAtTheKink, OfReluIsZero) {
  EXPECT_EQ(evaluate("relu pass=backward n=2 range=-1:1", {{0.0F, -0.0F}, {1, 1}})[0].data,
            (std::vector<double>{0, 0}));
}

// Equal values in a window: the first takes the whole gradient.
TEST(GradientAtTheKink, OfMaxPoolingGoesToTheFirst) {
  const auto y =
      evaluate("maxpool2d pass=forward in=1x1x2x4 k=2 s=2 p=0", {{3, 3, 1, 2, 3, 0, 2, 2}});
  EXPECT_EQ(y[1].data, (std::vector<double>{0, 3}));
  const auto dx = evaluate("maxpool2d pass=backward in=1x1x2x4 k=2 s=2 p=0",
                           {{3, 3, 1, 2, 3, 0, 2, 2}, {0, 3}, {5, 7}});
  EXPECT_EQ(dx[0].data, (std::vector<double>{5, 0, 0, 7, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace nsop::reference
