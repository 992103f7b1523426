#include "harness/shards/lacking.h"

#include <algorithm>

namespace nsop::shards {
namespace {

void exclude(Submission& submission, const std::string& node) {
  std::vector<std::string>& list = submission.excluded;
  if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
}

}  // namespace

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
