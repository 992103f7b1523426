#include "harness/judge/nightly/eligible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/identity.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/testing/stored_nights_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::ElementsAre;
using testing::HasSubstr;

class EligibleTest : public testing::Test {
 protected:
  void git(std::vector<std::string> arguments) {
    const std::vector<std::string> settings = {"git", "-c", "user.name=t", "-c", "user.email=t@t"};
    arguments.insert(arguments.begin(), settings.begin(), settings.end());
    ASSERT_EQ(run_command(arguments, dir_.path()).status, 0);
  }
  store::test::Outcome of_commit(const Build& build, bool is_own) {
    return outcome([&] { must_be_of_commit({dir_.path(), {}}, "worker", is_own, build, note_); });
  }
  nsop::Run stored(const std::string& origin = "measured", const std::string& trust = "local") {
    nsop::Run run = store::test::example_run("00000000-0000-4000-8000-000000000001");
    run.origin = origin;
    run.trust = trust;
    store::test::add_run(store_, run);
    return run;
  }

  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
  std::vector<std::string> notes_;
  BuildNote note_ = [this](const std::string& text) { notes_.push_back(text); };
};

TEST_F(EligibleTest, ANightIsOfTheCommitThatIsCheckedOut) {
  Build build = store::test::example_build();
  build.dirty = true;
  EXPECT_EQ(of_commit(build, true).code, ExitCode::kInconclusive);
  build.dirty = false;
  EXPECT_EQ(of_commit(build, true).code, ExitCode::kOk);  // no git
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no git")));
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "one"});
  build.commit = *known_commit({dir_.path(), {}}, "HEAD");
  EXPECT_EQ(of_commit(build, true).code, ExitCode::kOk);
  git({"commit", "-q", "--allow-empty", "-m", "two"});
  const auto old = of_commit(build, true);
  EXPECT_EQ(old.code, ExitCode::kUsage);
  EXPECT_THAT(old.message, HasSubstr("build it first, or name it with --worker"));
  EXPECT_EQ(of_commit(build, false).code, ExitCode::kOk);  // who names it, means it
  EXPECT_THAT(notes_.back(), HasSubstr("is checked out"));
}

TEST_F(EligibleTest, AClockThatWentBackIsNoNight) {
  test::write_nights(dir_.file("nights"), 3);
  const Past past(dir_.file("t.db"), dir_.file("nights"));
  const auto at = [&](int64_t seconds) {
    const std::string now = utc_text(*utc_seconds(utc_now()) + seconds);
    return outcome([&] { must_be_latest(past, "host-a", now, note_); });
  };
  EXPECT_EQ(at(0).code, ExitCode::kOk);
  const auto back = at(-3 * 3600);
  EXPECT_EQ(back.code, ExitCode::kInconclusive);
  EXPECT_THAT(back.message, HasSubstr("set the clock; if it is right, wait until then"));
  EXPECT_THAT(at(-90 * 3600).message, HasSubstr("(and 2 more later ones)"));
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(outcome([&] { must_be_latest(past, "other", "2000-01-01T00:00:00Z", note_); }).code,
            ExitCode::kOk);
}

TEST_F(EligibleTest, ASingleNightFromFarAheadIsOnlyToldOf) {
  const Night night = test::night_ago(-10, 1, 1000);
  write_night(dir_.file("nights"), night);
  const Past past(dir_.file("t.db"), dir_.file("nights"));
  must_be_latest(past, "host-a", utc_now(), note_);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("it is left out")));
  EXPECT_TRUE(began_in(past, "host-a", night.started_utc));
  EXPECT_FALSE(began_in(past, "host-a", utc_now()));
}

TEST_F(EligibleTest, AStoredRunIsANightOfItsHost) {
  const nsop::Run run = stored();
  EXPECT_EQ(stored_night(store_, run.id, "host-a").run_id, run.id);
  const auto elsewhere = outcome([&] { stored_night(store_, run.id, "host-b"); });
  EXPECT_EQ(elsewhere.code, ExitCode::kInconclusive);
  EXPECT_THAT(elsewhere.message, HasSubstr("is of another host"));
}

TEST_F(EligibleTest, AGateIsNoNight) {
  const nsop::Run gate = stored("gate");
  EXPECT_THAT(outcome([&] { stored_night(store_, gate.id, "host-a"); }).message,
              HasSubstr("is of origin gate: no night"));
}

TEST_F(EligibleTest, APullRequestMakesNoHistory) {
  const nsop::Run run = stored("measured", "pr");
  EXPECT_EQ(outcome([&] { stored_night(store_, run.id, "host-a"); }).code, ExitCode::kUsage);
}

}  // namespace
}  // namespace nsop::judge
