// States from one sequence to the next, and gradients through them.
#include "layers/recurrent.h"

#include <gmock/gmock.h>

#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

constexpr int64_t kSteps = 6;
constexpr int64_t kBatch = 3;
constexpr size_t kIn = 4;
constexpr size_t kHidden = 5;
constexpr size_t kHalf = 3 * kBatch;  // rows of half a sequence

std::unique_ptr<Recurrent> make(const std::string& kind, RecurrentOptions options) {
  if (kind == "LSTM") return std::make_unique<LSTM>(kIn, kHidden, options);
  if (kind == "GRU") return std::make_unique<GRU>(kIn, kHidden, options);
  return std::make_unique<RNN>(kIn, kHidden, options);
}

Recurrent& recurrent(const Prepared& p) { return dynamic_cast<Recurrent&>(*p.layer); }

void expect_near(ConstFloats a, ConstFloats b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6) << what << "[" << i << "]";
}

class RecurrentStates : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RecurrentStates, testing::Values("LSTM", "GRU", "RNN"),
                         [](const auto& param) { return param.param; });

// Two halves of a sequence, one after the other, are the whole: forward by the state that is kept,
// backward by the gradient of the state that is handed on.
TEST_P(RecurrentStates, HalvesMakeTheWhole) {
  Prepared whole(make(GetParam(), {}), {kSteps, kBatch, kIn});
  whole.forward();
  whole.backward();
  Prepared first(make(GetParam(), {.stateful = true}), {kSteps / 2, kBatch, kIn});
  Prepared second(make(GetParam(), {}), {kSteps / 2, kBatch, kIn});
  first.layer->forward(ConstFloats(whole.x).first(kHalf * kIn), first.y);
  EXPECT_EQ(first.layer->buffers().size(), GetParam() == "LSTM" ? 2U : 1U);
  EXPECT_TRUE(second.layer->buffers().empty());
  const Recurrent::State from = recurrent(first).state();  // kept
  const Recurrent::State to = recurrent(second).state();
  std::ranges::copy(from.hidden, to.hidden.begin());
  std::ranges::copy(from.cell, to.cell.begin());
  const ConstFloats x2 = ConstFloats(whole.x).last(kHalf * kIn);
  second.layer->forward(x2, second.y);
  expect_near(first.y, ConstFloats(whole.y).first(kHalf * kHidden), "y of the first half");
  expect_near(second.y, ConstFloats(whole.y).last(kHalf * kHidden), "y of the second half");
  expect_near(recurrent(second).last_state().c, recurrent(whole).last_state().c, "cell");

  second.layer->backward(x2, second.y, ConstFloats(whole.dy).last(kHalf * kHidden), second.dx);
  std::vector<float> dy(whole.dy.begin(), whole.dy.begin() + kHalf * kHidden);
  const Recurrent::State handed = recurrent(second).state_gradient();
  for (size_t i = 0; i < handed.hidden.size(); ++i) {
    dy[dy.size() - handed.hidden.size() + i] += handed.hidden[i];
  }
  std::ranges::copy(handed.cell, recurrent(first).last_cell_gradient().begin());
  first.layer->backward(ConstFloats(whole.x).first(kHalf * kIn), first.y, dy, first.dx);
  expect_near(first.dx, ConstFloats(whole.dx).first(kHalf * kIn), "dx of the first half");
  expect_near(second.dx, ConstFloats(whole.dx).last(kHalf * kIn), "dx of the second half");
  for (size_t i = 0; i < whole.layer->parameters().size(); ++i) {
    const Parameter& all = whole.layer->parameters()[i];
    std::vector<float> sum(all.gradient.size());
    for (size_t j = 0; j < sum.size(); ++j) {
      sum[j] = first.layer->parameters()[i].gradient[j] + second.layer->parameters()[i].gradient[j];
    }
    expect_near(sum, all.gradient, "gradient of " + all.name);
  }
}

TEST_P(RecurrentStates, InitParametersForgetsTheState) {
  Prepared p(make(GetParam(), {.stateful = true}), {kBatch, kIn});
  p.forward();
  const std::vector<float> y = p.y;
  p.forward();
  EXPECT_NE(p.y, y) << "goes on from the state";
  Random random(1);
  p.layer->init_parameters(random);
  p.forward();
  EXPECT_EQ(p.y, y);
}

}  // namespace
}  // namespace nsop::layers
