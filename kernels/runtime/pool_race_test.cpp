// The pool under ThreadSanitizer: work that is handed over without a lock of its own, so that a
// missing ordering between the caller and its helpers is a data race that is reported.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/runtime/pool.h"

namespace nsop::kernels {
namespace {

// Plain variables, written by one side and read by the other.
void hand_over(Pool& pool, int rounds) {
  const auto parts = static_cast<size_t>(2 * pool.threads());
  std::vector<int64_t> in(parts);
  std::vector<int64_t> out(parts);
  for (int round = 0; round < rounds; ++round) {
    std::iota(in.begin(), in.end(), round);
    pool.parallel(static_cast<int>(parts), [&](int part, int) {
      const auto at = static_cast<size_t>(part);
      out[at] = 2 * in[at];
    });
    int64_t sum = 0;
    for (const int64_t one : out) sum += one;
    ASSERT_EQ(sum, 2 * std::accumulate(in.begin(), in.end(), int64_t{0}));
  }
}

TEST(PoolRace, TasksThatFollowAtOnce) {
  for (const int threads : {2, 3}) {
    Pool pool(threads);
    hand_over(pool, 100);
  }
}

TEST(PoolRace, HelpersThatFellAsleep) {
  Pool pool(2);
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    hand_over(pool, 2);
  }
}

TEST(PoolRace, PoolsThatComeAndGo) {
  for (int i = 0; i < 20; ++i) {
    Pool pool(3);
    hand_over(pool, i % 3);
  }
}

TEST(PoolRace, TheSharedPoolIsMadeByWhoeverComesFirst) {
  std::vector<Pool*> seen(4);
  std::vector<std::thread> users;
  for (Pool*& pool : seen) users.emplace_back([&pool] { pool = &shared_pool(4); });
  for (std::thread& user : users) user.join();
  for (const Pool* pool : seen) EXPECT_EQ(pool, seen[0]);
  hand_over(*seen[0], 50);
}

TEST(PoolRace, TwoPoolsAtOnce) {
  std::thread other([] {
    Pool pool(2);
    hand_over(pool, 60);
  });
  Pool pool(2);
  hand_over(pool, 60);
  other.join();
}

}  // namespace
}  // namespace nsop::kernels
