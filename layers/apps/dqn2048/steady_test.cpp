// A call of the thousandth episode costs what one of the first cost: counted, never timed. The
// allocations are those of the whole program, which replaces operator new.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/registry.h"
#include "kernels/testing/count_new_support.h"
#include "layers/apps/dqn2048/dqn.h"
#include "layers/apps/dqn2048/loop.h"

namespace nsop::layers {
namespace {

// Delegates, and counts at the end of every call.
class CountingTrainer final : public DqnTrainer {
 public:
  explicit CountingTrainer(std::unique_ptr<DqnTrainer> trainer) : trainer_(std::move(trainer)) {
    per_call.reserve(1000);
    live_after.reserve(1000);
  }
  void reset(std::span<const float> parameters) override { trainer_->reset(parameters); }
  float train(const DqnBatch& batch) override {
    const int64_t before = kernels::allocations;
    const float loss = trainer_->train(batch);
    per_call.push_back(kernels::allocations - before);
    live_after.push_back(kernels::live_blocks);
    return loss;
  }
  void values(std::span<const float, kCells> state, std::span<float, kDirections> q) override {
    trainer_->values(state, q);
  }
  void store(std::span<float> parameters) const override { trainer_->store(parameters); }
  std::vector<float> moments() const override { return trainer_->moments(); }

  std::vector<int64_t> per_call, live_after;

 private:
  std::unique_ptr<DqnTrainer> trainer_;
};

struct Outcome {
  std::vector<int64_t> per_call, live_after;
  int64_t in_run = 0;
};

Outcome run(std::unique_ptr<DqnTrainer> trainer, size_t episodes) {
  const Case c = parse_case("dqn2048 updates=1 episodes=1");
  const auto inputs = make_inputs(*find_op(c.op()), c, 1);
  CountingTrainer counting(std::move(trainer));
  DqnLoop loop(counting, episodes);
  std::vector<float> scores(episodes), moves(episodes), losses(episodes), actions(400 * episodes);
  const int64_t before = kernels::allocations;
  loop.run(1, inputs[1].data(), {scores, moves, losses, actions});
  const int64_t in_run = kernels::allocations - before;
  return {counting.per_call, counting.live_after, in_run};
}

TEST(SteadyState, ABatchedRunAllocatesNothing) {
  const Outcome outcome = run(make_batched_trainer(), 1000);
  EXPECT_EQ(outcome.in_run, 0);
}

// The source system kept the graphs of all updates: there both grew with every call.
TEST(SteadyState, FunctionalCallsCostTheSameToTheEndAndLeaveNothingBehind) {
  for (const auto& [updates, pooled, episodes] :
       {std::tuple(size_t{1}, false, size_t{200}), std::tuple(size_t{1}, true, size_t{200}),
        std::tuple(kBatch, false, size_t{40}), std::tuple(kBatch, true, size_t{40})}) {
    const Outcome outcome = run(make_functional_trainer(updates, pooled), episodes);
    ASSERT_EQ(outcome.per_call.size(), episodes);
    const int64_t second = outcome.per_call[1];
    EXPECT_GT(second, 100);
    for (const int64_t n : outcome.per_call) EXPECT_LE(n, outcome.per_call[0]);
    EXPECT_EQ(outcome.per_call.back(), second);
    // After 20 games the pool has met every size, that of a single state's tensors too.
    EXPECT_EQ(outcome.live_after.back(), outcome.live_after[20]);
  }
}

// Of the moments after so many training calls on recorded batches, one after the other, over again.
size_t subnormal_moments(DqnTrainer& trainer, size_t calls) {
  constexpr size_t kRecorded = 20;
  const Case c = parse_case("dqn_train updates=1 calls=" + std::to_string(kRecorded));
  const auto in = make_inputs(*find_op(c.op()), c, 1);
  trainer.reset(in[0].data());
  for (size_t call = 0; call < calls; ++call) {
    const auto part = [&](size_t i, size_t width) {
      return in[i].data().subspan(call % kRecorded * kBatch * width, kBatch * width);
    };
    trainer.train({part(1, kCells), part(2, 1), part(3, 1), part(4, kCells), part(5, 1)});
  }
  const std::vector<float> moments = trainer.moments();
  EXPECT_EQ(moments.size(), 2 * kDqnParameters);
  return static_cast<size_t>(
      std::ranges::count_if(moments, [](float m) { return std::fpclassify(m) == FP_SUBNORMAL; }));
}

// Units that never open have gradients of exactly 0: some 830 updates later their first moments
// would be subnormal, to stay so, and every further call would cost up to four times as much.
TEST(SteadyState, NoMomentBecomesSubnormal) {
  EXPECT_EQ(subnormal_moments(*make_functional_trainer(kBatch, false), 60), 0U);
  EXPECT_EQ(subnormal_moments(*make_functional_trainer(kBatch, true), 60), 0U);
  EXPECT_EQ(subnormal_moments(*make_batched_trainer(), 2000), 0U);
}

TEST(SteadyState, APoolSavesTheBuffersOfTensors) {
  const Outcome fresh = run(make_functional_trainer(32, false), 3);
  const Outcome pooled = run(make_functional_trainer(32, true), 3);
  EXPECT_LT(pooled.per_call.back(), fresh.per_call.back());
}

}  // namespace
}  // namespace nsop::layers
