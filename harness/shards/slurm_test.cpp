#include "harness/shards/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Submission of_jobs(const std::vector<std::string>& jobs) {
  Submission submission;
  submission.jobs = jobs;
  return submission;
}

// Lines as Slurm 22.05 writes them.
constexpr const char* kDown =
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions";

TEST(Slurm, TasksHaveTheNumberOfTheirArray) {
  const std::string said = "12 PENDING JobArrayTaskLimit\n12 RUNNING None\n9 RUNNING None\n";
  EXPECT_THAT(jobs_in(said, of_jobs({"12", "13"})),
              ElementsAre(SlurmJob{"12", true, "JobArrayTaskLimit"}, SlurmJob{"12", false, ""}));
  EXPECT_THAT(jobs_in("", of_jobs({"12"})), IsEmpty());
  EXPECT_THAT(jobs_in("1 RUNNING None", of_jobs({"12"})), IsEmpty());
}

TEST(Slurm, SaysWhyJobsWait) {
  const Submission ours = of_jobs({"12", "13"});
  const std::string down = std::string("12 PENDING ") + kDown + "\n13 PENDING " + kDown;
  EXPECT_THAT(waiting_for(jobs_in(down, ours)), ElementsAre(Pair(kDown, "12")));
  EXPECT_THAT(waiting_for(jobs_in("12 PENDING Resources\n13 PENDING Dependency", ours)),
              ElementsAre(Pair("Resources", "12")));
  EXPECT_THAT(waiting_for(jobs_in("12 RUNNING None\n12 PENDING JobArrayTaskLimit", ours)),
              IsEmpty());
  EXPECT_THAT(waiting_for(jobs_in("12 PENDING None", ours)), IsEmpty());
}

TEST(Slurm, KnowsWhatNeverStarts) {
  const Submission ours = of_jobs({"12", "13"});
  const auto never = jobs_in("12 PENDING PartitionTimeLimit\n13 PENDING Dependency", ours);
  ASSERT_NE(hopeless_job(never), nullptr);
  EXPECT_EQ(hopeless_job(never)->reason, "PartitionTimeLimit");
  EXPECT_EQ(hopeless_job(jobs_in("12 PENDING Resources", ours)), nullptr);
  EXPECT_EQ(hopeless_job(jobs_in("12 PENDING Priority\n12 RUNNING None", ours)), nullptr);
}

TEST(Slurm, AFullQueueIsCalledOne) {
  EXPECT_THAT(refusal_text(
                  "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n"
                  "sbatch: error: Batch job submission failed: Resource temporarily unavailable\n"),
              testing::AllOf(HasSubstr("submission failed"), HasSubstr("queue is full"),
                             testing::Not(HasSubstr("retrying"))));
  EXPECT_THAT(refusal_text("sbatch: error: invalid partition specified: none\n"),
              testing::AllOf(HasSubstr("invalid partition"), testing::Not(HasSubstr("full"))));
}

}  // namespace
}  // namespace nsop::shards
