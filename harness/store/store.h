// The store: every result in one database, an SQLite file or a PostgreSQL server's
// (backend/address.h), through SOCI. The only folder with SQL.
//
// Writers use short transactions; no lock is held while something is measured. In a file they wait
// for each other, on a server only those of one run do.
// Strings are UTF-8 (other bytes are stored as U+FFFD) and numbers finite, except the errors of a
// check: NaN or infinity there come back as NaN. NSOP_DB_TIMEOUT_MS changes the 60 s below.
// Everything throws Error: bad data (4) for a corrupt, foreign or newer database, environment (5)
// for a full or read-only disk or a lock that did not come free within 60 s, usage (2) for unknown
// names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/core/text.h"

namespace nsop::store {

constexpr int kSchemaVersion = 8;        // of a file
constexpr int kServerSchemaVersion = 9;  // of a server's database: counted by itself

struct Baseline {
  std::string name, host_id, run_id, reason, set_utc;
};

struct BaselineEvent {
  std::string action;  // set, move, remove
  Baseline baseline;   // with the reason and time of the event
};

struct RunSummary {  // a line of `nsop list runs`; its run lacks plan, facts and conditions
  Run run;
  std::string cpu_model;
  int64_t ok = 0, not_ok = 0;  // invocations
  std::vector<std::string> commits;
  std::vector<std::string> baselines;
};

// One thing that happened to an alert. What an alert is follows from its events
// (harness/judge/history/alert.h), so nothing is ever changed or deleted.
struct AlertEvent {
  std::string id;  // uuid
  std::string alert_id, host_id, action, at_utc;
  std::string body;  // a JSON object
  bool operator==(const AlertEvent&) const = default;
};

// What one complete run says of one row.
struct RowInRun {
  SharedText run_id, started_utc, profile, build_id;
  SharedText inputs_sha256;  // of the timing invocations; empty: none was ok
  int invocations = 0;       // that have a time
  // ns per op: medians over those invocations. By `ns` rows are judged: process CPU time at one
  // thread, else wall time. 0: there is none.
  double ns = 0, wall_ns = 0;
  // Medians over those invocations, as in stats::RowSummary; nullopt: not known.
  std::optional<double> excess, first_ns;
  std::optional<double> allocs, bytes;  // per op; nullopt: not counted
  Status status = Status::kOk;  // the worst of its invocations; values of others than ok count
};

// What a history keeps of a build. Builds of nights that were made alike share what they were made
// with, which has no id, commit, link seed and hashes.
struct HostBuild {
  std::string commit;
  std::shared_ptr<const Build> made;
};

// The complete measured or imported runs of a host, for reading row after row; runs of pull
// requests are left out, because whoever sends one doesn't make history. Its store must outlive it.
class HostHistory {
 public:
  ~HostHistory();
  HostHistory(HostHistory&&) noexcept;
  // The row in each of the runs that have it, oldest first.
  std::vector<RowInRun> of(const RowKey& row) const;
  const std::map<std::string, HostBuild>& builds() const;  // all that runs of the host measured

 private:
  friend class Store;
  class Runs;
  explicit HostHistory(std::unique_ptr<Runs> runs);
  std::unique_ptr<Runs> runs_;
};

struct RunRecord;     // record/record.h
struct ReadExchange;  // record/exchange_parse.h

// A run that was to be stored.
struct Imported {
  std::string run_id;
  bool is_new = false;  // else it was there
};

struct ExtendedRun {
  int64_t added = 0, known = 0;  // invocations: of those given
  bool is_other = false;         // the run has others: nothing was changed
};

struct RemovedRun {
  std::string run_id, host_id, origin, started_utc, sha256;
  int64_t invocations = 0;
  std::string reason, at_utc;
};

// A run of which one repetition of each invocation is left in place of all (Samples::kThinned).
struct PrunedRun {
  std::string run_id;
  std::string sha256, thinned_sha256;  // its seals, before and since
  int64_t invocations = 0;
  std::string at_utc;
};

// What pruning did, or would do.
struct Pruned {
  int64_t runs = 0, invocations = 0;
  int64_t sample_bytes = 0;  // of stored samples that went; before pruning: that those runs have
  // Runs that began before the time and stay whole: each counts once, in this order.
  int64_t not_complete = 0, gates = 0, baselines = 0;
};

struct VerifyReport {
  int64_t runs = 0, invocations = 0;
  std::vector<std::string> problems;  // empty: all is well
};

// What an export holds of each invocation: all repetitions, or one that stands for them, in a sixth
// of the space (harness/store/record/thinning.h).
enum class Samples { kAll, kThinned };

enum class Mode { kReadOnly, kReadWrite };

class Store {
 public:
  // Opens the database at `address`; read-write creates it and migrates an older schema (after a
  // backup copy beside a file).
  explicit Store(const std::string& address, Mode mode = Mode::kReadWrite);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // ---- writing; each call is one transaction
  void put_host(const Host& host);  // no effect if known
  void put_build(const Build& build);
  void begin_run(const Run& run);             // state running
  void append(const Invocation& invocation);  // survives this process; end_run() waits for the disk
  // Seals the run: state, end, SHA-256 over summaries and the hashes of sample texts. A complete
  // run can't be appended to.
  void end_run(const std::string& run_id, RunState state, const std::string& ended_utc);
  void resume_run(const std::string& run_id);  // aborted or running -> running
  // Begins the run, or goes on with one that isn't complete, adds the invocations that it lacks by
  // id and ends it in the state and at the time that `run` says: all or nothing. What the run says
  // of itself becomes that of `run`. What is stored never goes: a run that isn't complete and has
  // an invocation that isn't given, and of no session in `open`, is another one. Throws bad data
  // where a complete run lacks any, and where one that isn't has another host, origin, trust or
  // profile.
  ExtendedRun extend_run(const Run& run, const Host& host, const std::vector<Build>& builds,
                         const std::vector<Invocation>& invocations, const std::set<int>& open);

  // ---- reading
  // Resolves `@last`, `@last~1`, a uuid prefix (>= 4 characters), a commit prefix (latest run of
  // it, those of origin `confirm` last) or `baseline:NAME` / NAME (of `host_id`). Throws usage (2)
  // when nothing or more than one matches, with the nearest name.
  std::string resolve_run(const std::string& name, const std::string& host_id) const;
  int schema_version() const;  // of the database
  Run run(const std::string& run_id) const;
  Host host(const std::string& host_id) const;
  Build build(const std::string& build_id) const;
  std::vector<Invocation> invocations(const std::string& run_id) const;  // by session, round, slot
  std::vector<RunSummary> runs() const;                                  // newest first
  // The complete run before `run_id` on the same host with the same profile, if any.
  std::optional<std::string> previous_run(const std::string& run_id) const;

  // Every row that any run has, in order.
  std::vector<RowKey> row_keys() const;
  // The runs of the host with this profile and origin but those of pull requests, newest first.
  std::vector<std::string> runs_of(const std::string& host_id, const std::string& profile,
                                   const std::string& origin) const;
  // Of all runs of the host, or of so many that began last.
  HostHistory history(const std::string& host_id, size_t newest = SIZE_MAX) const;

  // By row, how many complete runs of the host began before that moment and have a time of it; rows
  // that none has are left out.
  std::map<RowKey, size_t> runs_before(const std::string& host_id,
                                       const std::string& started_utc) const;

  // ---- alerts
  // No effect if the event is known; throws bad data if it is known with other content, usage for
  // an invalid one.
  void append_alert_event(const AlertEvent& event);
  std::vector<AlertEvent> alert_events() const;  // by time, then in the order they came

  // ---- baselines
  // Moves the baseline if it exists; every move is kept as an event with its reason.
  void set_baseline(const Baseline& baseline);
  void remove_baseline(const std::string& name, const std::string& host_id,
                       const std::string& reason);
  std::vector<Baseline> baselines() const;
  std::vector<BaselineEvent> baseline_events() const;  // oldest first

  // ---- care
  // Takes a run out with all that was measured in it; that it was there, and why it is gone, stays.
  // Throws usage (2) for an unknown run, one that is a baseline or was one, one that is being
  // measured (it must be resumed or ended first), and for an empty reason.
  void remove_run(const std::string& run_id, const std::string& reason);
  std::vector<RemovedRun> removed_runs() const;  // oldest first
  // Leaves of every complete run that began before `before_utc` one repetition of each invocation,
  // the one that is its value: histories, diffs and reports have the same times, but what they say
  // of the other repetitions is not known any more. Gates and their confirmations stay whole, since
  // all repetitions decided them, and runs that are a baseline now. That a run was pruned is on
  // record; each is one transaction. `only_count`: changes nothing.
  Pruned prune(const std::string& before_utc, bool only_count);
  std::vector<PrunedRun> pruned_runs() const;  // in the order in which they were pruned
  VerifyReport verify() const;  // integrity, foreign keys, orphans, SHA-256 of every finished run
  void backup(const std::string& to_path) const;  // an SQLite file, whatever this database is

 private:
  friend std::string export_run(const Store& store, const std::string& run_id, Samples samples);
  friend Imported import_record(Store& store, const RunRecord& record, const std::string& where);
  friend Imported import_exchange(Store& store, const ReadExchange& read, const std::string& where);
  class Db;
  std::unique_ptr<Db> db_;
};

// ---- exchange: NDJSON, lossless
// One line `{"schema":"nsop.run/1","type":"run",...}`, then host, builds, one line per invocation,
// and
// `{"type":"end","n":..,"sha256":..}` over the lines before it. Returns what was written.
std::string export_run(const Store& store, const std::string& run_id,
                       Samples samples = Samples::kAll);
// Imports what export_run wrote; returns the run's id. All or nothing. A run that is already there
// with the same content, or a thinned one of it, or as it was before it was pruned, is accepted
// silently; with other content: bad data. `where` names the source in messages (`file:line`).
std::string import_run(Store& store, const std::string& ndjson, const std::string& where);

// The same of what read_exchange() read.
Imported import_exchange(Store& store, const ReadExchange& read, const std::string& where);

// The same of a record, which must hold what check_run() and check_invocation() ask for.
Imported import_record(Store& store, const RunRecord& record, const std::string& where);

// Is there a database of ours: a file of any kind, or a server's that has a schema? Throws Error
// (environment) for a server that can't be reached.
bool database_exists(const std::string& address);

// Opens a database; a missing one is an Error (usage) that says how to fill it.
Store open_existing(const std::string& address, Mode mode = Mode::kReadOnly);

}  // namespace nsop::store
