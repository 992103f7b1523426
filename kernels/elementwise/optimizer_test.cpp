// The update rules against their formulas in double precision: any length, target and threads.
#include "kernels/elementwise/optimizer.h"

#include <algorithm>
#include <functional>

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// One element in double precision: the weight, the gradient and up to two numbers of state.
struct Element {
  double w, g, first, second;
};

// The same update twice: by a kernel, and for one element by its formula.
struct Rule {
  std::string name;
  int states;
  std::function<void(std::span<const float> g, std::span<float> w, std::span<float> first,
                     std::span<float> second, ThreadPool& thread_pool)>
      kernel;
  std::function<void(Element& e)> formula;
};

Rule sgd(const std::string& name, const SgdRule& r) {
  return {name, r.momentum > 0 ? 1 : 0,
          [r](auto g, auto w, auto first, auto, ThreadPool& thread_pool) {
            sgd_update(r, g, w, first, thread_pool);
          },
          [r](Element& e) {
            const double g = e.g + double{r.weight_decay} * e.w;
            e.first = r.momentum * e.first + g;
            const double step = r.nesterov ? g + r.momentum * e.first : e.first;
            e.w -= r.rate * step;
          }};
}

Rule adam(const std::string& name, const AdamRule& r) {
  return {name, 2,
          [r](auto g, auto w, auto m, auto v, ThreadPool& thread_pool) {
            adam_update(r, g, w, m, v, thread_pool);
          },
          [r](Element& e) {
            const double g = e.g + double{r.weight_decay} * e.w;
            e.first = double{r.beta1} * e.first + double{r.rest1} * g;
            e.second = double{r.beta2} * e.second + double{r.rest2} * g * g;
            e.w = double{r.keep} * e.w -
                  r.rate * e.first / (std::sqrt(e.second) * double{r.root} + double{r.eps});
          }};
}

Rule rmsprop(const std::string& name, const RmspropRule& r) {
  return {name, r.momentum > 0 ? 2 : 1,
          [r](auto g, auto w, auto square, auto momentum, ThreadPool& thread_pool) {
            rmsprop_update(r, g, w, square, momentum, thread_pool);
          },
          [r](Element& e) {
            const double g = e.g + double{r.weight_decay} * e.w;
            e.first = double{r.alpha} * e.first + double{r.rest} * g * g;
            e.second = double{r.momentum} * e.second + g / (std::sqrt(e.first) + double{r.eps});
            e.w -= r.rate * e.second;
          }};
}

Rule adagrad(const std::string& name, const AdagradRule& r) {
  return {name, 1,
          [r](auto g, auto w, auto sum, auto, ThreadPool& thread_pool) {
            adagrad_update(r, g, w, sum, thread_pool);
          },
          [r](Element& e) {
            const double g = e.g + double{r.weight_decay} * e.w;
            e.first += g * g;
            e.w -= r.rate * g / (std::sqrt(e.first) + double{r.eps});
          }};
}

std::vector<Rule> rules() {
  const AdamRule plain = {0.01f, 1.5f, 0.9f, 0.1f, 0.999f, 0.001f, 1e-8f, 0, 1};
  AdamRule decayed = plain, coupled = plain;
  decayed.keep = 0.99f;
  coupled.weight_decay = 0.1f;
  return {sgd("sgd", {0.1f, 0, 0, false}),
          sgd("sgd_decay", {0.1f, 0.01f, 0, false}),
          sgd("momentum", {0.1f, 0.01f, 0.9f, false}),
          sgd("nesterov", {0.1f, 0, 0.9f, true}),
          adam("adam", plain),
          adam("adam_decay", coupled),
          adam("adamw", decayed),
          rmsprop("rmsprop", {0.01f, 0.99f, 0.01f, 1e-8f, 0, 0}),
          rmsprop("rmsprop_momentum", {0.01f, 0.9f, 0.1f, 1e-8f, 0.01f, 0.9f}),
          adagrad("adagrad", {0.01f, 1e-10f, 0}),
          adagrad("adagrad_decay", {0.01f, 1e-10f, 0.1f})};
}

// Weights, gradients and state of so many elements. State is not negative, as squares aren't.
struct Arrays {
  GuardedFloats w, first, second;
  std::vector<float> g;
  int states;
  Arrays(size_t n, int state_count)
      : w(n, n % 5), first(n, n % 3), second(n), g(random_floats(n, 2 * n)), states(state_count) {
    fill(w, 3 * n, false);
    fill(first, 5 * n, true);
    fill(second, 7 * n, true);
  }
  static void fill(GuardedFloats& to, uint64_t seed, bool positive) {
    const std::vector<float> values = random_floats(to.span().size(), seed);
    std::ranges::transform(values, to.span().begin(),
                           [&](float v) { return positive ? std::abs(v) + 0.01f : v; });
  }
  void update(const Rule& rule, ThreadPool& thread_pool) {
    rule.kernel(g, w.span(), states > 0 ? first.span() : std::span<float>(),
                states > 1 ? second.span() : std::span<float>(), thread_pool);
  }
  std::vector<float> all() {
    std::vector<float> out;
    for (GuardedFloats* array : {&w, &first, &second}) {
      out.insert(out.end(), array->span().begin(), array->span().end());
    }
    return out;
  }
};

// Some roundings of numbers of order 1.
void expect_close(double got, double expected, const std::string& where) {
  EXPECT_LE(std::abs(got - expected), 4e-6 * std::max(1.0, std::abs(expected)))
      << where << ": got " << got << ", expected " << expected;
}

class OptimizerOf : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, OptimizerOf, testing::ValuesIn(targets()), target_param_name);

TEST_P(OptimizerOf, AnyLengthFollowsTheFormula) {
  for (const Rule& rule : rules()) {
    for (size_t n = 0; n < 70; ++n) {
      Arrays arrays(n, rule.states);
      std::vector<Element> exact(n);
      for (size_t i = 0; i < n; ++i) {
        exact[i] = {arrays.w.span()[i], arrays.g[i], rule.states > 0 ? arrays.first.span()[i] : 0.0,
                    rule.states > 1 ? arrays.second.span()[i] : 0.0};
      }
      arrays.update(rule, serial_threads());
      for (size_t i = 0; i < n; ++i) {
        rule.formula(exact[i]);
        const std::string where = rule.name + " n=" + std::to_string(n);
        expect_close(arrays.w.span()[i], exact[i].w, where + " w");
        if (rule.states > 0) expect_close(arrays.first.span()[i], exact[i].first, where + " first");
        if (rule.states > 1) expect_close(arrays.second.span()[i], exact[i].second, where + " 2nd");
      }
      EXPECT_TRUE(arrays.w.intact() && arrays.first.intact() && arrays.second.intact());
    }
  }
}

// State of a weight whose gradient stays 0: subnormal numbers would be slow to calculate with.
TEST_P(OptimizerOf, StateIsNeverSubnormal) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  for (const Rule& rule : rules()) {
    Arrays arrays(37, rule.states);
    std::ranges::fill(arrays.g, 0.0f);
    std::ranges::fill(arrays.w.span(), 0.0f);
    for (GuardedFloats* state : {&arrays.first, &arrays.second}) {
      for (size_t i = 0; i < 37; ++i) state->span()[i] = (i % 2 == 0 ? 1.01f : -0.01f) * kLeast;
    }
    if (rule.states == 2) std::ranges::fill(arrays.first.span(), 1.01f * kLeast);  // squares
    for (int step = 0; step < 20; ++step) arrays.update(rule, serial_threads());
    for (int i = 0; i < rule.states; ++i) {
      for (const float value : (i == 0 ? arrays.first : arrays.second).span()) {
        EXPECT_NE(std::fpclassify(value), FP_SUBNORMAL) << rule.name << " state " << i;
      }
    }
  }
}

// On its way there m makes steps that would be subnormal long before it is: they are 0, and so is
// m.
TEST_P(OptimizerOf, AdamDropsAnMThatMovesNothing) {
  const AdamRule rule = {0.01f, 1, 0.9f, 0.1f, 0.999f, 0.001f, 1e-8f, 0, 1};
  Arrays arrays(37, 2);
  std::ranges::fill(arrays.g, 0.0f);
  std::ranges::fill(arrays.first.span(), 1e-20f);
  std::ranges::fill(arrays.second.span(), 1e10f);
  arrays.first.span()[36] = 1;
  const std::vector<float> before(arrays.w.span().begin(), arrays.w.span().end());
  const auto steps = [&](int count) {
    for (int step = 0; step < count; ++step) {
      adam_update(rule, arrays.g, arrays.w.span(), arrays.first.span(), arrays.second.span(),
                  serial_threads());
    }
  };
  steps(60);
  EXPECT_GT(arrays.first.span()[0], 1e-23f);  // 1e-20 0.9^60; m / size is 1.8e-28, 2^-99 1.6e-30
  steps(60);
  for (size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(arrays.first.span()[i], 0) << i;
    EXPECT_EQ(arrays.w.span()[i], before[i]) << i;
  }
  EXPECT_GT(arrays.first.span()[36], 1e-6f);
}

TEST_P(OptimizerOf, ThreadsDontChangeTheResult) {
  for (const Rule& rule : rules()) {
    Arrays one(100'003, rule.states), three(100'003, rule.states);
    one.update(rule, serial_threads());
    three.update(rule, shared_threads(3));
    EXPECT_EQ(one.all(), three.all()) << rule.name;
  }
}

TEST_P(OptimizerOf, ANanStaysWithItsElement) {
  for (const Rule& rule : rules()) {
    Arrays with(37, rule.states), without(37, rule.states);
    with.g[20] = std::numeric_limits<float>::quiet_NaN();
    with.update(rule, serial_threads());
    without.update(rule, serial_threads());
    for (size_t i = 0; i < 37; ++i) {
      if (i == 20) {
        EXPECT_TRUE(std::isnan(with.w.span()[i])) << rule.name;
      } else {
        EXPECT_EQ(with.w.span()[i], without.w.span()[i]) << rule.name;
      }
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
