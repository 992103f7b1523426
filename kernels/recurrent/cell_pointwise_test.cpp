// The cells where the generic check doesn't look: saturated gates, buffers in place, guards.
#include "kernels/recurrent/cell_pointwise.h"

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class CellOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, CellOnTarget, testing::ValuesIn(targets()), target_param_name);

constexpr float kFar = 1000.0f;

TEST_P(CellOnTarget, SaturatedGatesKeepOrReplaceTheState) {
  const CellShape s{1, 3};
  const std::vector<float> c = {5, -7, 0.25f};
  std::vector<float> h(3);
  std::vector<float> next(3);
  // Input gate shut, forget gate and output gate open.
  const std::vector<float> keep = {-kFar, -kFar, -kFar, kFar, kFar, kFar,
                                   1,     2,     3,     kFar, kFar, kFar};
  lstm_pointwise_forward(s, keep, c, h, next, shared_threads(1));
  EXPECT_EQ(next, c);
  EXPECT_NEAR(h[2], std::tanh(0.25), 1e-6);
  const std::vector<float> replace = {kFar, kFar,  kFar, -kFar, -kFar, -kFar,
                                      kFar, -kFar, 0,    -kFar, -kFar, -kFar};
  lstm_pointwise_forward(s, replace, c, h, next, shared_threads(1));
  EXPECT_EQ(next, (std::vector<float>{1, -1, 0}));
  EXPECT_EQ(h, (std::vector<float>{0, 0, 0}));
  // A GRU whose update gate is open keeps its state.
  const std::vector<float> gx = {0, 0, 0, kFar, kFar, kFar, 1, 2, 3};
  const std::vector<float> gh(9, 0.0f);
  gru_pointwise_forward(s, gx, gh, c, next, shared_threads(1));
  EXPECT_EQ(next, c);
}

TEST_P(CellOnTarget, InPlaceIsTheSame) {
  for (const CellShape& s : {CellShape{3, 5}, {2, 33}, {7, 300}}) {
    const std::vector<float> gates = random_floats(4 * s.size(), 1);
    const std::vector<float> gh = random_floats(3 * s.size(), 2);
    const std::vector<float> c = random_floats(s.size(), 3);
    const std::vector<float> dh = random_floats(s.size(), 4);
    const std::vector<float> gx(gates.begin(), gates.begin() + static_cast<int64_t>(gh.size()));
    GuardedFloats h(s.size(), 1);
    GuardedFloats next(s.size(), 1);
    GuardedFloats dgates(4 * s.size(), 1);
    GuardedFloats dc(s.size(), 1);
    lstm_pointwise_forward(s, gates, c, h.span(), next.span(), shared_threads(3));
    lstm_pointwise_backward(s, gates, c, next.span(), dh, dh, dgates.span(), dc.span(),
                            shared_threads(3));
    EXPECT_TRUE(h.intact() && next.intact() && dgates.intact() && dc.intact());
    std::vector<float> same_gates = gates;
    std::vector<float> same_dc = dh;
    lstm_pointwise_backward(s, same_gates, c, next.span(), dh, same_dc, same_gates, same_dc,
                            shared_threads(1));
    EXPECT_TRUE(std::equal(same_gates.begin(), same_gates.end(), dgates.span().begin()));
    EXPECT_TRUE(std::equal(same_dc.begin(), same_dc.end(), dc.span().begin()));

    GuardedFloats dgx(3 * s.size(), 1);
    GuardedFloats dgh(3 * s.size(), 1);
    gru_pointwise_backward(s, gx, gh, c, dh, dgx.span(), dgh.span(), dc.span(), shared_threads(3));
    EXPECT_TRUE(dgx.intact() && dgh.intact() && dc.intact());
    std::vector<float> same_gx = gx;
    std::vector<float> same_gh = gh;
    same_dc = dh;
    gru_pointwise_backward(s, same_gx, same_gh, c, same_dc, same_gx, same_gh, same_dc,
                           shared_threads(1));
    EXPECT_TRUE(std::equal(same_gx.begin(), same_gx.end(), dgx.span().begin()));
    EXPECT_TRUE(std::equal(same_gh.begin(), same_gh.end(), dgh.span().begin()));
    EXPECT_TRUE(std::equal(same_dc.begin(), same_dc.end(), dc.span().begin()));
  }
}

}  // namespace
}  // namespace nsop::kernels
