// The pool under ThreadSanitizer: work that is handed over without a lock of its own, so that a
// missing ordering between the caller and its helpers is a data race that is reported.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {
namespace {

// Plain variables, written by one side and read by the other.
void hand_over(ThreadPool& thread_pool, int rounds) {
  const size_t parts = 2 * static_cast<size_t>(thread_pool.threads());
  std::vector<int64_t> in(parts);
  std::vector<int64_t> out(parts);
  for (int round = 0; round < rounds; ++round) {
    std::iota(in.begin(), in.end(), round);
    thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
      const auto at = static_cast<size_t>(part);
      out[at] = 2 * in[at];
    });
    int64_t sum = 0;
    for (const int64_t one : out) sum += one;
    ASSERT_EQ(sum, 2 * std::accumulate(in.begin(), in.end(), int64_t{0}));
  }
}

TEST(ThreadPoolRace, TasksThatFollowAtOnce) {
  for (const int threads : {2, 3}) {
    ThreadPool thread_pool(threads);
    hand_over(thread_pool, 100);
  }
}

TEST(ThreadPoolRace, HelpersThatFellAsleep) {
  ThreadPool thread_pool(2);
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    hand_over(thread_pool, 2);
  }
}

TEST(ThreadPoolRace, PoolsThatComeAndGo) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool thread_pool(3);
    hand_over(thread_pool, i % 3);
  }
}

TEST(ThreadPoolRace, TheSharedPoolIsMadeByWhoeverComesFirst) {
  std::vector<ThreadPool*> seen(4);
  std::vector<std::thread> users;
  for (ThreadPool*& thread_pool : seen)
    users.emplace_back([&thread_pool] { thread_pool = &shared_threads(4); });
  for (std::thread& user : users) user.join();
  for (const ThreadPool* thread_pool : seen) EXPECT_EQ(thread_pool, seen[0]);
  hand_over(*seen[0], 50);
}

TEST(ThreadPoolRace, TwoPoolsAtOnce) {
  std::thread other([] {
    ThreadPool thread_pool(2);
    hand_over(thread_pool, 60);
  });
  ThreadPool thread_pool(2);
  hand_over(thread_pool, 60);
  other.join();
}

}  // namespace
}  // namespace nsop::kernels
