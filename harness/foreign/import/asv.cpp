// A file of results of airspeed velocity. No header: formats.h declares the readers.
// Source: https://asv.readthedocs.io/en/stable/dev.html#result-files
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr size_t kMostCombinations = 1'000'000;

// The tool goes by the beginning of a function's name: of times it is `time` or `timeraw`.
bool is_time(const std::string& name) {
  const std::string function = name.substr(name.rfind('.') + 1);
  return function.starts_with("time_") || function.starts_with("timeraw_") ||
         function.starts_with("Time");
}

// A row by its columns: a list in the file's order of columns, or, before version 2, an object.
Value column_of(const Value& row, const Value& columns, const char* name) {
  if (row.is_object()) return value_at(row, name);
  for (size_t i = 0; row.is_array() && columns.is_array() && i < columns.size(); ++i) {
    if (columns[i] == name) return i < row.size() ? row[i] : Value();
  }
  return {};
}

// The values of the n-th combination, the last parameter varying fastest.
Identity asv_identity(const std::string& name, const Value& params, size_t n) {
  Identity identity{{"name", name}};
  std::vector<std::string> values;
  for (size_t i = params.size(); i-- > 0;) {
    values.push_back(plain_text(params[i][n % params[i].size()]));
    n /= params[i].size();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    identity.emplace_back(fmt::format("p.{}", i + 1), values[values.size() - 1 - i]);
  }
  return identity;
}

void add_one(const Identity& identity, const Value& result, const Value& samples,
             ForeignFile& file) {
  if (result.is_null()) return file.add_failure(identity, 1, Status::kError, "it failed");
  if (result == "NaN") return file.add_failure(identity, 1, Status::kUnsupported, "it was skipped");
  if (!result.is_number()) return file.leave_out("its result is no number", display_name(identity));
  if (!samples.is_array() || samples.empty()) {
    file.add_summary(identity, 1, result.get<double>() * kNsPerS, "result");
    return;
  }
  int64_t index = 0;
  for (const Value& one : samples) {
    if (one.is_number()) {
      file.add_sample(identity, 1, {.ns = one.get<double>() * kNsPerS}, index++);
    } else {
      file.leave_out("the time is no number", display_name(identity));
    }
  }
}

void add_asv_row(const std::string& name, const Value& row, const Value& rest, ForeignFile& file) {
  file.count_row();
  if (!is_time(name)) return file.leave_out("it is no time (time_...)", name);
  const Value& columns = value_at(rest, "result_columns");
  const bool plain = !row.is_object() && !row.is_array();  // version 1, without parameters
  const Value results = plain ? row : column_of(row, columns, "result");
  const Value samples = column_of(row, columns, "samples");
  Value params = column_of(row, columns, "params");
  if (!params.is_array()) params = Value::array();
  size_t count = 1;
  for (const Value& one : params) {
    if (!one.is_array() || one.empty() || count > kMostCombinations / one.size()) {
      return file.leave_out("its parameters are no lists", name);
    }
    count *= one.size();
  }
  if (!results.is_array()) {
    // All combinations failed.
    if (results.is_null()) return add_one({{"name", name}}, results, {}, file);
    return add_one({{"name", name}}, results, samples, file);
  }
  if (results.size() != count) {
    return file.leave_out("its results are not as many as its parameters say", name);
  }
  for (size_t i = 0; i < count; ++i) {
    const bool has = samples.is_array() && i < samples.size();
    add_one(asv_identity(name, params, i), results[i], has ? samples[i] : Value(), file);
  }
}

}  // namespace

bool is_asv(const Head& head) {
  return head.has("commit_hash") &&
         (head.has("env_name") || head.has("result_columns") || head.has("requirements"));
}

void read_asv(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest =
      read_json_rows(text, file.where(), {{"results", "*"}},
                     [&](const Path& path, const Value& row, const Value& before) {
                       add_asv_row(path[1], row, before, file);
                     });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  const Value& params = value_at(rest.value, "params");
  ForeignContext& c = file.context();
  c.commit = text_at(rest.value, "commit_hash");
  c.compiler = text_at(rest.value, "env_name");
  c.host = text_at(params, "machine");
  c.cpu_model = text_at(params, "cpu");
  c.os = text_at(params, "os");
  const auto date = integer_at(rest.value, "date");  // of the commit, in ms
  if (date && *date > 0 && *date < 253'402'300'799'000) c.started_utc = utc_text(*date / 1000);
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
