// What verbs that measure in shards share: the folder of a submission, its start and its merge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/shards/submission.h"

namespace nsop::cli {

struct SubmissionOptions {
  int shards = 0, local = 0, nodes = 0;
  std::string folder;
  std::optional<std::string> partition, constraint, time_limit;  // empty: as Slurm chooses
  bool wait = false;
};

void declare_submission(CLI::App& verb, SubmissionOptions& o);

// The options that say where and how long Slurm measures, in place of what the submission has of
// them. Throws Error (usage) where it needs no Slurm.
void take_cluster_options(const SubmissionOptions& o, shards::Submission& submission);

// A database as the nodes find it, wherever they start.
std::string stored_address(const std::string& db);

// Throws Error (usage) where the database's address has a password, which the folder would keep.
void refuse_secret(const Settings& settings);

// Writes the folder of a new submission, whose tasks run `verb` with these arguments, and starts
// it: submits it, or measures here and merges. Throws Error (usage) where there are fewer cases
// than shards, or the folder isn't empty.
ExitCode submit(Context& context, const SubmissionOptions& o, const std::string& verb,
                const std::vector<std::string>& arguments, size_t cases);

// The same of these shards of a submission that has a folder.
ExitCode start_shards(Context& context, const SubmissionOptions& o, const std::string& folder,
                      shards::Submission& submission, const std::vector<int>& lacking);

// Stores and shows what there is of a submission. kInconclusive where shards lack or nodes are in
// doubt, kBadData where one is damaged; of a gate its own code.
ExitCode merge_folder(Context& context, const std::string& folder);

}  // namespace nsop::cli
