// BenchmarkDotNet's JSON (full and brief). No header: formats.h declares the readers.
// Source:
// https://github.com/dotnet/BenchmarkDotNet/blob/master/src/BenchmarkDotNet/Exporters/Json/JsonExporterBase.cs
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"

namespace nsop::foreign {
namespace {

// `Type.Method: Job-ABC(Runtime=...) [N=1]`: the job's name stands nowhere else.
std::string job_of(const std::string& display) {
  const size_t at = display.find(": ");
  if (at == std::string::npos) return {};
  const std::string rest = display.substr(at + 2);
  return rest.substr(0, rest.find_first_of("( ["));
}

// `Namespace.Type.Method`; before 0.10 its parts, some of them null, are all that is there.
std::string full_name(const Value& row) {
  std::string name = text_at(row, "FullName");
  if (!name.empty()) return name;
  for (const char* part : {"Namespace", "Type", "Method"}) {
    const std::string text = text_at(row, part);
    if (!text.empty()) name += (name.empty() ? "" : ".") + text;
  }
  return name;
}

// The times of the stage that counts: overhead taken off.
bool add_measurements(const Value& row, const Identity& identity, ForeignFile& file) {
  const Value& measurements = value_at(row, "Measurements");
  if (!measurements.is_array()) return false;
  int64_t index = 0;
  for (const Value& one : measurements) {
    if (text_at(one, "IterationMode") != "Workload" || text_at(one, "IterationStage") != "Result") {
      continue;
    }
    const auto ns = number_at(one, "Nanoseconds");
    const auto operations = integer_at(one, "Operations");
    if (!ns || !operations || *operations < 1) {
      file.leave_out("the time is no number", display_name(identity));
      continue;
    }
    file.add_sample(
        identity, 1,
        {.ns = *ns / static_cast<double>(*operations),
         .iterations = *operations,
         .process = static_cast<int>(integer_at(one, "LaunchIndex").value_or(0) & 0xffff)},
        index++);
  }
  return index > 0;
}

void add_dotnet_row(const Value& row, ForeignFile& file) {
  file.count_row();
  Identity identity{{"name", full_name(row)}};
  if (identity[0].second.empty()) return file.leave_out("it has no name", "");
  const std::string parameters = text_at(row, "Parameters");
  if (!parameters.empty()) identity.emplace_back("parameters", parameters);
  const std::string job = job_of(text_at(row, "DisplayInfo"));
  if (!job.empty()) identity.emplace_back("job", job);
  if (file.has_row(identity, 1)) {
    throw bad_data(fmt::format("{}: '{}' is there twice", file.where(),
                               display_name(identity).substr(0, 120)));
  }
  const Value& statistics = value_at(row, "Statistics");
  if (statistics.is_null()) {
    return file.add_failure(identity, 1, Status::kError, "it has no statistics: it failed");
  }
  if (!add_measurements(row, identity, file)) {
    const Value& values = value_at(statistics, "OriginalValues");
    int64_t index = 0;
    for (size_t i = 0; values.is_array() && i < values.size(); ++i) {
      if (values[i].is_number()) {
        file.add_sample(identity, 1, {.ns = values[i].get<double>()}, index++);
      } else {
        file.leave_out("the time is no number", display_name(identity));
      }
    }
    const auto median = number_at(statistics, "Median");
    if (index == 0 && median) {
      file.add_summary(
          identity, 1, *median,
          fmt::format("median of {} iterations", integer_at(statistics, "N").value_or(0)));
    } else if (index == 0) {
      file.leave_out("it has neither samples nor a median", display_name(identity));
    }
  }
}

}  // namespace

bool is_benchmark_dotnet(const Head& head) { return head.has("HostEnvironmentInfo"); }

void read_benchmark_dotnet(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest = read_json_rows(
      text, file.where(), {{"Benchmarks", "[]"}},
      [&](const Path&, const Value& row, const Value&) { add_dotnet_row(row, file); });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  const Value& host = value_at(rest.value, "HostEnvironmentInfo");
  ForeignContext& c = file.context();
  c.tool_version = text_at(host, "BenchmarkDotNetVersion");
  const Value& processor = value_at(host, "ProcessorName");
  c.cpu_model =
      processor.is_object() ? text_at(processor, "Value") : text_at(host, "ProcessorName");
  c.os = text_at(host, "OsVersion");
  c.compiler = text_at(host, "RuntimeVersion");
  c.build_type = text_at(host, "Configuration");
  c.cpus = static_cast<int>(integer_at(host, "LogicalCoreCount").value_or(0));
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
