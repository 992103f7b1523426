#include "harness/shards/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/files.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GateTaskTest : public testing::Test {
 protected:
  GateTaskTest() {
    Submission submission;
    submission.verb = "gate";
    submission.shards = 2;
    write_submission(folder_, submission);
  }

  // A gate that a node left in the database of shard 1; its export.
  std::string leave(bool complete) {
    store::Store store(shard_database(folder_, 1));
    const nsop::Run run = store::test::example_run("00000001-0000-4000-8000-000000000000");
    store::test::add_run(store, run, 3, complete);
    return store::export_run(store, run.id);
  }

  bool is_measured() {
    return is_gate_measured(folder_, {1, 2}, [&](const auto& note) { notes_.push_back(note); });
  }

  store::test::TempDir temporary_;
  const std::string folder_ = temporary_.path();
  std::vector<std::string> notes_;
};

TEST_F(GateTaskTest, WhatIsCompleteIsPublishedNotMeasuredTwice) {
  EXPECT_FALSE(is_measured());
  const std::string text = leave(true);
  EXPECT_TRUE(is_measured());
  EXPECT_EQ(read_file(shard_file(folder_, 1)), text);
  EXPECT_TRUE(is_measured());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("lacked its file"), HasSubstr("measured already: ")));
  EXPECT_FALSE(was_put_away(folder_, 1, "lost"));
}

TEST_F(GateTaskTest, WhatIsHalfDoneIsPutAway) {
  leave(false);
  EXPECT_FALSE(is_measured());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("measured anew: it was stopped")));
  EXPECT_TRUE(was_put_away(folder_, 1, "lost"));
  EXPECT_FALSE(std::filesystem::exists(shard_database(folder_, 1)));
}

TEST_F(GateTaskTest, WhatIsNoDatabaseIsPutAway) {
  write_file_atomically(shard_database(folder_, 1), "not a database at all");
  EXPECT_FALSE(is_measured());
  EXPECT_TRUE(was_put_away(folder_, 1, "lost"));
}

TEST_F(GateTaskTest, ARunIsNoGate) {
  Submission run;
  run.shards = 2;
  write_submission(folder_, run);
  EXPECT_EQ(store::test::outcome([&] { is_measured(); }).code, ExitCode::kUsage);
}

}  // namespace
}  // namespace nsop::shards
