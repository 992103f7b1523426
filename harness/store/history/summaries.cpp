#include "harness/store/history/summaries.h"

#include <fmt/format.h>

#include <set>

#include "harness/stats/base/robust.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

using Text = std::string;

// Absent numbers are -1: no metric is negative.
constexpr double kAbsent = -1;

constexpr const char* kInvocations =
    "SELECT i.row, k.threads, b.id, i.phase, i.status, i.inputs_sha256, "
    "COALESCE(c.value, -1.0), COALESCE(w.value, -1.0), COALESCE(a.value, -1.0), "
    "COALESCE(y.value, -1.0) "
    "FROM invocation i JOIN row_key k ON k.seq = i.row JOIN build b ON b.seq = i.build "
    "LEFT JOIN metric_value c ON c.invocation = i.seq AND c.metric = "
    "(SELECT seq FROM metric WHERE name = 'process_cpu_ns_per_op') "
    "LEFT JOIN metric_value w ON w.invocation = i.seq AND w.metric = "
    "(SELECT seq FROM metric WHERE name = 'wall_ns_per_op') "
    "LEFT JOIN metric_value a ON a.invocation = i.seq AND a.metric = "
    "(SELECT seq FROM metric WHERE name = 'allocs_per_op') "
    "LEFT JOIN metric_value y ON y.invocation = i.seq AND y.metric = "
    "(SELECT seq FROM metric WHERE name = 'bytes_per_op') "
    "WHERE i.run = :r ORDER BY i.row, i.session, i.round, i.slot";

using OneInvocation =
    std::tuple<long long, long long, Text, Text, Text, Text, double, double, double, double>;

// By which rows are judged, and what is shown: of timing invocations, ns per operation.
struct Times {
  std::vector<double> verdict, wall;
};

void add(RowInRun& row, Times& times, const OneInvocation& line) {
  const auto& [key, threads, build, phase, status, inputs, cpu, wall, allocs, bytes] = line;
  if (phase == "time" && wall >= 0) {
    // A worker without a CPU clock says 0.
    times.verdict.push_back(threads == 1 && cpu > 0 ? cpu : wall);
    times.wall.push_back(wall);
    row.inputs_sha256 = inputs;
  }
  if (allocs >= 0) row.allocs = allocs;
  if (bytes >= 0) row.bytes = bytes;
  const Status one = status_from_text(status);
  if (one != Status::kOk && (row.status == Status::kOk || one == Status::kWrong)) row.status = one;
}

std::tuple<Text, Text, Text, long long, double, double, double, double> values_of(
    const RowInRun& row) {
  return {row.build_id,
          status_text(row.status),
          row.inputs_sha256,
          row.invocations,
          row.ns,
          row.wall_ns,
          row.allocs.value_or(kAbsent),
          row.bytes.value_or(kAbsent)};
}

}  // namespace

RunRows summarized(Database& db, long long run) {
  RunRows rows;
  std::map<long long, Times> times;
  for (const OneInvocation& line : all<OneInvocation>(db, kInvocations, run)) {
    const long long key = std::get<0>(line);
    RowInRun& row = rows[key];
    if (row.build_id.empty()) row.build_id = std::get<2>(line);
    add(row, times[key], line);
  }
  for (auto& [key, row] : rows) {
    const Times& of_row = times[key];
    row.invocations = static_cast<int>(of_row.verdict.size());
    if (row.invocations == 0) continue;
    row.ns = stats::median(of_row.verdict);
    row.wall_ns = stats::median(of_row.wall);
  }
  return rows;
}

void remove_summaries(Database& db, long long run) {
  execute(db, "DELETE FROM run_row WHERE run = :r", run);
  execute(db, "DELETE FROM run_summary WHERE run = :r", run);
}

void store_summaries(Database& db, long long run) {
  remove_summaries(db, run);
  for (const auto& [key, row] : summarized(db, run)) {
    const auto& [build, status, inputs, count, ns, wall_ns, allocs, bytes] = values_of(row);
    execute(
        db,
        "INSERT INTO run_row (row, run, build, status, inputs_sha256, invocations, ns, wall_ns, "
        "allocs, bytes) SELECT :k, :r, seq, :s, :i, :n, :v, :w, :a, :y FROM build WHERE id = :b",
        key, run, status, inputs, count, ns, wall_ns, allocs, bytes, build);
  }
  execute(
      db,
      "INSERT INTO run_summary (run, version, sha256) SELECT seq, :v, sha256 FROM run WHERE seq "
      "= :r",
      kSummaryVersion, run);
}

std::vector<long long> runs_without_summaries(Database& db) {
  std::vector<long long> runs;
  for (const auto& [run] : all<std::tuple<long long>>(
           db,
           "SELECT r.seq FROM run r LEFT JOIN run_summary u ON u.run = r.seq AND u.sha256 = "
           "r.sha256 AND u.version = :v WHERE r.state = 'complete' AND u.run IS NULL "
           "ORDER BY r.seq",
           kSummaryVersion)) {
    runs.push_back(run);
  }
  return runs;
}

void complete_summaries(Database& db) {
  db.guard([&] {
    if (runs_without_summaries(db).empty()) return;
    Transaction transaction(db);
    for (const long long run : runs_without_summaries(db)) store_summaries(db, run);
    transaction.commit();
  });
}

std::vector<std::string> wrong_summaries(Database& db, long long run) {
  using Stored = std::tuple<long long, Text, Text, Text, long long, double, double, double, double>;
  std::vector<std::string> problems;
  std::set<long long> seen;
  const RunRows said = summarized(db, run);
  for (const auto& [key, build, status, inputs, count, ns, wall_ns, allocs, bytes] : all<Stored>(
           db,
           "SELECT s.row, b.id, s.status, s.inputs_sha256, s.invocations, s.ns, s.wall_ns, "
           "s.allocs, s.bytes FROM run_row s JOIN build b ON b.seq = s.build WHERE s.run = :r",
           run)) {
    seen.insert(key);
    const auto own = said.find(key);
    const bool same = own != said.end() &&
                      values_of(own->second) ==
                          std::tuple(build, status, inputs, count, ns, wall_ns, allocs, bytes);
    if (!same) problems.push_back("the summary of a row isn't what its invocations say");
  }
  if (seen.size() < said.size()) {
    problems.push_back(fmt::format("{} rows have no summary", said.size() - seen.size()));
  }
  return problems;
}

}  // namespace nsop::store
