#include <gmock/gmock.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/store/testing/rows_support.h"
#include "harness/store/unfinished.h"

namespace nsop::store {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

class RemovalTest : public testing::Test {
 protected:
  RemovalTest() {
    for (const char* id : {"run-1", "run-2"}) add_run(store_, example_run(id), 4);
  }
  void expect_refused(const std::string& run_id, const std::string& reason,
                      const std::string& said) {
    try {
      store_.remove_run(run_id, reason);
      FAIL() << said;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), reason.size() > 512 ? ExitCode::kBadData : ExitCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(said));
    }
    EXPECT_EQ(store_.runs().size(), 2u);
    EXPECT_THAT(store_.removed_runs(), IsEmpty());
  }

  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_{path_};
};

TEST_F(RemovalTest, ARunIsTakenOutAndThatItWasThereStays) {
  store_.remove_run("run-1", "its clock was wrong");
  ASSERT_EQ(store_.runs().size(), 1u);
  EXPECT_EQ(store_.runs()[0].run.id, "run-2");
  EXPECT_EQ(store_.invocations("run-2").size(), 4u);
  EXPECT_THROW(store_.invocations("run-1"), Error);
  const auto removed = store_.removed_runs();
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_EQ(removed[0].run_id, "run-1");
  EXPECT_EQ(removed[0].reason, "its clock was wrong");
  EXPECT_EQ(removed[0].invocations, 4);
  EXPECT_EQ(removed[0].sha256.size(), 64u);
  EXPECT_THAT(store_.verify().problems, IsEmpty());
  EXPECT_THROW(raw_sql(path_, "DELETE FROM removed_run"), Error);
  EXPECT_THROW(raw_sql(path_, "UPDATE removed_run SET reason = 'none'"), Error);
}

TEST_F(RemovalTest, ARemovedRunMayBeImportedAgain) {
  const std::string whole = export_run(store_, "run-1");
  store_.remove_run("run-1", "by mistake");
  EXPECT_EQ(import_run(store_, whole, "file"), "run-1");
  EXPECT_EQ(export_run(store_, "run-1"), whole);
}

TEST_F(RemovalTest, WhatVerdictsWereGivenAgainstStays) {
  store_.set_baseline({"main", "host-a", "run-1", "", ""});
  expect_refused("run-1", "why not", "is the baseline 'main'");
  store_.set_baseline({"main", "host-a", "run-2", "", ""});
  expect_refused("run-1", "why not", "was the baseline 'main'");
  expect_refused("run-3", "why not", "no run 'run-3'");
  expect_refused("run-1", " ", "--reason");
  expect_refused("run-1", std::string(600, 'x'), "1 to 512 bytes");
}

TEST_F(RemovalTest, ARunThatIsBeingMeasuredStays) {
  add_run(store_, example_run("run-3"), 1, false);
  try {
    store_.remove_run("run-3", "why not");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run run-3 is not ended"));
  }
  EXPECT_EQ(store_.invocations("run-3").size(), 1u);
}

TEST(UnfinishedTest, OnlyAbandonedFilesOfOursAreRemoved) {
  const TempDir dir;
  const std::string path = dir.file("nsop.db");
  const std::string old_copy = unfinished_name(path), young_copy = unfinished_name(path);
  const std::string of_a_backup = unfinished_name(path + ".schema1-x.backup");
  const std::string of_another = unfinished_name(dir.file("other.db"));
  const std::string earlier = path + ".new-5", of_a_stranger = dir.file("other.db.new-5");
  for (const std::string& file :
       {path, old_copy, young_copy, of_a_backup, of_another, earlier, of_a_stranger}) {
    write_file_atomically(file, "1234", Durability::kScratch);  // which doesn't tidy
    const utimbuf long_ago{std::time(nullptr) - 7200, std::time(nullptr) - 7200};
    if (file == young_copy) continue;
    ASSERT_EQ(utime(file.c_str(), &long_ago), 0);
  }
  const Leftovers removed = remove_unfinished(path);
  EXPECT_EQ(removed.files, 4);
  EXPECT_EQ(removed.bytes, 16);
  for (const std::string& file : {path, young_copy, of_a_stranger}) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
}

}  // namespace
}  // namespace nsop::store
