// What of a submission is left to measure.
#pragma once

#include <string>
#include <vector>

#include "harness/shards/merge.h"
#include "harness/shards/submission.h"

namespace nsop::shards {

// The shards that aren't complete. What was measured of them and doesn't count is put away, and
// nodes that were set aside are excluded from now on; the submission isn't written. Throws Error
// (environment).
std::vector<int> take_lacking(const std::string& folder, Submission& submission,
                              const std::vector<ShardReport>& reports);

}  // namespace nsop::shards
