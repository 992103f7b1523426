#include "harness/shards/scripts.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::shards {
namespace {

std::string head_of(const Submission& submission) {
  return fmt::format("#!/bin/bash\n# Written by `nsop submit`; not to be edited.\nset -eu\ncd {}\n",
                     shell_word(submission.project));
}

std::string words(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& one : arguments) text += " " + shell_word(one);
  return text;
}

std::string run_command_of(const std::string& folder, const Submission& s,
                           const std::string& index) {
  return fmt::format("{} {} --shard {}/{} --into {}{}", shell_word(s.program), s.verb, index,
                     s.shards, shell_word(folder), words(s.arguments));
}

}  // namespace

std::string shard_script(const std::string& folder, const Submission& submission) {
  return head_of(submission) + "exec " +
         run_command_of(folder, submission, "\"${1:-$SLURM_ARRAY_TASK_ID}\"") + "\n";
}

std::string merge_script(const std::string& folder, const Submission& submission) {
  return head_of(submission) + fmt::format("exec {} merge {} --db {}\n",
                                           shell_word(submission.program), shell_word(folder),
                                           shell_word(submission.db));
}

std::string local_script(const std::string& folder, const Submission& submission,
                         const std::vector<std::vector<int>>& cpus_of_slot) {
  std::string lists;
  for (const std::vector<int>& cpus : cpus_of_slot) {
    if (!lists.empty()) lists += ' ';
    lists += fmt::format("{}", fmt::join(cpus, ","));
  }
  return head_of(submission) +
         fmt::format(
             "cpus=({})\n"
             "export NSOP_LOCK={}/lock.$NSOP_SLOT\n"
             "export NSOP_NODE=\"$(uname -n):cpu${{cpus[$NSOP_SLOT]}}\"\n"
             "exec taskset --cpu-list \"${{cpus[$NSOP_SLOT]}}\" {} >>{}/shard-\"$1\".log 2>&1\n",
             lists, shell_word(folder), run_command_of(folder, submission, "\"$1\""),
             shell_word(folder));
}

std::vector<std::vector<int>> shared_out(const std::vector<int>& cpus, int parts) {
  if (parts < 1 || static_cast<size_t>(parts) > cpus.size()) {
    throw usage_error(
        fmt::format("--local {}: this machine has {} CPUs for it", parts, cpus.size()));
  }
  const size_t count = static_cast<size_t>(parts);
  std::vector<std::vector<int>> slots(count);
  for (size_t i = 0; i < cpus.size(); ++i) slots[i * count / cpus.size()].push_back(cpus[i]);
  return slots;
}

}  // namespace nsop::shards
