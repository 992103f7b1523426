#include "kernels/runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

namespace nsop::kernels {
namespace {

std::vector<int> threads_of_parts(ThreadPool& thread_pool, int parts) {
  std::vector<int> thread_of(static_cast<size_t>(parts), -1);
  thread_pool.parallel(
      parts, [&](int part, int thread) { thread_of[static_cast<size_t>(part)] = thread; });
  return thread_of;
}

RC_GTEST_PROP(ThreadPool, DoesEachPartExactlyOnce, ()) {
  const int threads = *rc::gen::inRange(1, 6);
  const int parts = *rc::gen::inRange(0, 40);
  ThreadPool thread_pool(threads);
  std::vector<std::atomic<int>> calls(static_cast<size_t>(parts));
  thread_pool.parallel(parts, [&](int part, int thread) {
    if (thread >= 0 && thread < threads) ++calls[static_cast<size_t>(part)];
  });
  for (const std::atomic<int>& count : calls) RC_ASSERT(count == 1);
}

RC_GTEST_PROP(ThreadPool, PartitionDependsOnPartsAndThreadsOnly, ()) {
  const int parts = *rc::gen::inRange(1, 40);
  ThreadPool& thread_pool = shared_threads(3);
  const std::vector<int> first = threads_of_parts(thread_pool, parts);
  RC_ASSERT(threads_of_parts(thread_pool, parts) == first);
  RC_ASSERT(std::is_sorted(first.begin(), first.end()));
  RC_ASSERT(first.front() == 0);
}

TEST(ThreadPool, OneThreadIsAPlainCall) {
  ThreadPool thread_pool(1);
  std::set<std::thread::id> ids;
  thread_pool.parallel(5, [&](int, int) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(ThreadPool, EachThreadTakesPartAndIsReused) {
  ThreadPool thread_pool(3);
  std::vector<std::thread::id> first(3);
  std::vector<std::thread::id> second(3);
  thread_pool.parallel(
      3, [&](int part, int) { first[static_cast<size_t>(part)] = std::this_thread::get_id(); });
  thread_pool.parallel(
      3, [&](int part, int) { second[static_cast<size_t>(part)] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
}

TEST(ThreadPool, WakesHelpersThatWentToSleep) {
  ThreadPool thread_pool(2);
  int done[2] = {0, 0};
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    thread_pool.parallel(2, [&](int part, int) { ++done[part]; });
  }
  EXPECT_EQ(done[0], 20);
  EXPECT_EQ(done[1], 20);
}

TEST(ThreadPool, ManyShortTasksLoseNothing) {
  ThreadPool thread_pool(4);
  int64_t sums[4] = {0, 0, 0, 0};
  for (int round = 0; round < 5000; ++round) {
    thread_pool.parallel(4, [&](int part, int) { sums[part] += round; });
  }
  for (const int64_t sum : sums) EXPECT_EQ(sum, 5000LL * 4999 / 2);
}

TEST(ThreadPool, SharedPoolIsMadeOnce) {
  EXPECT_EQ(&shared_threads(2), &shared_threads(2));
  EXPECT_EQ(shared_threads(3).threads(), 3);
  EXPECT_EQ(serial_threads().threads(), 1);
}

TEST(ThreadPool, EagerPoolsAreOthersAndOnlyWhileAskedFor) {
  ThreadPool& plain = shared_threads(2);
  {
    const EagerThreadPools eager;
    EXPECT_NE(&shared_threads(2), &plain);
    EXPECT_EQ(shared_threads(2).least(1000), 1U);
  }
  EXPECT_EQ(&shared_threads(2), &plain);
  EXPECT_EQ(plain.least(1000), 1000U);
}

TEST(WorthwhileParts, HaveEnoughWorkEach) {
  ThreadPool& thread_pool = shared_threads(3);
  EXPECT_EQ(worthwhile_parts(thread_pool, 0, 100), 1U);
  EXPECT_EQ(worthwhile_parts(thread_pool, 199, 100), 1U);
  EXPECT_EQ(worthwhile_parts(thread_pool, 200, 100), 2U);
  EXPECT_EQ(worthwhile_parts(thread_pool, 300, 100), 3U);
  EXPECT_EQ(worthwhile_parts(thread_pool, 1'000'000, 100), 3U);
  EXPECT_EQ(worthwhile_parts(serial_threads(), 1'000'000, 100), 1U);
  const EagerThreadPools eager;
  EXPECT_EQ(worthwhile_parts(shared_threads(3), 2, 100), 2U);
}

RC_GTEST_PROP(SplitRange, CoversEverythingInOrderAtTheGranule, ()) {
  const size_t items = *rc::gen::inRange<size_t>(0, 1000);
  const size_t granule = *rc::gen::inRange<size_t>(1, 70);
  const size_t parts = *rc::gen::inRange<size_t>(1, 9);
  size_t next = 0;
  for (size_t part = 0; part < parts; ++part) {
    const Range range = split_range(items, granule, parts, part);
    RC_ASSERT(range.begin == next);
    RC_ASSERT(range.begin % granule == 0 || range.begin == items);
    RC_ASSERT(range.size() <= (items / parts / granule + 2) * granule);
    next = range.end;
  }
  RC_ASSERT(next == items);
}

RC_GTEST_PROP(ParallelChunks, VisitEachItemOnce, ()) {
  const size_t items = *rc::gen::inRange<size_t>(0, 3000);
  const size_t least = *rc::gen::inRange<size_t>(1, 500);
  std::vector<std::atomic<int>> visits(items);
  parallel_chunks(shared_threads(3), items, least, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) ++visits[i];
  });
  for (const std::atomic<int>& count : visits) RC_ASSERT(count == 1);
}

}  // namespace
}  // namespace nsop::kernels
