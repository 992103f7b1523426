// Runs of which one repetition of each invocation is left (store.h, rows/kept.h).
#include <fmt/format.h>

#include "harness/core/identity.h"
#include "harness/store/event_digest.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/thinning.h"
#include "harness/store/rows/events.h"
#include "harness/store/rows/invocation_writer.h"
#include "harness/store/rows/kept.h"
#include "harness/store/rows/rows.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

struct Candidate {
  long long seq = 0;
  Text id, state, origin;
  bool is_baseline = false;
};

// Runs that began before the time, or the one of them with this id.
std::vector<Candidate> begun_before(Database& db, const std::string& utc,
                                    const std::string& id = "") {
  std::vector<Candidate> list;
  each<std::tuple<long long, Text, Text, Text, long long>>(
      db,
      "SELECT seq, id, state, origin, (SELECT COUNT(*) FROM baseline WHERE run_id = run.id) FROM "
      "run WHERE started_utc < :u AND (:i = '' OR id = :j) ORDER BY started_utc, seq",
      [&](const auto& row) {
        const auto& [seq, run, state, origin, baselines] = row;
        list.push_back({seq, run, state, origin, baselines > 0});
      },
      utc, id, id);
  return list;
}

bool stays_whole(const Candidate& run, Pruned& pruned) {
  int64_t* const reason = run.state != "complete"                           ? &pruned.not_complete
                          : run.origin == "gate" || run.origin == "confirm" ? &pruned.gates
                          : run.is_baseline                                 ? &pruned.baselines
                                                                            : nullptr;
  if (reason == nullptr) return false;
  ++*reason;
  return true;
}

bool is_thinned_run(Database& db, long long run) {
  return is_thinned(first_value<Text>(db, "SELECT body FROM run WHERE seq = :s", run).value());
}

struct Size {
  long long invocations = 0, sample_bytes = 0;
};

Size size_of(Database& db, long long run) {
  const auto size = first<std::tuple<long long, long long>>(
      db, "SELECT COUNT(*), COALESCE(SUM(LENGTH(samples)), 0) FROM invocation WHERE run = :s", run);
  return {std::get<0>(size.value()), std::get<1>(size.value())};
}

void replace_invocations(Database& db, long long run, const std::string& run_id,
                         const RunRecord& by) {
  remove_summaries(db, run);
  for (const char* table : {"invocation", "run_build"}) {
    execute(db, fmt::format("DELETE FROM {} WHERE run = :s", table), run);
  }
  set_state(db, run_id, "running", "", "");
  restate_run(db, by.body);
  InvocationWriter writer(db, run);
  for (const InvocationRecord& one : by.invocations) writer.add(one);
  writer.finish();
  set_state(db, run_id, by.state, by.ended_utc, by.sha256);
  store_summaries(db, run);
}

// What was listed may have changed since: it is asked again, under the locks.
void prune_run(Database& db, const std::string& id, const std::string& before_utc, Pruned& pruned) {
  Transaction transaction(db);
  db.backend().lock("contents", true);
  db.backend().lock("run " + id, false);
  db.backend().lock("events", false);
  Pruned ignored;
  for (const Candidate& run : begun_before(db, before_utc, id)) {
    if (stays_whole(run, ignored) || is_thinned_run(db, run.seq)) continue;
    const Size before = size_of(db, run.seq);
    const RunRecord whole = load_record(db, id), thin = thinned(whole);
    add_pruning(db, {id, whole.sha256, thin.sha256, before.invocations, utc_now()});
    replace_invocations(db, run.seq, id, thin);
    ++pruned.runs;
    pruned.invocations += before.invocations;
    pruned.sample_bytes += before.sample_bytes - size_of(db, run.seq).sample_bytes;
  }
  transaction.commit();
}

void give_room_back(Database& db) {
  {
    Transaction transaction(db);
    db.backend().lock("contents", false);
    remove_unused_texts(db);
    transaction.commit();
  }
  db.backend().reclaim();
}

}  // namespace

void add_pruning(Database& db, const PrunedRun& p) {
  const long long seq = next_event(db, "pruned_run");
  const auto count = static_cast<long long>(p.invocations);
  execute(db,
          "INSERT INTO pruned_run (seq, run_id, sha256, thinned_sha256, invocations, at_utc, "
          "event_sha256) VALUES (:q, :i, :s, :t, :n, :at, :e)",
          seq, p.run_id, p.sha256, p.thinned_sha256, count, p.at_utc,
          event_digest(seq,
                       {p.run_id, p.sha256, p.thinned_sha256, fmt::format("{}", count), p.at_utc}));
}

std::vector<PrunedRun> read_prunings(Database& db) {
  std::vector<PrunedRun> list;
  for (const auto& [id, sha256, thinned, count, at] :
       all<std::tuple<Text, Text, Text, long long, Text>>(
           db,
           "SELECT run_id, sha256, thinned_sha256, invocations, at_utc FROM pruned_run ORDER BY "
           "seq")) {
    list.push_back({id, sha256, thinned, count, at});
  }
  return list;
}

bool was_pruned(Database& db, const std::string& run_id, const std::string& sha256) {
  return first_value<long long>(db, "SELECT seq FROM pruned_run WHERE run_id = :i AND sha256 = :s",
                                run_id, sha256)
      .has_value();
}

Pruned Store::prune(const std::string& before_utc, bool only_count) {
  if (!utc_seconds(before_utc)) {
    throw usage_error(
        fmt::format("'{}': expected a time such as 2026-01-31T00:00:00Z", before_utc));
  }
  Pruned pruned;
  const std::vector<Candidate> listed = db_->guard([&] { return begun_before(*db_, before_utc); });
  for (const Candidate& run : listed) {
    db_->guard([&] {
      if (stays_whole(run, pruned) || is_thinned_run(*db_, run.seq)) return;
      if (!only_count) return prune_run(*db_, run.id, before_utc, pruned);
      const Size size = size_of(*db_, run.seq);
      ++pruned.runs;
      pruned.invocations += size.invocations;
      pruned.sample_bytes += size.sample_bytes;
    });
  }
  if (pruned.runs > 0 && !only_count) db_->guard([&] { give_room_back(*db_); });
  return pruned;
}

std::vector<PrunedRun> Store::pruned_runs() const {
  return db_->guard([&] { return read_prunings(*db_); });
}

}  // namespace nsop::store
