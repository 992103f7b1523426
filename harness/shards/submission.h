// A run that is measured in shards, as a folder that all its nodes see:
//
//   submission.json     what is measured, and what was submitted when
//   plan-HOST.json      the whole plan, as the first shard on a kind of host made it
//   shard-3.db          shard 3 while it is measured; kept
//   shard-3.ndjson      shard 3 when it is complete, as `nsop export` writes it
//   shard-3.lost-1.db   what a node measured of it that didn't finish
//   shard.sh, merge.sh, local.sh, *.log
#pragma once

#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/run/job.h"
#include "harness/shards/shard.h"

namespace nsop::shards {

struct Submission {
  std::string id;  // uuid
  std::string created_utc;
  std::string program;  // nsop, as nodes start it
  std::string project;  // the folder in which it starts
  std::string db;       // where the merged run goes
  int shards = 1;
  int local = 0;                       // processes on this machine at once; 0: Slurm
  std::vector<std::string> arguments;  // of the verb: what is measured
  std::vector<std::string> slurm;      // further options of sbatch
  std::vector<std::string> excluded;   // nodes that were set aside
  std::vector<std::string> jobs;       // of Slurm, by id: arrays and merges
  std::string verb = "run";            // run or gate: what an array task does
  int nodes = 0;                       // most at once; 0: as many as are free
};

// Throws Error: (usage) where the folder is none of a submission, (bad data), (environment).
Submission read_submission(const std::string& folder);
void write_submission(const std::string& folder, const Submission& submission);

// An option of sbatch (`--partition`, `bench`) in place of what the submission has of its name; an
// empty value leaves it out.
void set_slurm_option(Submission& submission, const std::string& name, const std::string& value);

std::string shard_file(const std::string& folder, int index);      // shard-3.ndjson
std::string shard_database(const std::string& folder, int index);  // shard-3.db
std::string plan_file(const std::string& folder, const std::string& host_id);

// Puts away what was measured of a shard and doesn't count, under a name that says why: `lost` or
// `aside`. Nothing is removed.
void put_away(const std::string& folder, int index, const std::string& why);
bool was_put_away(const std::string& folder, int index, const std::string& why);

// Keeps the whole plan beside the shards. Throws Error (usage) where another node of this kind
// planned something else: it has another build or other suites.
void keep_plan(const std::string& folder, const std::string& host_id, const run::Plan& plan,
               const std::vector<run::Worker>& workers);

}  // namespace nsop::shards
