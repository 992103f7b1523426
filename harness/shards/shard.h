// One of the parts in which a run is measured, on several nodes or cores.
#pragma once

#include <map>
#include <string>

#include "harness/run/job.h"

namespace nsop::shards {

struct ShardNumber {
  int index = 1, of = 1;  // counted from 1
};
// Of `3/8`. Throws Error (usage).
ShardNumber shard_from_text(const std::string& text);

// The shard of each case: the longest first, each to the shard that has least so far (LPT; Graham
// 1969, doi:10.1137/0117039). All variants of a case are in one. It depends on the cases and their
// work alone, so that nodes of unlike kinds agree.
std::map<std::string, int> shards_of_cases(const run::Plan& plan, int of);

// Keeps the rows of one shard. Throws Error (usage) where it has none.
void keep_shard(run::Plan& plan, const ShardNumber& shard);

// The rows by which nodes are compared, of our own worker, unless the plan has them.
void add_controls(run::Job& job);

// The name of this node: NSOP_NODE, else the one that Slurm gives it, else the machine's.
std::string node_name();

}  // namespace nsop::shards
