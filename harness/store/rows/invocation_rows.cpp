#include "harness/store/rows/invocation_rows.h"

#include <utility>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

using Text = std::string;

constexpr size_t kHashDigits = 16;

std::optional<double> present(double value) {
  return value == kAbsent ? std::nullopt : std::optional(value);
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
    one.packed.columns.row = key(one.row, run);
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

const RowKey& InvocationReader::key(long long seq, long long run) {
  const auto known = keys_.find(seq);
  if (known != keys_.end()) return known->second;
  each<std::tuple<long long, Text, Text, Text, long long>>(
      db_,
      "SELECT seq, case_text, variant, target, threads FROM row_key WHERE seq IN (SELECT row FROM "
      "invocation WHERE run = :r)",
      [&](auto& found) {
        auto& [number, text, variant, target, threads] = found;
        keys_[number] = {std::move(text), std::move(variant), std::move(target),
                         static_cast<int>(threads)};
      },
      run);
  const auto found = keys_.find(seq);
  if (found == keys_.end()) throw bad_data("an invocation has lost its row");
  return found->second;
}

const std::string& InvocationReader::build(long long seq) {
  const auto known = builds_.find(seq);
  if (known != builds_.end()) return known->second;
  const auto id = first_value<Text>(db_, "SELECT id FROM build WHERE seq = :s", seq);
  if (!id) throw bad_data("an invocation has lost its build");
  return builds_.emplace(seq, *id).first->second;
}

}  // namespace nsop::store
