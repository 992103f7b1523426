#include <gtest/gtest.h>

#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    add_run(store_, example_run("aaaa1111", "2026-01-01T00:00:00Z"));
    add_run(store_, example_run("aaaa2222", "2026-01-02T00:00:00Z"));
    add_run(store_, example_run("bbbb3333", "2026-01-03T00:00:00Z"), 1, false);
    nsop::Run elsewhere = example_run("cccc4444", "2026-01-04T00:00:00Z");
    elsewhere.host_id = "host-b";
    add_run(store_, elsewhere);
    store_.set_baseline({"main", "host-a", "aaaa1111", "", ""});
    store_.set_baseline({"far", "host-b", "cccc4444", "", ""});
  }
  std::string resolve(const std::string& name, const std::string& host = "host-a") {
    return store_.resolve_run(name, host);
  }
  Outcome refused(const std::string& name) {
    return outcome([&] { resolve(name); });
  }

  TempDir dir_;
  Store store_{dir_.db()};
};

TEST_F(ResolveTest, LastCountsCompleteRunsOfTheHost) {
  EXPECT_EQ(resolve("@last"), "aaaa2222");
  EXPECT_EQ(resolve("@last~1"), "aaaa1111");
  EXPECT_EQ(resolve("@last", "host-b"), "cccc4444");
  EXPECT_EQ(resolve("@last", "host-without-runs"), "cccc4444");
}

TEST_F(ResolveTest, LastRefusesWhatIsNotThere) {
  for (const char* name : {"@last~2", "@last~", "@last~x", "@last~-1", "@last1", "@lastly"}) {
    EXPECT_EQ(refused(name).code, ExitCode::kUsage) << name;
  }
}

TEST_F(ResolveTest, TakesUuidPrefixesOfFourCharacters) {
  EXPECT_EQ(resolve("aaaa1"), "aaaa1111");
  EXPECT_EQ(resolve("AAAA1"), "aaaa1111");
  EXPECT_EQ(resolve("bbbb"), "bbbb3333");
  EXPECT_EQ(refused("bbb").code, ExitCode::kUsage);
  const auto ambiguous = refused("aaaa");
  EXPECT_EQ(ambiguous.code, ExitCode::kUsage);
  EXPECT_NE(ambiguous.message.find("2 runs"), std::string::npos);
}

TEST_F(ResolveTest, ACommitIsItsLatestCompleteRunOfTheHost) {
  EXPECT_EQ(resolve("c0ffee"), "aaaa2222");
  EXPECT_EQ(resolve("c0ffee1234", "host-b"), "cccc4444");
}

TEST_F(ResolveTest, ACommitIsNoRunThatOnlyConfirmsAnotherWhereThereIsOneOfItsOwn) {
  nsop::Run beside = example_run("dddd5555", "2026-01-05T00:00:00Z");
  beside.origin = "confirm";
  add_run(store_, beside);
  EXPECT_EQ(resolve("c0ffee"), "aaaa2222");
  EXPECT_EQ(resolve("@last"), "dddd5555");
}

TEST_F(ResolveTest, BaselinesBelongToAHost) {
  EXPECT_EQ(resolve("main"), "aaaa1111");
  EXPECT_EQ(resolve("baseline:main"), "aaaa1111");
  for (const char* name : {"far", "baseline:far"}) {
    const auto other = refused(name);
    EXPECT_EQ(other.code, ExitCode::kUsage);
    EXPECT_NE(other.message.find("not set for this host"), std::string::npos) << other.message;
  }
}

TEST_F(ResolveTest, SuggestsTheNearestName) {
  EXPECT_NE(refused("mian").message.find("'main'"), std::string::npos);
  EXPECT_NE(refused("@lats").message.find("'@last'"), std::string::npos);
  EXPECT_NE(refused("baseline:mian").message.find("'baseline:main'"), std::string::npos);
  EXPECT_NE(refused("aaba1111").message.find("'aaaa1111'"), std::string::npos);
  EXPECT_EQ(refused("b").message.find("did you mean"), std::string::npos);  // no prefix
}

TEST_F(ResolveTest, NamesAreNeverSql) {
  for (const char* name : {"", "%%%%", "____", "' OR 1=1 --", "aaaa%"}) {
    EXPECT_EQ(refused(name).code, ExitCode::kUsage) << name;
  }
}

}  // namespace
}  // namespace nsop::store
