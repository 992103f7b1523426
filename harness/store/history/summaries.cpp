#include "harness/store/history/summaries.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <set>

#include "harness/stats/base/repetitions.h"
#include "harness/stats/base/robust.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

using Text = std::string;

// Absent numbers are -1: no metric is negative.
constexpr double kAbsent = -1;

// By which rows are judged, and what is shown: of timing invocations, ns per operation; of the
// repetitions beside the fastest; of the first operations, ns.
struct Times {
  std::vector<double> verdict, wall, excesses, firsts;
};

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

void add(RowInRun& row, Times& times, const InvocationRow& one, InvocationReader& reader) {
  const Invocation& columns = one.packed.columns;
  if (columns.phase == Phase::kTime && one.metrics.wall_ns) {
    const double wall = *one.metrics.wall_ns;
    const double cpu = one.metrics.process_cpu_ns.value_or(0);  // of a worker without its clock: 0
    const bool by_cpu = columns.row.threads == 1 && cpu > 0;
    times.verdict.push_back(by_cpu ? cpu : wall);
    times.wall.push_back(wall);
    if (const auto excess = stats::hidden_excess(reader.invocation(one), by_cpu)) {
      times.excesses.push_back(*excess);
    }
    if (columns.first_ns > 0) times.firsts.push_back(static_cast<double>(columns.first_ns));
  }
  if (one.metrics.allocs) row.allocs = one.metrics.allocs;
  if (one.metrics.bytes) row.bytes = one.metrics.bytes;
  const bool graver = row.status == Status::kOk || columns.status == Status::kWrong;
  if (columns.status != Status::kOk && graver) row.status = columns.status;
}

// The rows of a run, from its invocations one by one.
class Summing {
 public:
  explicit Summing(InvocationReader& reader) : reader_(reader) {}

  void take(const InvocationRow& one) {
    RowInRun& row = rows_[one.row];
    Times& times = times_[one.row];
    if (row.build_id.empty()) row.build_id = one.packed.columns.build_id;
    const size_t before = times.wall.size();
    add(row, times, one, reader_);
    if (times.wall.size() > before) row.inputs_sha256 = reader_.inputs(one);
  }

  RunRows rows() {
    for (auto& [key, row] : rows_) {
      const Times& of_row = times_[key];
      row.invocations = static_cast<int>(of_row.verdict.size());
      if (row.invocations == 0) continue;
      row.ns = stats::median(of_row.verdict);
      row.wall_ns = stats::median(of_row.wall);
      row.excess = median_of(of_row.excesses);
      row.first_ns = median_of(of_row.firsts);
    }
    return std::move(rows_);
  }

 private:
  InvocationReader& reader_;
  RunRows rows_;
  std::map<long long, Times> times_;
};

// Row numbers by texts, each asked for once.
class RowNumbers {
 public:
  // `query` finds the number of a text.
  RowNumbers(Database& db, const Text& query) : query_(db, query) {}

  std::optional<long long> of(const Text& text) {
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
    const std::optional<long long> found = query_.first_value(text);
    if (found) known_[text] = *found;
    return found;
  }

 private:
  Repeated<std::tuple<long long>, Text> query_;
  std::map<Text, long long> known_;
};

std::tuple<Text, Text, Text, long long, double, double, double, double, double, double> values_of(
    const RowInRun& row) {
  return {row.build_id,
          status_text(row.status),
          row.inputs_sha256,
          row.invocations,
          row.ns,
          row.wall_ns,
          row.excess.value_or(kAbsent),
          row.first_ns.value_or(kAbsent),
          row.allocs.value_or(kAbsent),
          row.bytes.value_or(kAbsent)};
}

}  // namespace

RunRows summarized(Database& db, long long run) {
  InvocationReader reader(db);
  Summing summing(reader);
  reader.each_of_run(run, "", [&](const InvocationRow& one) { summing.take(one); });
  return summing.rows();
}

RunRows summarized(InvocationReader& reader, const std::vector<InvocationRow>& invocations) {
  Summing summing(reader);
  for (const InvocationRow& one : invocations) summing.take(one);
  return summing.rows();
}

void remove_summaries(Database& db, long long run) {
  execute(db, "DELETE FROM run_row WHERE run = :r", run);
  execute(db, "DELETE FROM run_summary WHERE run = :r", run);
}

void store_summaries(Database& db, long long run) {
  remove_summaries(db, run);
  const std::unique_ptr<BulkInsert> added = db.backend().bulk_insert(
      "run_row",
      "row, run, build, status, inputs, invocations, ns, wall_ns, excess, first_ns, allocs, bytes");
  RowNumbers builds(db, "SELECT seq FROM build WHERE id = :i");
  RowNumbers all_inputs(db, "SELECT seq FROM inputs WHERE sha256 = :s");
  for (const auto& [key, row] : summarized(db, run)) {
    const auto& [build, status, inputs, count, ns, wall_ns, excess, first_ns, allocs, bytes] =
        values_of(row);
    const Text& hash = inputs;
    const long long inputs_row = shared_row(
        db, [&] { return all_inputs.of(hash); },
        [&] { return insert(db, "INSERT INTO inputs (sha256) VALUES (:s) RETURNING seq", hash); });
    added->add(std::array<Value, 12>{key, run, builds.of(build).value(), status, inputs_row, count,
                                     ns, wall_ns, excess, first_ns, allocs, bytes});
  }
  added->finish();
  execute(
      db,
      "INSERT INTO run_summary (run, version, sha256) SELECT seq, :v, sha256 FROM run WHERE seq "
      "= :r",
      kSummaryVersion, run);
}

std::string join_summary() {
  return fmt::format(
      "LEFT JOIN run_summary u ON u.run = r.seq AND u.sha256 = r.sha256 AND u.version = {}",
      kSummaryVersion);
}

std::vector<long long> runs_without_summaries(Database& db) {
  std::vector<long long> runs;
  for (const auto& [run] : all<std::tuple<long long>>(
           db, "SELECT r.seq FROM run r " + join_summary() +
                   " WHERE r.state = 'complete' AND u.run IS NULL ORDER BY r.seq")) {
    runs.push_back(run);
  }
  return runs;
}

void complete_summaries(Database& db) {
  db.guard([&] {
    if (runs_without_summaries(db).empty()) return;
    Transaction transaction(db);
    db.backend().lock("contents", true);
    db.backend().lock("summaries", false);
    for (const long long run : runs_without_summaries(db)) store_summaries(db, run);
    transaction.commit();
  });
}

std::vector<std::string> wrong_summaries(Database& db, long long run, const RunRows& said) {
  using Stored = std::tuple<long long, Text, Text, Text, long long, double, double, double, double,
                            double, double>;
  std::vector<std::string> problems;
  std::set<long long> seen;
  for (const auto& [key, build, status, inputs, count, ns, wall_ns, excess, first_ns, allocs,
                    bytes] :
       all<Stored>(db,
                   "SELECT s.row, b.id, s.status, n.sha256, s.invocations, s.ns, s.wall_ns, "
                   "s.excess, s.first_ns, s.allocs, s.bytes FROM run_row s JOIN build b ON b.seq = "
                   "s.build JOIN inputs n ON n.seq = s.inputs WHERE s.run = :r",
                   run)) {
    seen.insert(key);
    const auto own = said.find(key);
    const bool same = own != said.end() && values_of(own->second) ==
                                               std::tuple(build, status, inputs, count, ns, wall_ns,
                                                          excess, first_ns, allocs, bytes);
    if (!same) problems.push_back("the summary of a row isn't what its invocations say");
  }
  if (seen.size() < said.size()) {
    problems.push_back(fmt::format("{} rows have no summary", said.size() - seen.size()));
  }
  return problems;
}

}  // namespace nsop::store
