#include "harness/store/history/rows_in_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "harness/store/query.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

// 40 rows in each of five runs, but that each run lacks some: more neighbours than are read at
// once.
class RowsInRunsTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 40, kRuns = 5;

  RowsInRunsTest() {
    for (int run = 0; run < kRuns; ++run) {
      const nsop::Run made = example_run(fmt::format("run-{}", run));
      add_run(store_, made, 0, false);
      for (int row = 0; row < kRows; ++row) {
        if ((row + run) % 7 == 0) continue;
        Invocation one = example_invocation(made.id, row);
        one.row.case_text = fmt::format("relu pass=forward n={} range=-3:3", row + 1);
        one.repetitions = {{1, 1000 * row + run + 1, 10, 10, 0, 0, 0}};
        store_.append(one);
      }
      store_.end_run(made.id, RunState::kComplete, made.started_utc);
    }
  }

  // `key: run build ns wall_ns ...` of each row that is found from a run on, in the order asked
  // for.
  std::vector<std::string> read(RowReading reading, long long first_run, bool backwards = false) {
    RowsInRuns rows(db_, first_run, kRuns, reading);
    std::vector<long long> keys = {-5, 0, 1'000'000};
    for (const auto& [key] : all<std::tuple<long long>>(db_, "SELECT seq FROM row_key")) {
      keys.push_back(key);
    }
    std::vector<std::string> found;
    const auto ask = [&](long long key) {
      std::string text = fmt::format("{}:", key);
      rows.each(key, [&](const RowOfRun& one) {
        text += fmt::format(" {} {} {} {} {} {} {} {} {} {};", one.run, one.build, one.inputs,
                            status_text(one.status), one.invocations, one.ns, one.wall_ns,
                            one.excess, one.first_ns, one.allocs);
      });
      found.push_back(text);
    };
    std::sort(keys.begin(), keys.end());
    if (backwards) std::reverse(keys.begin(), keys.end());
    for (const long long key : keys) ask(key);
    if (backwards) std::reverse(found.begin(), found.end());
    return found;
  }

  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_{path_};
  Database db_{path_, true};
};

constexpr RowReading kByThemselves = {std::numeric_limits<int>::max(), 0};
constexpr RowReading kByGroups = {0, 0};
constexpr RowReading kAllAtOnce = {0, std::numeric_limits<size_t>::max()};

TEST_F(RowsInRunsTest, HoweverTheyAreReadTheyAreTheSame) {
  const auto wanted = read(kByThemselves, 0);
  ASSERT_EQ(wanted.size(), size_t{kRows + 3});
  size_t entries = 0;
  for (const std::string& one : wanted) entries += std::ranges::count(one, ';');
  EXPECT_GT(entries, 150u);
  EXPECT_LT(entries, size_t{kRows} * kRuns);
  for (const bool backwards : {false, true}) {
    EXPECT_EQ(read(kByGroups, 0, backwards), wanted);
    EXPECT_EQ(read(kAllAtOnce, 0, backwards), wanted);
    EXPECT_EQ(read({2, 0}, 0, backwards), wanted);
    EXPECT_EQ(read(row_reading(db_), 0, backwards), wanted);
  }
}

TEST_F(RowsInRunsTest, RunsBeforeTheFirstAreLeftOut) {
  const auto third =
      first_value<long long>(db_, "SELECT seq FROM run WHERE id = :i", std::string("run-2"));
  const auto wanted = read(kByThemselves, third.value());
  EXPECT_NE(wanted, read(kByThemselves, 0));
  EXPECT_EQ(read(kByGroups, third.value()), wanted);
  EXPECT_EQ(read(kAllAtOnce, third.value()), wanted);
}

}  // namespace
}  // namespace nsop::store
