// One row over all runs of a host.
#include <algorithm>

#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// What makes history: complete runs that somebody measured for it, on this host.
constexpr const char* kIsHistory =
    "r.host_id = :h AND r.state = 'complete' AND r.origin IN ('measured', 'imported') "
    "AND r.trust <> 'pr'";

using KeptRow =
    std::tuple<Text, Text, Text, Text, Text, Text, long long, double, double, double, double>;

RowInRun row_of(const KeptRow& line) {
  const auto& [run, started, profile, build, status, inputs, count, ns, wall_ns, allocs, bytes] =
      line;
  RowInRun row{run,
               started,
               profile,
               build,
               inputs,
               static_cast<int>(count),
               ns,
               wall_ns,
               {},
               {},
               status_from_text(status)};
  if (allocs >= 0) row.allocs = allocs;
  if (bytes >= 0) row.bytes = bytes;
  return row;
}

std::vector<RowInRun> kept_history(Database& db, long long key, const std::string& host_id) {
  std::vector<RowInRun> rows;
  const std::string query =
      "SELECT r.id, r.started_utc, r.profile, b.id, s.status, s.inputs_sha256, s.invocations, "
      "s.ns, "
      "s.wall_ns, s.allocs, s.bytes FROM run_row s JOIN run r ON r.seq = s.run JOIN run_summary u "
      "ON u.run = r.seq AND u.sha256 = r.sha256 AND u.version = :v JOIN build b ON b.seq = s.build "
      "WHERE s.row = :k AND " +
      Text(kIsHistory) + " ORDER BY r.started_utc, r.seq";
  for (const KeptRow& line : all<KeptRow>(db, query, kSummaryVersion, key, host_id)) {
    rows.push_back(row_of(line));
  }
  return rows;
}

// Of runs without a summary of their seal: an earlier version stored them, and nobody has opened
// the database for writing since.
void add_missing(Database& db, long long key, const std::string& host_id,
                 std::vector<RowInRun>& rows) {
  const std::string query =
      "SELECT r.id, r.started_utc, r.profile FROM run r WHERE r.seq = :s AND " + Text(kIsHistory);
  for (const long long run : runs_without_summaries(db)) {
    const auto head = first<std::tuple<Text, Text, Text>>(db, query, run, host_id);
    if (!head) continue;
    RunRows own = summarized(db, run);
    const auto found = own.find(key);
    if (found == own.end()) continue;
    RowInRun& row = found->second;
    std::tie(row.run_id, row.started_utc, row.profile) = *head;
    const auto later = std::upper_bound(
        rows.begin(), rows.end(), row,
        [](const RowInRun& a, const RowInRun& b) { return a.started_utc < b.started_utc; });
    rows.insert(later, std::move(row));
  }
}

}  // namespace

std::vector<RowKey> Store::row_keys() const {
  return db_->guard([&] {
    std::vector<RowKey> keys;
    for (const auto& [text, variant, target, threads] :
         all<std::tuple<Text, Text, Text, long long>>(
             *db_,
             "SELECT case_text, variant, target, threads FROM row_key "
             "ORDER BY case_text, variant, target, threads")) {
      keys.push_back({text, variant, target, static_cast<int>(threads)});
    }
    return keys;
  });
}

std::vector<RowInRun> Store::history(const RowKey& row, const std::string& host_id) const {
  return db_->guard([&] {
    const auto key = first_value<long long>(
        *db_,
        "SELECT seq FROM row_key WHERE case_text = :c AND variant = :v AND target = :t AND threads "
        "= :n",
        row.case_text, row.variant, row.target, static_cast<long long>(row.threads));
    if (!key) return std::vector<RowInRun>();
    std::vector<RowInRun> rows = kept_history(*db_, *key, host_id);
    add_missing(*db_, *key, host_id, rows);
    return rows;
  });
}

}  // namespace nsop::store
