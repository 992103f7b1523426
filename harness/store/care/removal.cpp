// Runs taken out of the store (store.h, rows/kept.h), and what stays of them.
#include <fmt/format.h>

#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/store/event_digest.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/rows/events.h"
#include "harness/store/rows/kept.h"
#include "harness/store/rows/rows.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// A pointer to a run, now or in the past, is part of what its name said then.
void require_no_baseline(Database& db, const std::string& run_id) {
  const auto name = first_value<Text>(db, "SELECT name FROM baseline WHERE run_id = :i", run_id);
  if (name) {
    throw usage_error(fmt::format(
        "run {} is the baseline '{}'; move or remove that first (nsop baseline)", run_id, *name));
  }
  const auto earlier =
      first_value<Text>(db, "SELECT name FROM baseline_event WHERE run_id = :i", run_id);
  if (earlier) {
    throw usage_error(
        fmt::format("run {} was the baseline '{}': verdicts were given against it, it stays",
                    run_id, *earlier));
  }
}

RemovedRun removal_of(Database& db, long long run, const std::string& reason) {
  const auto said = first<std::tuple<Text, Text, Text, Text, Text, long long>>(
      db,
      "SELECT id, host_id, origin, started_utc, sha256, (SELECT COUNT(*) FROM invocation WHERE run "
      "= :s) FROM run WHERE seq = :q",
      run, run);
  const auto& [id, host, origin, started, seal, count] = said.value();
  return {id, host, origin, started, seal, count, reason, utc_now()};
}

}  // namespace

void add_removal(Database& db, const RemovedRun& r) {
  const long long seq = next_event(db, "removed_run");
  const auto count = static_cast<long long>(r.invocations);
  execute(db,
          "INSERT INTO removed_run (seq, run_id, host_id, origin, started_utc, sha256, "
          "invocations, reason, at_utc, event_sha256) VALUES (:q, :i, :h, :o, :t, :s, :n, :why, "
          ":at, :e)",
          seq, r.run_id, r.host_id, r.origin, r.started_utc, r.sha256, count, r.reason, r.at_utc,
          event_digest(seq, {r.run_id, r.host_id, r.origin, r.started_utc, r.sha256,
                             fmt::format("{}", count), r.reason, r.at_utc}));
}

std::vector<RemovedRun> read_removals(Database& db) {
  using Removed = std::tuple<Text, Text, Text, Text, Text, long long, Text, Text>;
  std::vector<RemovedRun> list;
  for (const auto& [id, host, origin, started, sha, count, reason, at] : all<Removed>(
           db,
           "SELECT run_id, host_id, origin, started_utc, sha256, invocations, reason, at_utc "
           "FROM removed_run ORDER BY seq")) {
    list.push_back({id, host, origin, started, sha, count, reason, at});
  }
  return list;
}

void Store::remove_run(const std::string& run_id, const std::string& reason) {
  if (trim(reason).empty()) throw usage_error("why is the run removed? Give a --reason");
  check_name("reason", reason);
  db_->guard([&] {
    Transaction transaction(*db_);
    db_->backend().lock("contents", false);
    db_->backend().lock("run " + run_id, false);
    db_->backend().lock("events", false);
    const RunRow run = find_run(*db_, run_id);
    if (run.state == "running") {
      throw usage_error(fmt::format(
          "run {} is not ended: it is being measured, or was interrupted; `nsop run --resume` ends "
          "it",
          run_id));
    }
    require_no_baseline(*db_, run_id);
    add_removal(*db_, removal_of(*db_, run.seq, reason));
    remove_summaries(*db_, run.seq);
    for (const char* table : {"invocation", "run_build"}) {
      execute(*db_, fmt::format("DELETE FROM {} WHERE run = :s", table), run.seq);
    }
    execute(*db_, "DELETE FROM run WHERE seq = :s", run.seq);
    remove_unused_texts(*db_);
    transaction.commit();
  });
}

std::vector<RemovedRun> Store::removed_runs() const {
  return db_->guard([&] { return read_removals(*db_); });
}

}  // namespace nsop::store
