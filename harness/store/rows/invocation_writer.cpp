#include "harness/store/rows/invocation_writer.h"

#include <optional>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/rows/invocation_rows.h"

namespace nsop::store {
namespace {

using Text = std::string;
using Whole = long long;

long long known_build(Database& db, const std::string& id) {
  const auto seq = first_value<Whole>(db, "SELECT seq FROM build WHERE id = :i", id);
  if (!seq) throw bad_data("unknown build '" + id + "'; store the build first");
  return *seq;
}

long long shared_key(Database& db, const RowKey& row) {
  const auto threads = static_cast<Whole>(row.threads);
  return shared_row(
      db,
      [&] {
        return first_value<Whole>(
            db,
            "SELECT seq FROM row_key WHERE case_text = :c AND variant = :v AND target = :t AND "
            "threads = :n",
            row.case_text, row.variant, row.target, threads);
      },
      [&] {
        return insert(
            db,
            "INSERT INTO row_key (case_text, variant, target, threads) VALUES (:c, :v, :t, :n) "
            "RETURNING seq",
            row.case_text, row.variant, row.target, threads);
      });
}

long long shared_shape(Database& db, const std::string& text) {
  const Text hash = sha256_hex(text);
  return shared_row(
      db, [&] { return first_value<Whole>(db, "SELECT seq FROM shape WHERE sha256 = :s", hash); },
      [&] {
        return insert(db, "INSERT INTO shape (sha256, body) VALUES (:s, :b) RETURNING seq", hash,
                      text);
      });
}

std::string insertion(const std::string& table, const char* name, const char* place) {
  return "INSERT INTO " + table +
         " (id, run, session, round, slot, phase, build, row, status, at_utc, process_age_s, "
         "shape, body, samples, body_hash, process_cpu_ns_per_op, wall_ns_per_op, allocs_per_op, "
         "bytes_per_op" +
         name +
         ") VALUES (:id, :run, :session, :round, :slot, :phase, :build, :row, :status, :at, :age, "
         "NULLIF(:shape, CAST(0 AS BIGINT)), NULLIF(:body, ''), NULLIF(:samples, ''), :hash, "
         "NULLIF(:cpu, CAST(-1 AS DOUBLE PRECISION)), NULLIF(:wall, CAST(-1 AS DOUBLE PRECISION)), "
         "NULLIF(:allocs, CAST(-1 AS DOUBLE PRECISION)), NULLIF(:bytes, CAST(-1 AS DOUBLE "
         "PRECISION))" +
         place + ")";
}

}  // namespace

class InvocationWriter::Statements {
 public:
  Statements(Database& db, std::string table) : db_(db), table_(std::move(table)) {}

  template <typename... Values>
  void insert(Whole first_ns, const Values&... values) {
    // The table of schema 5, to which invocations are moved, knows of no first operation.
    if (first_ns == 0) {
      if (!without_first_) without_first_.emplace(db_, insertion(table_, "", ""));
      without_first_->run(values...);
    } else {
      if (!with_first_) with_first_.emplace(db_, insertion(table_, ", first_ns", ", :first"));
      with_first_->run(values..., first_ns);
    }
  }

 private:
  template <Scalar... More>
  using Insertion =
      RepeatedStatement<Text, Whole, Whole, Whole, Whole, Text, Whole, Whole, Text, Text, double,
                        Whole, Text, Text, Text, double, double, double, double, More...>;

  Database& db_;
  std::string table_;
  std::optional<Insertion<>> without_first_;
  std::optional<Insertion<Whole>> with_first_;
};

InvocationWriter::InvocationWriter(Database& db, long long run, const std::string& table)
    : db_(db), run_(run), statements_(std::make_unique<Statements>(db, table)) {}
InvocationWriter::~InvocationWriter() = default;

void InvocationWriter::add(const InvocationRecord& record) { add(record, read_record(record)); }

void InvocationWriter::add(const InvocationRecord& record, const StatedInvocation& stated) {
  const Invocation& one = stated.invocation;
  check_invocation(one);
  add_as_it_is(record, &stated, one);
  Counts& counts = counts_[build(one.build_id)];
  ++(one.status == Status::kOk ? counts.ok : counts.not_ok);
}

void InvocationWriter::add_as_it_is(const InvocationRecord& record, const StatedInvocation* stated,
                                    const Invocation& columns) {
  const PackedInvocation one = packed(record, stated, columns, parsed_);
  const RepeatedMetrics metrics =
      stated == nullptr ? RepeatedMetrics{} : repeated_metrics(stated->metrics);
  statements_->insert(
      static_cast<Whole>(columns.first_ns), columns.id, run_, static_cast<Whole>(columns.session),
      static_cast<Whole>(columns.round), static_cast<Whole>(columns.slot),
      Text(columns.phase == Phase::kTime ? "time" : "count"), build(columns.build_id),
      row(columns.row), status_text(columns.status), columns.at_utc, columns.process_age_s,
      shape(one.shape), one.body, one.samples, hash_of(sha256_hex(record.body)),
      metrics.process_cpu_ns.value_or(kAbsent), metrics.wall_ns.value_or(kAbsent),
      metrics.allocs.value_or(kAbsent), metrics.bytes.value_or(kAbsent));
}

void InvocationWriter::finish() {
  for (const auto& [build, counts] : counts_) {
    execute(db_,
            "INSERT INTO run_build (run, build, ok, not_ok) VALUES (:r, :b, :o, :n) "
            "ON CONFLICT (run, build) DO UPDATE SET ok = run_build.ok + excluded.ok, not_ok = "
            "run_build.not_ok + excluded.not_ok",
            run_, build, counts.ok, counts.not_ok);
  }
  counts_.clear();
}

long long InvocationWriter::build(const std::string& id) {
  const auto known = builds_.find(id);
  return known != builds_.end() ? known->second : builds_[id] = known_build(db_, id);
}

long long InvocationWriter::row(const RowKey& key) {
  const auto known = rows_.find(key);
  return known != rows_.end() ? known->second : rows_[key] = shared_key(db_, key);
}

long long InvocationWriter::shape(const std::string& text) {
  if (text.empty()) return 0;
  const auto known = shapes_.find(text);
  return known != shapes_.end() ? known->second : shapes_[text] = shared_shape(db_, text);
}

}  // namespace nsop::store
