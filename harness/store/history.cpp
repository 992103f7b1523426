// One row over all runs of a host.
#include "harness/store/query.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// Absent numbers come as -1: no metric is negative.
constexpr const char* kHistory =
    "SELECT r.id, r.started_utc, r.profile, b.id, i.phase, i.status, i.inputs_sha256, "
    "COALESCE(c.value, -1.0), COALESCE(w.value, -1.0), COALESCE(a.value, -1.0), "
    "COALESCE(y.value, -1.0) "
    "FROM row_key k JOIN invocation i ON i.row = k.seq JOIN run r ON r.seq = i.run "
    "JOIN build b ON b.seq = i.build "
    "LEFT JOIN metric_value c ON c.invocation = i.seq AND c.metric = "
    "(SELECT seq FROM metric WHERE name = 'process_cpu_ns_per_op') "
    "LEFT JOIN metric_value w ON w.invocation = i.seq AND w.metric = "
    "(SELECT seq FROM metric WHERE name = 'wall_ns_per_op') "
    "LEFT JOIN metric_value a ON a.invocation = i.seq AND a.metric = "
    "(SELECT seq FROM metric WHERE name = 'allocs_per_op') "
    "LEFT JOIN metric_value y ON y.invocation = i.seq AND y.metric = "
    "(SELECT seq FROM metric WHERE name = 'bytes_per_op') "
    "WHERE k.case_text = :c AND k.variant = :v AND k.target = :t AND k.threads = :n "
    "AND r.host_id = :h AND r.state = 'complete' AND r.origin IN ('measured', 'imported') "
    "AND r.trust <> 'pr' "
    "ORDER BY r.started_utc, r.seq, i.session, i.round, i.slot";

using Line = std::tuple<Text, Text, Text, Text, Text, Text, Text, double, double, double, double>;

void add_times(RowInRun& run, double cpu, double wall, int threads) {
  if (wall < 0) return;
  // A worker without a CPU clock says 0.
  run.values.push_back(threads == 1 && cpu > 0 ? cpu : wall);
  run.wall_values.push_back(wall);
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
    std::vector<RowInRun> runs;
    for (const auto& [id, started, profile, build, phase, status, inputs, cpu, wall, allocs,
                      bytes] : all<Line>(*db_, kHistory, row.case_text, row.variant, row.target,
                                         static_cast<long long>(row.threads), host_id)) {
      if (runs.empty() || runs.back().run_id != id) {
        runs.push_back({id, started, profile, build, "", {}, {}, {}, {}, Status::kOk});
      }
      RowInRun& run = runs.back();
      if (phase == "time") add_times(run, cpu, wall, row.threads);
      if (phase == "time" && wall >= 0) run.inputs_sha256 = inputs;
      if (allocs >= 0) run.allocs = allocs;
      if (bytes >= 0) run.bytes = bytes;
      const Status one = status_from_text(status);
      if (one != Status::kOk && (run.status == Status::kOk || one == Status::kWrong)) {
        run.status = one;
      }
    }
    return runs;
  });
}

}  // namespace nsop::store
