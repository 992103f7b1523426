// What a run will measure: rows from suites or case lines, and how much time they may take.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::run {

struct Profile {
  std::string name;           // quick, comprehensive, full, manual
  int rounds = 10;            // invocations per row, if the budgets allow
  double row_budget_s = 60;   // rows that take longer get fewer invocations,
  int fewest_rounds = 1;      // but so many, unless the whole run takes too long
  double total_budget_s = 0;  // of the whole run; 0: none
  std::string tag;            // only cases with this tag; empty: all
  MeasureOptions measure;
};
// Throws Error (usage) for an unknown name.
Profile profile_named(const std::string& name);

// A worker program with what it said of itself.
struct Worker {
  WorkerCommand timing, counting;
  Hello hello;
  Build build;         // complete: with binary hash and id
  std::string peer{};  // the library that it runs, `numpy`; empty: ours
};
// Starts the program for its hello. `preload` is the counting library; "" = none.
Worker open_worker(const std::vector<std::string>& command, const std::string& preload,
                   const std::vector<std::string>& environment = {});

// The ways in which a case line is to be measured.
struct PlanRequest {
  std::string line;   // with sweeps
  std::string where;  // `file:line` for messages; may be empty
  std::vector<Selector> selectors;
  std::vector<int> threads;  // empty: as many as the case says
  // Variants of other libraries, `onednn`, or held to an instruction set, `onednn@AVX2`; what they
  // lack is unsupported.
  std::vector<std::string> peers{};
  std::vector<Selector> optional{};  // left out where the op has no such variant
  std::optional<double> most_sd{};   // of its rows
};
// The peers of a suite that shows ours pinned to kHeldTo in a case, each held to that, too:
// `onednn@AVX2`; none of another suite.
std::vector<std::string> held_peers(const Suite& suite);

// The requests of a suite: before, after, also, every pinned target of `after`, what stands beside,
// and the peers.
std::vector<PlanRequest> suite_requests(const Suite& suite, const Profile& profile);

// What a worker lists whose every op has one key, with choices: all of them, or these lines; in
// every variant that is no probe, on as many threads as each case says.
std::vector<PlanRequest> listed_requests(const Hello& hello,
                                         const std::vector<std::string>& lines = {});

struct PlanRow {
  RowKey key;
  int worker = 0;
  std::string unsupported;  // reason known before anything is started
  // Relative SD between invocations above which it is measured again; nothing: never.
  std::optional<double> most_sd{};
  // Measured in every shard, too, to tell whether the nodes are alike; no row of the merged run.
  bool is_control = false;
};

// What a plan is a part of, and where it is measured.
struct PlanShard {
  int index = 1, of = 1;
  std::string submission;  // uuid; empty: of none
  std::string node;
};

struct Plan {
  Profile profile;
  uint64_t seed = 0;
  std::vector<std::string> suites;
  std::vector<PlanRow> rows;  // rows of a case are neighbours, cases in order of the requests
  std::map<std::string, CaseDescription> cases;
  std::optional<PlanShard> shard{};
};

// Peers that can't be started, by the name under which they were asked for, and why.
using MissingPeers = std::map<std::string, std::string>;

// Resolves requests into distinct rows. Throws Error (usage) for an unknown op, key, variant or
// target, Error (environment) for a case that does not fit into memory. A peer that is missing or
// lacks an op gives rows that say so.
Plan make_plan(const std::vector<PlanRequest>& requests, const std::vector<Worker>& workers,
               WorkerClient& reference, const Profile& profile, uint64_t seed,
               const MissingPeers& missing = {});

// Only the rows that match: a case pattern, a selector, a thread count (0: any).
void filter_plan(Plan& plan, const std::string& pattern, const std::string& selector, int threads);

// Rough seconds of the whole run, from the work of each row; used before anything was measured.
double estimate_seconds(const Plan& plan);
// The same of one of its rows.
double row_seconds(const Plan& plan, const PlanRow& row);

// As it stands in a plan. The second throws Error (bad data) naming the field.
Json shard_json(const PlanShard& shard);
PlanShard shard_from_json(const Json& json);

// For --resume: stored with the run and read back.
std::string plan_to_json(const Plan& plan, const std::vector<Worker>& workers);
Plan plan_from_json(const std::string& text);

// Makes a stored plan refer to `workers`: each of its programs is the worker with the same command
// and build. Throws Error (usage) that names the program which is gone or was built anew.
void rebind_workers(Plan& plan, const std::string& plan_json, const std::vector<Worker>& workers);

}  // namespace nsop::run
