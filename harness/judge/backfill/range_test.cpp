#include "harness/judge/backfill/range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/fake_builds_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::ElementsAre;
using testing::HasSubstr;

class BackfillCommits : public testing::Test {
 protected:
  BackfillCommits() {
    for (const char* subject : {"One", "Two", "Three", "Four", "Five", "Six", "Seven"}) {
      names_.push_back(repository_.commit(subject));
    }
  }
  std::vector<std::string> commits(const BackfillRange& range) {
    return backfill_commits(repository_.place(), range);
  }
  store::test::Outcome refused(const std::string& from, const std::string& to) {
    return outcome([&] { commits({from, to}); });
  }
  test::FakeRepository repository_;
  std::vector<std::string> names_;
};

TEST_F(BackfillCommits, AreThoseOfTheRangeNewestFirstWithBothEnds) {
  EXPECT_THAT(commits({"HEAD~5", "HEAD~3"}), ElementsAre(names_[3], names_[2], names_[1]));
}

TEST_F(BackfillCommits, EveryNthIsCountedFromTheOldestOnSoThatMoreCommitsChangeNothing) {
  EXPECT_THAT(commits({"HEAD~6", "HEAD", 3}), ElementsAre(names_[6], names_[3], names_[0]));
  EXPECT_THAT(commits({"HEAD~6", "HEAD~1", 3}), ElementsAre(names_[5], names_[3], names_[0]));
  EXPECT_THAT(commits({"HEAD~6", "HEAD", 100}), ElementsAre(names_[6], names_[0]));
}

TEST_F(BackfillCommits, AReleaseIsNeverLeftOut) {
  EXPECT_THAT(commits({"HEAD~6", "HEAD", 3, {names_[1].substr(0, 8), "0123456789"}}),
              ElementsAre(names_[6], names_[3], names_[1], names_[0]));
}

TEST_F(BackfillCommits, OfABranchThatWasMergedOnlyTheMergeIsAmongThem) {
  repository_.git({"checkout", "-q", "-b", "topic", "HEAD~1"});
  repository_.commit("Topic");
  repository_.git({"checkout", "-q", "main"});
  repository_.git({"merge", "-q", "--no-ff", "-m", "Merge", "topic"});
  const std::string merge = commit_of(repository_.place(), "HEAD");
  EXPECT_THAT(commits({"HEAD~2", "HEAD"}), ElementsAre(merge, names_[6], names_[5]));
}

TEST_F(BackfillCommits, WhatIsNoRangeIsRefused) {
  for (const auto& [from, to] : {std::pair{"nobody", "HEAD"}, {"HEAD~1", "nobody"}}) {
    const auto unknown = refused(from, to);
    EXPECT_EQ(unknown.code, ExitCode::kUsage);
    EXPECT_THAT(unknown.message, HasSubstr("'nobody' is no revision of "));
  }
  const auto same = refused("HEAD", "main");
  EXPECT_EQ(same.code, ExitCode::kUsage);
  EXPECT_THAT(same.message, HasSubstr("are the same commit, an empty range"));
  const auto turned = refused("HEAD", "HEAD~2");
  EXPECT_EQ(turned.code, ExitCode::kUsage);
  EXPECT_THAT(turned.message, HasSubstr("is no ancestor of --to HEAD~2, but grew from it"));
  repository_.git({"checkout", "-q", "--orphan", "other"});
  repository_.commit("Other");
  EXPECT_THAT(refused("other", "main").message, HasSubstr("name a commit that the newer one"));
}

TEST_F(BackfillCommits, WithoutARepositoryTheEnvironmentIsWrong) {
  const store::test::TempDir dir;
  const auto none = outcome([&] { backfill_commits({dir.path(), ""}, {"a", "b"}); });
  EXPECT_EQ(none.code, ExitCode::kEnvironment);
  EXPECT_THAT(none.message, HasSubstr("no git repository"));
}

}  // namespace
}  // namespace nsop::judge
