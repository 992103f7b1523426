// The shell scripts of a submission.
#pragma once

#include <string>
#include <vector>

#include "harness/shards/submission.h"

namespace nsop::shards {

// What an array task runs: one shard, whose number is its argument or Slurm's.
std::string shard_script(const std::string& folder, const Submission& submission);
// What runs when all shards have ended, however they did.
std::string merge_script(const std::string& folder, const Submission& submission);
// One shard (its argument) on the CPUs of the slot NSOP_SLOT, counted from 0: the machine's lock is
// held by who starts it, so each slot has its own.
std::string local_script(const std::string& folder, const Submission& submission,
                         const std::vector<std::vector<int>>& cpus_of_slot);

// The CPUs in so many parts, as even as they go. Throws Error (usage) where there are fewer.
std::vector<std::vector<int>> shared_out(const std::vector<int>& cpus, int parts);

}  // namespace nsop::shards
