// Every layer against the oracle of its op: the output, and the gradients against central
// differences of the oracle in double precision: d(sum of y dy)/dt ~ (L(t + h) - L(t - h)) / 2h for
// every element t of the input and the parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "harness/core/registry.h"
#include "kernels/runtime/target.h"
#include "layers/activations.h"
#include "layers/pool2d.h"
#include "layers/testing/layer_cases_support.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

// A power of two, and values are multiples of it: t + h and t - h are exact floats.
constexpr double kGridStep = 0x1p-10;

int64_t gradient_checks = 0;  // of this program; printed at its end

class PrintCount : public testing::Environment {
  void TearDown() override {
    std::printf(
        "%lld derivatives by finite differences, each compared with 1 and 2 threads on every "
        "target\n",
        static_cast<long long>(gradient_checks));
  }
};
const testing::Environment* const kPrintCount = testing::AddGlobalTestEnvironment(new PrintCount);

// Multiples of the step in [lo, hi], away from zero, where activations have their kinks.
void fill_on_grid(Floats values, Random& random, double lo, double hi) {
  for (float& value : values) {
    do {
      value = static_cast<float>(std::round(random.uniform(lo, hi) / kGridStep) * kGridStep);
    } while (std::fabs(value) < 4 * kGridStep);
  }
}

// Values four steps or more apart, in the same order: no difference changes which is the largest.
void spread_apart(Floats values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    values[order[i]] = static_cast<float>((4.0 * static_cast<double>(i) + 2) * kGridStep);
  }
}

// The oracle of a case on the tensors of a layer.
class Oracle {
 public:
  Oracle(const LayerCase& c, const Prepared& p) : formula_(c.formula), layer_(*p.layer) {
    if (formula_) {
      inputs_.emplace_back(c.in);
      std::ranges::copy(p.x, inputs_[0].data().begin());
      names_.push_back("x");
      return;
    }
    case_ = parse_case(c.op_case);
    op_ = find_op(case_.op());
    std::map<std::string, ConstFloats> tensors;
    for (const Parameter& q : p.layer->parameters()) tensors[name(q.name)] = q.value;
    for (const Buffer& b : p.layer->buffers()) tensors[name(b.name)] = b.value;
    tensors["x"] = tensors["index"] = p.x;
    for (const InputSpec& spec : op_->inputs(case_)) {
      Tensor& tensor = inputs_.emplace_back(spec.shape);
      names_.push_back(spec.name);
      std::ranges::fill(tensor.data(), 0.0f);
      if (spec.name == "h0" || spec.name == "c0") continue;  // sequences start from zeros
      EXPECT_EQ(tensor.size(), tensors[spec.name].size()) << spec.name;
      std::ranges::copy(tensors[spec.name], tensor.data().begin());
    }
  }

  std::vector<double> output() const {
    if (formula_) return formula_(layer_, inputs_[0].data());
    return expected_outputs(*op_, case_, inputs_, {}).front().data;
  }

  // The input of the op that belongs to the layer's input (`x`) or parameter.
  Floats input(const std::string& layer_name) {
    const auto at = std::ranges::find(names_, name(layer_name));
    EXPECT_NE(at, names_.end()) << layer_name;
    return inputs_[static_cast<size_t>(at - names_.begin())].data();
  }

  // The derivative of sum y dy by `value`, one of the inputs' elements: Richardson's extrapolation
  // of two central differences, in which the error in h^2 cancels.
  double derivative(ConstFloats dy, float& value) const {
    const float middle = value;
    const auto loss = [&](double off) {
      value = static_cast<float>(middle + off);
      const std::vector<double> y = output();
      return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
    };
    const double fine = (loss(kGridStep) - loss(-kGridStep)) / (2 * kGridStep);
    const double coarse = (loss(2 * kGridStep) - loss(-2 * kGridStep)) / (4 * kGridStep);
    value = middle;
    return (4 * fine - coarse) / 3;
  }

  // From one side, for kinks: that of the sign of h, with the error in h cancelled.
  double one_sided(ConstFloats dy, float& value, double h) const {
    const float middle = value;
    const auto loss = [&](double off) {
      value = static_cast<float>(middle + off);
      const std::vector<double> y = output();
      return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
    };
    const double slope = (4 * loss(h) - loss(2 * h) - 3 * loss(0)) / (2 * h);
    value = middle;
    return slope;
  }

 private:
  std::string name(const std::string& layer_name) const {
    if (layer_name == "x") return "x";
    return oracle_name(case_, layer_name);
  }

  std::function<std::vector<double>(const Layer&, ConstFloats x)> formula_;
  const Layer& layer_;
  Case case_;
  const Op* op_ = nullptr;
  std::vector<Tensor> inputs_;
  std::vector<std::string> names_;
};

// A layer of a case with values on the grid.
Prepared prepare(const LayerCase& c, int threads) {
  Prepared p(c.make(), c.in, threads);
  p.layer->set_training(c.training);
  Random random(7);
  if (c.indices > 0) {
    for (float& index : p.x) {
      index = static_cast<float>(random.below(static_cast<uint64_t>(c.indices)));
    }
  } else {
    fill_on_grid(p.x, random, -2, 2);
  }
  if (c.op_case.find("maxpool") != std::string::npos) spread_apart(p.x);
  for (Parameter& q : p.layer->parameters()) fill_on_grid(q.value, random, -1, 1);
  for (Buffer& b : p.layer->buffers()) {
    const bool variance = b.name == "running_var";
    fill_on_grid(b.value, random, variance ? 0.5 : -1, variance ? 1.5 : 1);
  }
  fill_on_grid(p.dy, random, -1, 1);
  return p;
}

// What float32 sums of some dozen terms of the size of the largest may be off.
double allowed(const std::vector<double>& expected) {
  double largest = 1;
  for (const double value : expected) largest = std::max(largest, std::fabs(value));
  return 1e-5 * largest;
}

void expect_near(ConstFloats got, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  const double tolerance = allowed(expected);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance) << what << "[" << i << "]";
  }
}

class LayerGradient : public EveryLayer {};
INSTANTIATE_TEST_SUITE_P(Layers, LayerGradient, testing::ValuesIn(layer_kinds()), layer_kind_name);
INSTANTIATE_TEST_SUITE_P(Rows, LayerGradient, testing::ValuesIn(registered_kinds()),
                         layer_kind_name);

// What a step of a case must give.
struct Expected {
  std::vector<double> y;
  std::map<std::string, std::vector<double>> gradients;  // of `x` and the parameters
};

Expected expected_of(const LayerCase& c) {
  Prepared p = prepare(c, 1);
  Oracle oracle(c, p);
  p.forward();
  Expected expected;
  expected.y = oracle.output();
  std::vector<std::string> names;
  if (c.indices == 0) names.push_back("x");
  for (const Parameter& q : p.layer->parameters()) names.push_back(q.name);
  for (const std::string& name : names) {
    std::vector<double>& gradient = expected.gradients[name];
    for (float& value : oracle.input(name)) gradient.push_back(oracle.derivative(p.dy, value));
    gradient_checks += static_cast<int64_t>(gradient.size());
  }
  return expected;
}

void check_step(const LayerCase& c, int threads, const Expected& expected) {
  Prepared p = prepare(c, threads);
  p.forward();
  p.backward();
  EXPECT_TRUE(p.stayed_inside());
  expect_near(p.y, expected.y, "y");
  if (c.indices == 0) expect_near(p.dx, expected.gradients.at("x"), "dx");
  for (const Parameter& q : p.layer->parameters()) {
    expect_near(q.gradient, expected.gradients.at(q.name), "gradient of " + q.name);
  }
}

void check_gradients(const LayerCase& c) {
  const Expected expected = expected_of(c);
  for (const std::string& target : kernels::targets()) {
    kernels::pin_target(target);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(target + ", threads: " + std::to_string(threads));
      check_step(c, threads, expected);
    }
  }
  kernels::pin_target(kernels::targets().front());
}

TEST_P(LayerGradient, IsTheDerivativeOfTheOracle) { for_each_case(check_gradients); }

// A gradient of the input that isn't wanted changes nothing of the others.
void check_parameters_alone(const LayerCase& c) {
  Prepared p = prepare(c, 1);
  p.forward();
  p.backward();
  std::vector<std::vector<float>> gradients;
  for (Parameter& q : p.layer->parameters()) {
    gradients.emplace_back(q.gradient.begin(), q.gradient.end());
    std::ranges::fill(q.gradient, -77.0f);
  }
  p.layer->backward(p.x, p.y, p.dy, {});
  EXPECT_TRUE(p.stayed_inside());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const ConstFloats again = p.layer->parameters()[i].gradient;
    EXPECT_TRUE(std::ranges::equal(again, gradients[i])) << p.layer->parameters()[i].name;
  }
}

TEST_P(LayerGradient, OfTheParametersAlone) { for_each_case(check_parameters_alone); }

// At kinks the gradient is the derivative from the side that the layer's header states.
struct Kink {
  std::string name;
  std::function<std::unique_ptr<Layer>()> make;
  std::string op_case;
  Shape in;
  std::vector<float> x;
  std::vector<int> sides;  // of each x: -1 left, 1 right
};

const std::vector<Kink>& kinks() {
  static const std::vector<Kink> table = {
      {"ReLU",
       [] { return std::make_unique<ReLU>(); },
       "relu pass=forward n=3 range=-3:3",
       {3},
       {0, -0.0f, 0},
       {-1, -1, -1}},
      {"LeakyReLU",
       [] { return std::make_unique<LeakyReLU>(0.125f); },
       "leaky_relu alpha=0.125 pass=forward n=2 range=-3:3",
       {2},
       {0, -0.0f},
       {-1, -1}},
      {"ELU",
       [] { return std::make_unique<ELU>(1.5f); },
       "elu alpha=1.5 pass=forward n=2 range=-3:3",
       {2},
       {0, -0.0f},
       {-1, -1}},
      {"ReLU6",
       [] { return std::make_unique<ReLU6>(); },
       "relu6 pass=forward n=3 range=-3:3",
       {3},
       {0, 6, -0.0f},
       {-1, 1, -1}},
      // Of equal values the first is the one: larger, it takes the window with it; of the others
      // that holds for smaller.
      {"MaxPool2D",
       [] { return std::make_unique<MaxPool2D>(Pool2DOptions{.kernel = 2}); },
       "maxpool2d pass=forward in=1x1x2x4 k=2 s=2 p=0",
       {1, 1, 2, 4},
       {1, 1, 0, 2, 1, 1, 2, 2},
       {1, -1, -1, 1, -1, -1, -1, -1}},
  };
  return table;
}

void check_kink(const Kink& kink) {
  const LayerCase c{kink.name, kink.make, kink.in, kink.op_case};
  Prepared p = prepare(c, 1);
  p.x = kink.x;
  p.forward();
  p.backward();
  Oracle oracle(c, p);
  const Floats x = oracle.input("x");
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(p.dx[i], oracle.one_sided(p.dy, x[i], kink.sides[i] * kGridStep), 1e-5)
        << kink.name << "[" << i << "]";
    ++gradient_checks;
  }
}

// So often that every target has whole vectors of it, two at a time, and a rest: along the only
// axis, or as planes.
Kink repeated(Kink kink) {
  constexpr size_t kTimes = 37;
  const bool planes = kink.in.size() > 1;
  const std::string from = planes ? "in=1x1x" : "n=" + std::to_string(kink.in[0]);
  kink.in[planes ? 1 : 0] *= kTimes;
  const std::string to = planes ? "in=1x37x" : "n=" + std::to_string(kink.in[0]);
  kink.op_case.replace(kink.op_case.find(from), from.size(), to);
  const std::vector<float> x = kink.x;
  const std::vector<int> sides = kink.sides;
  for (size_t i = 1; i < kTimes; ++i) {
    kink.x.insert(kink.x.end(), x.begin(), x.end());
    kink.sides.insert(kink.sides.end(), sides.begin(), sides.end());
  }
  return kink;
}

TEST(LayerKink, TakesTheStatedSide) {
  for (const std::string& target : kernels::targets()) {
    kernels::pin_target(target);
    for (const Kink& kink : kinks()) {
      SCOPED_TRACE(target);
      check_kink(kink);
      check_kink(repeated(kink));
    }
  }
  kernels::pin_target(kernels::targets().front());
}

}  // namespace
}  // namespace nsop::layers
