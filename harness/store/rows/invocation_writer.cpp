#include "harness/store/rows/invocation_writer.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/rows/invocation_rows.h"

namespace nsop::store {
namespace {

using Text = std::string;
using Whole = long long;

constexpr const char* kColumns =
    "id, run, session, round, slot, phase, build, row, status, at_utc, process_age_s, shape, body, "
    "samples, body_hash, process_cpu_ns_per_op, wall_ns_per_op, allocs_per_op, bytes_per_op";

Whole known_build(Database& db, const std::string& id) {
  const auto seq = first_value<Whole>(db, "SELECT seq FROM build WHERE id = :i", id);
  if (!seq) throw bad_data("unknown build '" + id + "'; store the build first");
  return *seq;
}

Value or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(); }
Value or_null(const Text& text) { return text.empty() ? Value() : Value(text); }
Value or_null(Whole value) { return value == 0 ? Value() : Value(value); }

}  // namespace

// Statements that run again and again, each prepared when it is first needed.
class InvocationWriter::Statements {
 public:
  Statements(Database& db, const std::string& table)
      : db_(db),
        // The table of schema 5, to which invocations are moved, knows of no first operation.
        with_first_(table != "compact_invocation"),
        added_(db.backend().bulk_insert(
            table, with_first_ ? fmt::format("{}, first_ns", kColumns) : kColumns)) {}

  void insert(std::vector<Value> values, Whole first_ns) {
    if (with_first_) values.push_back(or_null(first_ns));
    added_->add(values);
  }

  void finish() { added_->finish(); }

  Whole row(const RowKey& key) {
    const auto threads = static_cast<Whole>(key.threads);
    if (!rows_) {
      rows_.emplace(db_,
                    "SELECT seq FROM row_key WHERE case_text = :c AND variant = :v AND target = :t "
                    "AND threads = :n");
    }
    return shared_row(
        db_, [&] { return rows_->first_value(key.case_text, key.variant, key.target, threads); },
        [&] {
          return store::insert(
              db_,
              "INSERT INTO row_key (case_text, variant, target, threads) VALUES (:c, :v, :t, :n) "
              "RETURNING seq",
              key.case_text, key.variant, key.target, threads);
        });
  }

  Whole shape(const Text& text) {
    const Text hash = sha256_hex(text);
    if (!shapes_) shapes_.emplace(db_, "SELECT seq FROM shape WHERE sha256 = :s");
    return shared_row(
        db_, [&] { return shapes_->first_value(hash); },
        [&] {
          return store::insert(
              db_, "INSERT INTO shape (sha256, body) VALUES (:s, :b) RETURNING seq", hash, text);
        });
  }

 private:
  Database& db_;
  bool with_first_;
  std::unique_ptr<BulkInsert> added_;
  std::optional<Repeated<std::tuple<Whole>, Text, Text, Text, Whole>> rows_;
  std::optional<Repeated<std::tuple<Whole>, Text>> shapes_;
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
  const Text status = status_text(columns.status), hash = hash_of(sha256_hex(record.body));
  statements_->insert(
      {columns.id, run_, Whole{columns.session}, Whole{columns.round}, Whole{columns.slot},
       columns.phase == Phase::kTime ? "time" : "count", build(columns.build_id), row(columns.row),
       status, columns.at_utc, columns.process_age_s, or_null(shape(one.shape)), or_null(one.body),
       or_null(one.samples), hash, or_null(metrics.process_cpu_ns), or_null(metrics.wall_ns),
       or_null(metrics.allocs), or_null(metrics.bytes)},
      static_cast<Whole>(columns.first_ns));
}

void InvocationWriter::finish() {
  statements_->finish();
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
  return known != rows_.end() ? known->second : rows_[key] = statements_->row(key);
}

long long InvocationWriter::shape(const std::string& text) {
  if (text.empty()) return 0;
  const auto known = shapes_.find(text);
  return known != shapes_.end() ? known->second : shapes_[text] = statements_->shape(text);
}

}  // namespace nsop::store
