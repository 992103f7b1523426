// Google Benchmark's JSON. No header: exports.h declares the writers.
// Source: https://github.com/google/benchmark/blob/main/src/json_reporter.cc, and what its
// tools/compare.py reads.
#include "harness/core/io/json.h"
#include "harness/foreign/export/exports.h"

namespace nsop::foreign {
namespace {

struct Place {
  int64_t family = 0, repetitions = 0, next = 0;
};

Json context_of(const ExportRun& run) {
  const std::string type = run.builds.empty() ? "" : run.builds.begin()->second.build_type;
  return {{"date", run.run.started_utc},
          {"host_name", run.host.cpu_model},
          {"executable", "nsop"},
          {"num_cpus", run.host.threads},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_build_type", type == "Debug" || type == "debug" ? "debug" : "release"},
          {"nsop_run", run.run.id}};
}

// A time that is not known is 0, as is that of a row without a result.
Json row_of(const Invocation& one, Place& place) {
  const std::string name = exported_name(one.row, "google-benchmark");
  Json row = {{"name", name},
              {"family_index", place.family},
              {"per_family_instance_index", 0},
              {"run_name", name},
              {"run_type", "iteration"},
              {"repetitions", place.repetitions},
              {"repetition_index", place.next++},
              {"threads", one.row.threads}};
  if (one.status != Status::kOk || one.repetitions.empty()) {
    row["error_occurred"] = true;
    row["error_message"] = one.reason.empty() ? status_text(one.status) : one.reason;
    if (one.status == Status::kUnsupported) {
      row["skipped"] = true;
      row["skip_message"] = one.reason;
    }
    row["iterations"] = 0;
    row["real_time"] = 0;
    row["cpu_time"] = 0;
    row["time_unit"] = "ns";
    return row;
  }
  const Repetition& r = fastest(one);
  const int64_t cpu = r.process_cpu_ns > 0 ? r.process_cpu_ns : r.thread_cpu_ns;
  row["iterations"] = r.iterations;
  row["real_time"] = wall_ns_per_op(r);
  row["cpu_time"] = static_cast<double>(cpu) / static_cast<double>(r.iterations);
  row["time_unit"] = "ns";
  return row;
}

}  // namespace

Exported to_google_benchmark(const ExportRun& run) {
  std::map<RowKey, Place> places;
  for (const Invocation& one : run.invocations) {
    if (one.phase == Phase::kTime) ++places[one.row].repetitions;
  }
  int64_t family = 0;
  for (auto& [row, place] : places) place.family = family++;
  Exported out;
  Json rows = Json::array();
  for (const Invocation& one : run.invocations) {
    if (one.phase == Phase::kCount) continue;
    rows.push_back(row_of(one, places[one.row]));
    ++out.rows;
  }
  const Json json = {{"context", context_of(run)}, {"benchmarks", std::move(rows)}};
  out.text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return out;
}

}  // namespace nsop::foreign
