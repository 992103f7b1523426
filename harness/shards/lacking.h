// What a submission came to, and what of it is left to measure.
#pragma once

#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/shards/gates.h"
#include "harness/shards/merge.h"
#include "harness/shards/submission.h"

namespace nsop::shards {

size_t count_of(const std::vector<ShardReport>& reports, ShardState state);

// The worst of what there is: kBadData where a shard is damaged, kInconclusive where one is missing
// or set aside, or nodes are in doubt; of a gate, also what its rows come to.
ExitCode outcome_of(const Shards& shards);
ExitCode outcome_of(const Gates& gates);

// The shards that aren't complete. What was measured of them and doesn't count is put away, and
// nodes that were set aside are excluded from now on; the submission isn't written. Throws Error
// (environment).
std::vector<int> take_lacking(const std::string& folder, Submission& submission,
                              const std::vector<ShardReport>& reports);

}  // namespace nsop::shards
