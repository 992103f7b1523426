// Shards of a submission to one stored run per kind of host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/shards/submission.h"
#include "harness/store/store.h"

namespace nsop::shards {

enum class ShardState {
  kComplete,
  kMissing,  // not begun, or its node died
  kDamaged,  // its file isn't what a shard of this submission writes
  kAside,    // of a node that disagrees with its kind
};
std::string shard_state_text(ShardState state);

struct ShardReport {
  int index = 1;
  ShardState state = ShardState::kMissing;
  std::string node, host_id;  // empty: unknown
  std::string reason;         // for anything but complete
  int64_t invocations = 0;    // of a missing shard: stored before it ended
};

struct ShardRun {  // a complete shard
  Run run;
  Host host;
  std::vector<Build> builds;
  std::vector<Invocation> rows, controls;
};

struct Shards {
  std::vector<ShardReport> reports;               // by index
  std::vector<std::optional<ShardRun>> complete;  // parallel
  std::vector<std::string> doubts;                // of nodes
  std::vector<std::string> clocks;                // of nodes that are wrong, a line each
};

// Reads what there is. Throws Error (environment) for a folder that can't be read.
Shards read_shards(const std::string& folder, const Submission& submission);

struct Merged {
  struct Kind {
    std::string run_id, host_id, cpu_model;
    int64_t added = 0, known = 0;  // invocations
    bool is_complete = false;
    // Earlier runs of it, which have what doesn't count any more: not complete for good.
    std::vector<std::string> left;
  };
  std::vector<Kind> kinds;  // of host
};

// Stores the complete shards as one run per kind of host. A kind should measure all rows but those
// of shards that another kind has measured: that is the plan of its run, which is `complete` when
// no shard lacks, else `aborted`, to be continued by the next merge. Says in the plan which shard
// was measured where and which are missing. A run begins when it was submitted at the earliest, and
// ends now at the latest, whatever the clocks of its nodes say. Nothing is stored twice, whoever
// merges how often. Where a run has what doesn't count any more, because its node was set aside
// since or its shard measured anew, another one is begun, and the first stays as it is.
Merged merge_shards(const std::string& folder, const Submission& submission, const Shards& shards,
                    store::Store& store);

}  // namespace nsop::shards
