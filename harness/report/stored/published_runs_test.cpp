#include "harness/report/stored/published_runs.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/report/stored/run.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::report {
namespace {

using store::test::outcome;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPublishedFile =
    "system,document,version,machine,case,role,here,ns_per_op,allocs_per_op,bytes_per_op,metric,"
    "value,unit,note\n"
    "Other,R.md,v1 2025-11-20,\"i7, 6 cores\",relu n=1,before,before,1440.5,2,64,,,,\n"
    "Other,S.md,v1 2025-11-20,\"i7, 6 cores\",relu n=1,after,after,272.85,,,,,,\"printed "
    "\"\"272\"\"\"\n"
    "Other,R.md,v1 2025-11-20,\"i7, 6 cores\",dqn,after,after,,,,episodes,3.35,episodes/s,\n"
    "Other,R.md,v2,\"i7, 6 cores\",relu n=1,after,after,200,,,,,,\n";

const PublishedOptions kThen{"2026-01-01T00:00:00Z", "1.0"};

class PublishedRunsTest : public testing::Test {
 protected:
  std::vector<Published> values_ = parse_published(kPublishedFile, "their.csv");
  store::test::TempDir folder_;
  store::Store store_{folder_.file("nsop.db")};
};

TEST_F(PublishedRunsTest, ASystemsVersionIsABaselineOfItsMachine) {
  const auto runs = published_runs(values_, kThen);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].baseline, "Other-v1-2025-11-20");
  EXPECT_EQ(runs[0].run.origin, "published");
  EXPECT_EQ(runs[0].run.started_utc, "2025-11-20T00:00:00Z");
  EXPECT_EQ(runs[1].run.started_utc, kThen.started_utc);
  EXPECT_EQ(runs[0].values, 3);
  EXPECT_EQ(runs[0].times, 2);
  EXPECT_EQ(runs[0].host.cpu_model, "i7, 6 cores");
  EXPECT_EQ(runs[0].host.id, runs[1].host.id);
  EXPECT_THAT(store_published(store_, runs, "their.csv"), ElementsAre(true, true));
  EXPECT_THAT(store_published(store_, published_runs(values_, {"2026-02-02T00:00:00Z", "2.0"}),
                              "their.csv"),
              ElementsAre(false, false));
  ASSERT_EQ(store_.baselines().size(), 2U);
  EXPECT_EQ(store_.baselines()[0].reason, "published in R.md, S.md");
  EXPECT_TRUE(store_.verify().problems.empty());
}

TEST_F(PublishedRunsTest, TimesAreRowsAndEveryValueComesBackAsItWas) {
  store_published(store_, published_runs(values_, kThen), "their.csv");
  EXPECT_EQ(stored_published(store_), values_);
  const std::string run_id = store_.baselines()[0].run_id;
  const auto rows = store_.invocations(run_id);
  ASSERT_EQ(rows.size(), 3U);  // two times, and the allocations of one
  EXPECT_EQ(rows[0].phase, Phase::kCount);
  EXPECT_EQ(rows[0].allocs->bytes_per_op, 64);
  EXPECT_EQ(rows[1].row.text(), "relu n=1 | before@published | threads=1");
  const Repetition& r = rows[1].repetitions.at(0);
  EXPECT_EQ(static_cast<double>(r.wall_ns) / static_cast<double>(r.iterations), 1440.5);
  // And through an exported file.
  const std::string text = store::export_run(store_, run_id);
  store::Store other(folder_.file("other.db"));
  EXPECT_EQ(store::import_run(other, text, "x"), run_id);
}

TEST_F(PublishedRunsTest, ARunWithoutATimeIsWholeToo) {
  const std::vector<Published> values = {values_[2]};
  store_published(store_, published_runs(values, kThen), "their.csv");
  EXPECT_EQ(stored_published(store_), values);
  EXPECT_TRUE(store_.verify().problems.empty());
}

TEST_F(PublishedRunsTest, TheFoldersValuesComeFirstAndNoneTwice) {
  store_published(store_, published_runs(values_, kThen), "their.csv");
  EXPECT_EQ(all_published(store_, folder_.file("none")), values_);
  store_.remove_baseline("Other-v2", store_.baselines()[1].host_id, "withdrawn");
  EXPECT_EQ(all_published(store_, folder_.file("none")).size(), 3U);
}

TEST_F(PublishedRunsTest, NothingIsComparedWithThem) {
  store_published(store_, published_runs(values_, kThen), "their.csv");
  const std::string run_id = store_.baselines()[0].run_id, host = store_.baselines()[0].host_id;
  const auto refused = outcome([&] { load_run(store_, run_id); });
  EXPECT_EQ(refused.code, ExitCode::kUsage);
  EXPECT_THAT(refused.message, HasSubstr("holds published values"));
  EXPECT_TRUE(store_.history(host).of({"relu n=1", "after", "published", 1}).empty());
}

TEST_F(PublishedRunsTest, TwoTimesOfOneRoleAreBadData) {
  values_.push_back(values_[0]);
  const auto refused = outcome([&] { published_runs(values_, kThen); });
  EXPECT_EQ(refused.code, ExitCode::kBadData);
  EXPECT_THAT(refused.message, HasSubstr("two times of the role 'before'"));
  values_.back() = values_[3];
  values_.back().system = std::string(300, 'x');
  EXPECT_EQ(outcome([&] { published_runs(values_, kThen); }).code, ExitCode::kBadData);
}

}  // namespace
}  // namespace nsop::report
