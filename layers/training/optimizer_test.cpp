// Optimizers against PyTorch's, step by step, and what they refuse.
#include "layers/training/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/json.h"
#include "layers/testing/errors_support.h"

namespace nsop::layers {
namespace {

using testing::HasSubstr;

// Parameters of these sizes with memory of their own.
struct Model {
  explicit Model(const std::vector<size_t>& sizes) {
    for (const size_t size : sizes) {
      values.emplace_back(size);
      gradients.emplace_back(size);
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      parameters.push_back({std::to_string(i) + ".weight",
                            {static_cast<int64_t>(sizes[i])},
                            values[i],
                            gradients[i]});
    }
  }
  std::vector<std::vector<float>> values, gradients;
  std::vector<Parameter> parameters;
};

// The rules of layers/training/testdata/make_optimizers.py by their names there.
const std::map<std::string, OptimizerRule>& rules() {
  static const std::map<std::string, OptimizerRule> all = {
      {"sgd", Sgd{}},
      {"sgd_decay", Sgd{.weight_decay = 0.1}},
      {"sgd_momentum", Sgd{.momentum = 0.9}},
      {"sgd_nesterov", Sgd{.momentum = 0.9, .nesterov = true, .weight_decay = 0.01}},
      {"adam", Adam{}},
      {"adam_decay", Adam{.beta1 = 0.8, .beta2 = 0.99, .eps = 1e-4, .weight_decay = 0.1}},
      {"adamw", AdamW{}},
      {"adamw_decay", AdamW{.beta1 = 0.8, .beta2 = 0.99, .weight_decay = 0.2}},
      {"rmsprop", Rmsprop{}},
      {"rmsprop_momentum", Rmsprop{.alpha = 0.9, .momentum = 0.5, .weight_decay = 0.1}},
      {"adagrad", Adagrad{}},
      {"adagrad_decay", Adagrad{.eps = 1e-6, .weight_decay = 0.1}},
  };
  return all;
}

TEST(Optimizer, FollowsPyTorchStepByStep) {
  const std::string path = NSOP_LAYERS_TESTDATA "/optimizers.json";
  const Json golden = parse_json(read_file(path), path);
  const auto start = golden["start"].get<std::vector<float>>();
  ASSERT_EQ(golden["traces"].size(), rules().size());
  for (const auto& [name, rule] : rules()) {
    Model model({start.size()});
    std::ranges::copy(start, model.parameters[0].value.begin());
    Optimizer optimizer(rule);
    optimizer.init(model.parameters);
    const Json& steps = golden["traces"][name];
    ASSERT_GE(steps.size(), 12u) << name;
    for (const Json& step : steps) {
      const auto gradient = step[0].get<std::vector<float>>();
      std::ranges::copy(gradient, model.parameters[0].gradient.begin());
      optimizer.step(golden["rate"].get<double>());
      const auto expected = step[1].get<std::vector<float>>();
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(model.values[0][i], expected[i], 2e-6 * std::max(1.0f, std::abs(expected[i])))
            << name << " weight " << i << " after step " << optimizer.steps();
      }
    }
    EXPECT_EQ(optimizer.steps(), static_cast<int64_t>(steps.size()));
  }
}

// (w - 3)^2 has its minimum at 3; each rule gets there with a rate that suits it.
TEST(Optimizer, FindsAMinimum) {
  for (const auto& [rule, rate] :
       std::vector<std::pair<OptimizerRule, double>>{{Sgd{}, 0.1},
                                                     {Sgd{.momentum = 0.9, .nesterov = true}, 0.02},
                                                     {Adam{}, 0.1},
                                                     {AdamW{.weight_decay = 0}, 0.1},
                                                     {Rmsprop{}, 0.01},
                                                     {Adagrad{}, 1}}) {
    Model model({17, 1});
    Optimizer optimizer(rule);
    optimizer.init(model.parameters, 2);
    for (int step = 0; step < 1000; ++step) {
      for (const Parameter& p : model.parameters) {
        for (size_t i = 0; i < p.value.size(); ++i) p.gradient[i] = 2 * (p.value[i] - 3);
      }
      optimizer.step(rate);
    }
    for (const Parameter& p : model.parameters) {
      for (const float w : p.value) EXPECT_NEAR(w, 3, 0.02) << optimizer.name();
    }
  }
}

// State that is put back makes the next step the one that would have come.
TEST(Optimizer, GoesOnFromASavedState) {
  for (const auto& [name, rule] : rules()) {
    Model one({5}), two({5});
    Optimizer first(rule), second(rule);
    first.init(one.parameters);
    second.init(two.parameters);
    const auto step = [](Model& model, Optimizer& optimizer) {
      for (size_t i = 0; i < 5; ++i) {
        model.parameters[0].gradient[i] = model.parameters[0].value[i] - static_cast<float>(i);
      }
      optimizer.step(0.1);
    };
    for (int i = 0; i < 3; ++i) step(one, first);
    std::ranges::copy(one.parameters[0].value, two.parameters[0].value.begin());
    ASSERT_EQ(first.state().size(), second.state().size());
    for (size_t i = 0; i < first.state().size(); ++i) {
      EXPECT_EQ(first.state()[i].name, second.state()[i].name);
      std::ranges::copy(first.state()[i].value, second.state()[i].value.begin());
    }
    EXPECT_EQ(second.steps(), 3);
    step(one, first);
    step(two, second);
    EXPECT_EQ(one.values, two.values) << name;
  }
}

TEST(Optimizer, NamesItsStateAfterTheParameters) {
  Model model({2, 3});
  Optimizer optimizer(Adam{});
  optimizer.init(model.parameters);
  std::vector<std::string> names;
  for (const Buffer& buffer : optimizer.state()) names.push_back(buffer.name);
  EXPECT_THAT(
      names, testing::ElementsAre("optimizer.steps", "optimizer.m.0.weight", "optimizer.v.0.weight",
                                  "optimizer.m.1.weight", "optimizer.v.1.weight"));
}

TEST(Optimizer, SaysWhatItsStateTakes) {
  Model model({40, 24});
  const auto bytes = [&](const OptimizerRule& rule) {
    Optimizer optimizer(rule);
    optimizer.init(model.parameters);
    return optimizer.memory_bytes();
  };
  const size_t per_state = 64 * sizeof(float);
  EXPECT_GE(bytes(Sgd{.momentum = 0.9}), per_state);
  EXPECT_GE(bytes(Adam{}), bytes(Sgd{}) + 2 * per_state);
}

TEST(Optimizer, RefusesNumbersOutOfRange) {
  EXPECT_THAT(error_of([] { Optimizer o(Sgd{.momentum = 1}); }), HasSubstr("momentum is 1"));
  EXPECT_THAT(error_of([] { Optimizer o(Sgd{.nesterov = true}); }), HasSubstr("with nesterov"));
  EXPECT_THAT(error_of([] { Optimizer o(Adam{.beta2 = -0.1}); }), HasSubstr("beta2 is -0.1"));
  EXPECT_THAT(error_of([] { Optimizer o(AdamW{.weight_decay = -1}); }), HasSubstr("weight_decay"));
  EXPECT_THAT(error_of([] { Optimizer o(Rmsprop{.eps = 0}); }), HasSubstr("eps is 0"));
  EXPECT_THAT(error_of([] { Optimizer o(Adagrad{.eps = 0}); }), HasSubstr("eps is 0"));
  Optimizer optimizer(Adam{});
  EXPECT_THAT(error_of([&] { optimizer.step(0.1); }), HasSubstr("init() must come before"));
  Model model({2});
  EXPECT_THAT(error_of([&] { optimizer.init(model.parameters, 0); }), HasSubstr("given 0"));
  optimizer.init(model.parameters);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of([&] { optimizer.step(nan); }), HasSubstr("learning rate is nan"));
  EXPECT_EQ(optimizer.steps(), 0);
}

}  // namespace
}  // namespace nsop::layers
