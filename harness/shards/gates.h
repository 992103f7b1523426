// A gate in shards: both arms of a row are measured on the same node, each shard is a gate of its
// own with its own controls, and what they found stands side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/gate/plan.h"
#include "harness/judge/gate/stored.h"
#include "harness/shards/merge.h"
#include "harness/shards/submission.h"
#include "harness/store/store.h"

namespace nsop::shards {

// How many cases a gate has beside those of its controls.
size_t gate_cases(const judge::GateRowsPlan& plan);

// Keeps the rows of one shard, and the controls. Throws Error (usage) where it has none.
void keep_gate_shard(judge::GateRowsPlan& plan, const ShardNumber& shard);

struct ShardGate {  // a complete shard
  Run run;
  judge::GatePlan plan;
  judge::GateResult result;
};

struct Gates {
  std::vector<ShardReport> reports;                // by index
  std::vector<std::optional<ShardGate>> complete;  // parallel
};

// Reads what there is. A gate whose control moved is set aside with its node: it has judged
// nothing. Throws Error (environment) for a folder that can't be read.
Gates read_gates(const std::string& folder, const Submission& submission);

// Stores the complete gates, each as it is. Nothing is stored twice.
void store_gates(const std::string& folder, const Gates& gates, store::Store& store);

// The rows of all complete gates, without their controls, in the order of the shards: discoveries
// are controlled in each gate by itself.
judge::GateResult joint_result(const Gates& gates);

}  // namespace nsop::shards
