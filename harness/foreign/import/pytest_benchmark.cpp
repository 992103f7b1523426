// pytest-benchmark's JSON. No header: formats.h declares the readers.
// Source: https://github.com/ionelmc/pytest-benchmark/blob/master/src/pytest_benchmark/session.py
// and fixture.py, stats.py there: times are seconds per iteration.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/times.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

// `fullname` ends in the id of the parameters; `params` may hold addresses of objects.
Identity pytest_identity(const Value& row) {
  Identity identity{{"name", text_at(row, "fullname")}};
  const std::string param = text_at(row, "param");
  if (!param.empty() && identity[0].second.find("[" + param + "]") == std::string::npos) {
    identity.emplace_back("param", param);
  }
  return identity;
}

void add_pytest_row(const Value& row, ForeignFile& file) {
  file.count_row();
  const Identity identity = pytest_identity(row);
  const std::string name = display_name(identity);
  if (identity[0].second.empty()) return file.leave_out("it has no name", name);
  const Value& stats = value_at(row, "stats");
  const Value& data = value_at(stats, "data");
  const int64_t iterations = integer_at(stats, "iterations").value_or(0);
  if (data.is_array() && !data.empty()) {
    int64_t index = 0;
    for (const Value& one : data) {
      if (!one.is_number()) {
        file.leave_out("the time is no number", name);
        continue;
      }
      file.add_sample(identity, 1, {.ns = one.get<double>() * kNsPerS, .iterations = iterations},
                      index++);
    }
    return;
  }
  const int64_t rounds = integer_at(stats, "rounds").value_or(0);
  for (const char* best : {"median", "mean"}) {
    if (const auto seconds = number_at(stats, best)) {
      file.add_summary(identity, 1, *seconds * kNsPerS,
                       fmt::format("{} of {} rounds", best, rounds));
      return;
    }
  }
  file.leave_out("it has neither samples nor a median", name);
}

void add_context(const Value& rest, ForeignFile& file) {
  const Value& machine = value_at(rest, "machine_info");
  const Value& cpu = value_at(machine, "cpu");
  const Value& commit = value_at(rest, "commit_info");
  ForeignContext& c = file.context();
  c.tool_version = text_at(rest, "version");
  c.started_utc = utc_of_iso8601(text_at(rest, "datetime"));
  c.host = text_at(machine, "node");
  c.cpu_model =
      text_at(cpu, "brand_raw").empty() ? text_at(cpu, "brand") : text_at(cpu, "brand_raw");
  c.cpus = static_cast<int>(integer_at(cpu, "count").value_or(0));
  c.os = text_at(machine, "system") + " " + text_at(machine, "release");
  c.compiler = text_at(machine, "python_implementation") + " " + text_at(machine, "python_version");
  c.commit = text_at(commit, "id");
  if (c.commit == "unversioned" || c.commit == "unknown") c.commit.clear();  // no repository
  c.dirty = value_at(commit, "dirty") == true;
}

}  // namespace

bool is_pytest_benchmark(const Head& head) {
  return head.has("machine_info.python_version") || head.has("benchmarks.[].fullname");
}

void read_pytest_benchmark(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest = read_json_rows(
      text, file.where(), {{"benchmarks", "[]"}},
      [&](const Path&, const Value& row, const Value&) { add_pytest_row(row, file); });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  add_context(rest.value, file);
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
