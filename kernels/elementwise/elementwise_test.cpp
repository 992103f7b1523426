// How element-wise kernels share out their work: at once, in chunks, with operands that stand
// still.
#include "kernels/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/ternary.h"
#include "kernels/elementwise/unary.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

TEST(DoneAtOnce, IsLittleWorkOnAnyNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool two(2);
  EXPECT_TRUE(done_at_once(one, kMostAtOnce, 1));
  EXPECT_FALSE(done_at_once(one, kMostAtOnce + 1, 1 << 20));
  EXPECT_TRUE(done_at_once(two, 199, 100));
  EXPECT_FALSE(done_at_once(two, 200, 100));  // two threads with 100 each
}

TEST(DoneAtOnce, IsNothingThatAnEagerPoolForks) {
  ThreadPool eager(2, ThreadPool::Forks::kEager);
  EXPECT_FALSE(done_at_once(eager, 2, 1 << 20));
  EXPECT_TRUE(done_at_once(eager, 1, 1 << 20));
}

// Sizes at once, in chunks of a few threads, with lines asked for ahead, and by pages.
constexpr size_t kSizes[] = {1, 2, 63, 64, 100, 1000, kMostAtOnce + 1, 70001, (1 << 20) + 2051};

TEST(StandingOperands, AreForAllElementsOfAllThreads) {
  ThreadPool eager(3, ThreadPool::Forks::kEager);
  for (ThreadPool* thread_pool : {&serial_threads(), &eager}) {
    for (const size_t size : kSizes) {
      const std::vector<float> a = random_floats(size, 1);
      const std::vector<float> b = random_floats(size, 2);
      const std::vector<float> one = {0.75f};
      const auto n = static_cast<int64_t>(size);
      GuardedFloats sum(size);
      binary_broadcast(Binary::kAdd, broadcast_of({n}, {1}), a, one, sum.span(), *thread_pool);
      GuardedFloats fma(size);
      fused_multiply_add_broadcast(broadcasts_of<3>({n}, {Shape{n}, Shape{1}, Shape{n}}), a, one, b,
                                   fma.span(), *thread_pool);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(sum.span()[i], a[i] + 0.75f) << size << " " << i;
        ASSERT_NEAR(fma.span()[i], a[i] * 0.75f + b[i], 1e-6f) << size << " " << i;
      }
      EXPECT_TRUE(sum.intact() && fma.intact());
    }
  }
}

template <class OnePass, class Runs, size_t K>
bool takes_one_pass(const Broadcasts<K>& broadcasts) {
  return with_broadcast_way<OnePass, Runs>(
      broadcasts, [](auto way) { return std::is_same_v<decltype(way), OnePass>; });
}

TEST(BroadcastWay, IsOnePassWhereEachOperandMovesOrStandsStillThroughout) {
  const auto one_pass = [](const Shape& a, const Shape& b) {
    return takes_one_pass<BinaryOnePass, BinaryRuns>(broadcast_of(a, b));
  };
  EXPECT_TRUE(one_pass({7, 5}, {7, 5}));
  EXPECT_TRUE(one_pass({7, 5}, {1}));
  EXPECT_TRUE(one_pass({1}, {1}));
  EXPECT_TRUE(one_pass({1, 5, 1}, {5, 1}));
  EXPECT_FALSE(one_pass({7, 5}, {5}));
  EXPECT_FALSE(one_pass({7, 5}, {7, 1}));
}

TEST(BroadcastWay, OnePassAndRunsHaveTheSameResult) {
  ThreadPool eager(3, ThreadPool::Forks::kEager);
  for (ThreadPool* thread_pool : {&serial_threads(), &eager}) {
    for (const size_t size : kSizes) {
      const std::vector<float> a = random_floats(size, 1);
      for (const size_t of_b : {size_t{1}, size}) {
        const std::vector<float> b = random_floats(of_b, 2);
        const Broadcast broadcast =
            broadcast_of({static_cast<int64_t>(size)}, {static_cast<int64_t>(of_b)});
        const BinaryPart part = binary_parts(Binary::kMul).of(broadcast);
        GuardedFloats at_once(size), in_runs(size);
        BinaryOnePass::run(part, broadcast, a, b, at_once.span(), *thread_pool);
        BinaryRuns::run(part, broadcast, a, b, in_runs.span(), *thread_pool);
        EXPECT_TRUE(std::ranges::equal(at_once.span(), in_runs.span())) << size << " " << of_b;
        EXPECT_TRUE(at_once.intact() && in_runs.intact());
      }
    }
  }
}

TEST(PowerOfZero, IsOneOnAllThreads) {
  ThreadPool eager(3, ThreadPool::Forks::kEager);
  const std::vector<float> x(1000, std::nanf(""));
  GuardedFloats y(1000);
  unary(Unary::kPow, {0}, x, y.span(), eager);
  for (const float value : y.span()) ASSERT_EQ(value, 1.0f);
  EXPECT_TRUE(y.intact());
}

}  // namespace
}  // namespace nsop::kernels
