#include "harness/run/outcome.h"

#include <gtest/gtest.h>

namespace nsop::run {
namespace {

std::vector<VariantInfo> known_variants() {
  VariantInfo ours, probe, before, peer;
  ours.op = probe.op = before.op = peer.op = "relu";
  ours.name = "hwy";
  ours.role = Role::kOurs;
  probe.name = "one_stream";
  probe.role = Role::kProbe;
  before.name = "before";
  before.role = Role::kBefore;
  peer.name = "eigen";
  peer.role = Role::kPeer;
  return {ours, probe, before, peer};
}

stats::RowSummary measured_row(const std::string& variant, Status status,
                               const std::string& case_text = "relu n=8 pass=forward") {
  stats::RowSummary r;
  r.row.case_text = case_text;
  r.row.variant = variant;
  r.status = status;
  return r;
}

TEST(Outcome, IsFailedForRowsOfOursOnly) {
  for (const Status bad : {Status::kWrong, Status::kError, Status::kTimeout}) {
    EXPECT_EQ(run_outcome({measured_row("hwy", bad), measured_row("eigen", Status::kOk)},
                          known_variants()),
              ExitCode::kFailed);
    EXPECT_EQ(run_outcome({measured_row("one_stream", bad), measured_row("hwy", Status::kOk)},
                          known_variants()),
              ExitCode::kFailed);
    EXPECT_EQ(run_outcome({measured_row("hwy", Status::kOk), measured_row("eigen", bad),
                           measured_row("before", bad)},
                          known_variants()),
              ExitCode::kOk);
  }
}

TEST(Outcome, AVariantIsOursForItsOpsOnly) {
  const auto other = measured_row("hwy", Status::kError, "relu_of_others n=8");
  EXPECT_EQ(run_outcome({other, measured_row("hwy", Status::kOk)}, known_variants()),
            ExitCode::kOk);
}

TEST(Outcome, OfNoTimeNothingCanBeSaid) {
  EXPECT_EQ(run_outcome({}, known_variants()), ExitCode::kInconclusive);
  EXPECT_EQ(run_outcome(
                {measured_row("hwy", Status::kUnsupported), measured_row("eigen", Status::kError)},
                known_variants()),
            ExitCode::kInconclusive);
}

// As the head of ExitCode says: 2, 5, 4, 1, 3.
TEST(Outcome, OfSeveralRunsTheWorstEndCountsWhicheverCameLast) {
  const std::vector<ExitCode> worst_first = {ExitCode::kTerminated,   ExitCode::kInterrupted,
                                             ExitCode::kUsage,        ExitCode::kEnvironment,
                                             ExitCode::kBadData,      ExitCode::kFailed,
                                             ExitCode::kInconclusive, ExitCode::kOk};
  for (size_t worse = 0; worse < worst_first.size(); ++worse) {
    for (size_t other = worse; other < worst_first.size(); ++other) {
      EXPECT_EQ(worse_of(worst_first[worse], worst_first[other]), worst_first[worse]);
      EXPECT_EQ(worse_of(worst_first[other], worst_first[worse]), worst_first[worse]);
    }
  }
}

}  // namespace
}  // namespace nsop::run
