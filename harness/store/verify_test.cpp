#include <gtest/gtest.h>

#include "harness/core/files.h"
#include "harness/core/random.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    Store store(path_);
    add_run(store, example_run("run-1"), 8);
    store.set_baseline({"main", "host-a", "run-1", "", ""});
  }
  std::vector<std::string> problems_after(const std::string& statements) {
    raw_sql(path_, statements);
    return Store(path_).verify().problems;
  }

  TempDir dir_;
  std::string path_ = dir_.file("nsop.db");
};

TEST_F(VerifyTest, CountsWhatItChecked) {
  const auto report = Store(path_).verify();
  EXPECT_EQ(report.runs, 1);
  EXPECT_EQ(report.invocations, 8);
  EXPECT_EQ(report.problems, std::vector<std::string>());
}

TEST_F(VerifyTest, FindsEveryKindOfChange) {
  for (const char* change : {
           "UPDATE invocation SET samples = replace(samples, '2000', '2001') WHERE slot = 0",
           "UPDATE invocation SET samples = '[1,2' WHERE slot = 0",
           "UPDATE invocation SET body_hash = replace(body_hash, substr(body_hash, 1, 1), 'x')",
           "UPDATE shape SET body = replace(body, 'aaaa', 'aaab')",
           "UPDATE shape SET body = replace(body, '}', ' }')",
           "UPDATE shape SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
           "DELETE FROM shape",
           "UPDATE invocation SET shape = NULL, body = '{}' WHERE slot = 1",
           "UPDATE inputs SET sha256 = 'x'",
           "UPDATE invocation SET id = 'x' WHERE slot = 1",
           "UPDATE invocation SET at_utc = '2026-01-01T00:00:02Z' WHERE slot = 1",
           "UPDATE invocation SET process_age_s = 0.5 WHERE slot = 1",
           "UPDATE invocation SET status = 'wrong' WHERE slot = 1",
           "UPDATE invocation SET session = session + 1",
           "UPDATE row_key SET variant = 'other'",
           "UPDATE invocation SET wall_ns_per_op = wall_ns_per_op * 2",
           "UPDATE invocation SET allocs_per_op = 0",
           "UPDATE run SET body = replace(body, 'quick', 'quack')",
           "UPDATE run SET profile = 'quack'",
           "UPDATE run SET ended_utc = 'later'",
           "UPDATE run SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
           "UPDATE host SET body = replace(body, 'EPYC', 'Ryzen')",
           "UPDATE build SET body = replace(body, '-O2', '-O3')",
           "UPDATE run_build SET ok = ok + 1",
           "DELETE FROM invocation WHERE slot = 2",
           "DELETE FROM build",
           "DELETE FROM run",
           "UPDATE schema_migration SET sha256 = replace(sha256, 'a', 'b')",
           "UPDATE build SET commit_id = 'other'",
           "UPDATE host SET cpu_model = 'other'",
           "UPDATE baseline SET reason = 'moved by hand'",
           "UPDATE baseline SET name = 'other'",
           "DELETE FROM baseline",
           "UPDATE invocation SET samples = NULL WHERE slot = 0",
           "DROP INDEX run_line",
           "UPDATE run_row SET ns = ns * 2",
           "UPDATE run_row SET status = 'wrong'",
           "DELETE FROM run_row",
           "DROP TRIGGER baseline_event_is_final",
           "CREATE TRIGGER foreign_one AFTER INSERT ON run BEGIN DELETE FROM baseline; END",
           "CREATE TABLE foreign_one (x)",
       }) {
    const std::string whole = read_file(path_);
    EXPECT_FALSE(problems_after(change).empty()) << change;
    write_file_atomically(path_, whole);
  }
  EXPECT_TRUE(Store(path_).verify().problems.empty());
}

TEST_F(VerifyTest, FindsFlippedBitsInSamples) {
  const std::string whole = read_file(path_);
  size_t at = whole.find("[3,1000,[2000,");
  ASSERT_NE(at, std::string::npos);
  at += std::string("[3,1000,[").size();
  for (int bit = 0; bit < 4; ++bit) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
    write_file_atomically(path_, flipped);
    EXPECT_FALSE(Store(path_).verify().problems.empty()) << "bit " << bit;
  }
}

// A flip anywhere is either found or changes nothing that is read (free space); it never crashes.
TEST_F(VerifyTest, SurvivesFlippedBitsAnywhere) {
  const std::string whole = read_file(path_);
  SplitMix64 random(7);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    std::string flipped = whole;
    flipped[random.next() % flipped.size()] ^= static_cast<char>(1 << random.next() % 8);
    write_file_atomically(path_, flipped);
    std::vector<std::string> problems;
    const auto opening = outcome([&] { problems = Store(path_).verify().problems; });
    if (opening.code != ExitCode::kOk) {
      EXPECT_EQ(opening.code, ExitCode::kBadData) << opening.message;
    }
    found += opening.code != ExitCode::kOk || !problems.empty() ? 1 : 0;
  }
  EXPECT_GT(found, 0);
  RecordProperty("found_of_200", found);
}

TEST_F(VerifyTest, SamplesThatAreGoneAreMissedAndTheRestIsRead) {
  EXPECT_EQ(problems_after("UPDATE invocation SET samples = NULL").size(), 8u);
  const auto list = Store(path_).invocations("run-1");
  ASSERT_EQ(list.size(), 8u);
  EXPECT_TRUE(list[0].repetitions.empty());
}

TEST_F(VerifyTest, NamesARunThatLostItsHost) {
  const auto problems = problems_after("DELETE FROM host");
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("orphan"), std::string::npos);
}

}  // namespace
}  // namespace nsop::store
