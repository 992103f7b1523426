#include "harness/shards/lacking.h"

#include <algorithm>

#include "harness/judge/gate/verdict.h"
#include "harness/run/outcome.h"

namespace nsop::shards {
namespace {

void exclude(Submission& submission, const std::string& node) {
  std::vector<std::string>& list = submission.excluded;
  if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
}

ExitCode code_of(ShardState state) {
  switch (state) {
    case ShardState::kComplete:
      return ExitCode::kOk;
    case ShardState::kDamaged:
      return ExitCode::kBadData;
    case ShardState::kMissing:
    case ShardState::kAside:
      break;
  }
  return ExitCode::kInconclusive;
}

ExitCode worst_of(const std::vector<ShardReport>& reports) {
  ExitCode worst = ExitCode::kOk;
  for (const ShardReport& report : reports) {
    worst = run::worse_of(worst, code_of(report.state));
  }
  return worst;
}

}  // namespace

size_t count_of(const std::vector<ShardReport>& reports, ShardState state) {
  return static_cast<size_t>(
      std::count_if(reports.begin(), reports.end(),
                    [&](const ShardReport& report) { return report.state == state; }));
}

ExitCode outcome_of(const Shards& shards) {
  const ExitCode doubt = shards.doubts.empty() ? ExitCode::kOk : ExitCode::kInconclusive;
  return run::worse_of(worst_of(shards.reports), doubt);
}

ExitCode outcome_of(const Gates& gates) {
  return run::worse_of(worst_of(gates.reports),
                       judge::exit_of(judge::outcome_of(joint_result(gates))));
}

std::vector<int> take_lacking(const std::string& folder, Submission& submission,
                              const std::vector<ShardReport>& reports) {
  std::vector<int> lacking;
  for (const ShardReport& report : reports) {
    if (report.state == ShardState::kComplete) continue;
    lacking.push_back(report.index);
    if (report.state == ShardState::kMissing) continue;
    const bool is_aside = report.state == ShardState::kAside;
    put_away(folder, report.index, is_aside ? "aside" : "damaged");
    if (is_aside) exclude(submission, report.node);
  }
  return lacking;
}

}  // namespace nsop::shards
