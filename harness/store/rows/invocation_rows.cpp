#include "harness/store/rows/invocation_rows.h"

#include <utility>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

using Text = std::string;

constexpr size_t kHashDigits = 16;
// Absent numbers are NULL in the table and -1 on their way: no metric is negative.
constexpr double kAbsent = -1;

std::optional<double> present(double value) {
  return value == kAbsent ? std::nullopt : std::optional(value);
}

long long row_key(Database& db, const RowKey& row) {
  const auto threads = static_cast<long long>(row.threads);
  return shared_row(
      db,
      [&] {
        return first_value<long long>(
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

long long build_row(Database& db, const std::string& build_id) {
  const auto seq = first_value<long long>(db, "SELECT seq FROM build WHERE id = :i", build_id);
  if (!seq) throw bad_data("unknown build '" + build_id + "'; store the build first");
  return *seq;
}

long long shape_row(Database& db, const std::string& body) {
  if (body.empty()) return 0;
  const Text hash = sha256_hex(body);
  return shared_row(
      db,
      [&] { return first_value<long long>(db, "SELECT seq FROM shape WHERE sha256 = :s", hash); },
      [&] {
        return insert(db, "INSERT INTO shape (sha256, body) VALUES (:s, :b) RETURNING seq", hash,
                      body);
      });
}

using Columns =
    std::tuple<Text, Text, long long, long long, long long, long long, long long, Text, Text,
               double, long long, long long, Text, Text, Text, double, double, double, double>;

constexpr const char* kInvocationColumns =
    "SELECT id, phase, session, round, slot, build, row, status, at_utc, process_age_s, "
    "COALESCE(first_ns, 0), COALESCE(shape, 0), COALESCE(body, ''), COALESCE(samples, ''), "
    "body_hash, "
    "COALESCE(process_cpu_ns_per_op, -1.0), COALESCE(wall_ns_per_op, -1.0), "
    "COALESCE(allocs_per_op, -1.0), COALESCE(bytes_per_op, -1.0) FROM invocation WHERE run = :r "
    "ORDER BY session, round, slot, phase, id";

InvocationRow row_of(Columns&& columns) {
  auto& [id, phase, session, round, slot, build, row, status, at, age, first_ns, shape, body,
         samples, hash, cpu, wall, allocs, bytes] = columns;
  InvocationRow read;
  Invocation& one = read.packed.columns;
  one.id = std::move(id);
  one.phase = phase == "time" ? Phase::kTime : Phase::kCount;
  one.session = static_cast<int>(session);
  one.round = static_cast<int>(round);
  one.slot = static_cast<int>(slot);
  one.status = status_from_text(status);
  one.at_utc = std::move(at);
  one.process_age_s = age;
  one.first_ns = first_ns;
  read.packed.body = std::move(body);
  read.packed.samples = std::move(samples);
  read.build = build;
  read.row = row;
  read.shape = shape;
  read.body_hash = std::move(hash);
  read.metrics = {present(cpu), present(wall), present(allocs), present(bytes)};
  return read;
}

}  // namespace

RepeatedMetrics repeated_metrics(const std::map<std::string, double>& metrics) {
  const auto of = [&](const char* name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  };
  return {of("process_cpu_ns_per_op"), of("wall_ns_per_op"), of("allocs_per_op"),
          of("bytes_per_op")};
}

std::string hash_of(const std::string& body_sha256) { return body_sha256.substr(0, kHashDigits); }

long long insert_invocation_row(Database& db, long long run, const InvocationRecord& record,
                                const Invocation& columns,
                                const std::map<std::string, double>& metrics, const char* table) {
  const long long build = build_row(db, columns.build_id);
  const PackedInvocation one = packed(record, columns);
  const RepeatedMetrics repeated = repeated_metrics(metrics);
  const auto write = [&](const Text& name, const Text& place, auto... value) {
    execute(
        db,
        "INSERT INTO " + Text(table) +
            " (id, run, session, round, slot, phase, build, row, status, at_utc, process_age_s, "
            "shape, body, samples, body_hash, process_cpu_ns_per_op, wall_ns_per_op, "
            "allocs_per_op, bytes_per_op" +
            name +
            ") VALUES (:id, :run, :session, :round, :slot, :phase, :build, :row, :status, :at, "
            ":age, NULLIF(:shape, CAST(0 AS BIGINT)), NULLIF(:body, ''), NULLIF(:samples, ''), "
            ":hash, "
            "NULLIF(:cpu, CAST(-1 AS DOUBLE PRECISION)), NULLIF(:wall, CAST(-1 AS DOUBLE "
            "PRECISION)), NULLIF(:allocs, CAST(-1 AS DOUBLE PRECISION)), NULLIF(:bytes, CAST(-1 AS "
            "DOUBLE PRECISION))" +
            place + ")",
        columns.id, run, static_cast<long long>(columns.session),
        static_cast<long long>(columns.round), static_cast<long long>(columns.slot),
        Text(columns.phase == Phase::kTime ? "time" : "count"), build, row_key(db, columns.row),
        status_text(columns.status), columns.at_utc, columns.process_age_s,
        shape_row(db, one.shape), one.body, one.samples, hash_of(sha256_hex(record.body)),
        repeated.process_cpu_ns.value_or(kAbsent), repeated.wall_ns.value_or(kAbsent),
        repeated.allocs.value_or(kAbsent), repeated.bytes.value_or(kAbsent), value...);
  };
  // The table of schema 5, to which invocations are moved, knows of no first operation.
  if (columns.first_ns == 0) {
    write("", "");
  } else {
    write(", first_ns", ", :first", static_cast<long long>(columns.first_ns));
  }
  return build;
}

std::vector<InvocationRow> InvocationReader::of_run(long long run, const std::string& run_id) {
  std::vector<InvocationRow> rows;
  each_of_run(run, run_id, [&](InvocationRow& one) { rows.push_back(std::move(one)); });
  return rows;
}

void InvocationReader::each_of_run(long long run, const std::string& run_id,
                                   const std::function<void(InvocationRow& row)>& use) {
  const auto complete = [&](Columns& columns) {
    InvocationRow one = row_of(std::move(columns));
    one.packed.columns.run_id = run_id;
    one.packed.columns.row = key(one.row);
    one.packed.columns.build_id = build(one.build);
    use(one);
  };
  each<Columns>(db_, kInvocationColumns, complete, run);
}

InvocationRecord InvocationReader::record(const InvocationRow& row) {
  return unpacked(row.packed, shape(row));
}

Composed InvocationReader::both(const InvocationRow& row) {
  return composed(row.packed, shape(row));
}

Invocation InvocationReader::invocation(const InvocationRow& row) {
  return invocation_of(row.packed, shape(row));
}

std::string InvocationReader::inputs(const InvocationRow& row) {
  return row.packed.body.empty() ? shape(row).fields.inputs_sha256 : invocation(row).inputs_sha256;
}

const Shape& InvocationReader::shape(const InvocationRow& row) {
  const auto known = shapes_.find(row.shape);
  if (known != shapes_.end()) return known->second;
  if (row.shape == 0) return shapes_[0];
  const auto body = first_value<Text>(db_, "SELECT body FROM shape WHERE seq = :s", row.shape);
  if (!body) throw bad_data("an invocation has lost its shape");
  return shapes_.emplace(row.shape, read_shape(*body)).first->second;
}

const RowKey& InvocationReader::key(long long seq) {
  const auto known = keys_.find(seq);
  if (known != keys_.end()) return known->second;
  const auto found = first<std::tuple<Text, Text, Text, long long>>(
      db_, "SELECT case_text, variant, target, threads FROM row_key WHERE seq = :s", seq);
  if (!found) throw bad_data("an invocation has lost its row");
  const auto& [text, variant, target, threads] = *found;
  return keys_.emplace(seq, RowKey{text, variant, target, static_cast<int>(threads)}).first->second;
}

const std::string& InvocationReader::build(long long seq) {
  const auto known = builds_.find(seq);
  if (known != builds_.end()) return known->second;
  const auto id = first_value<Text>(db_, "SELECT id FROM build WHERE seq = :s", seq);
  if (!id) throw bad_data("an invocation has lost its build");
  return builds_.emplace(seq, *id).first->second;
}

}  // namespace nsop::store
