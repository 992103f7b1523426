// CSV (RFC 4180), a line per repetition, or per invocation that has none. No header: exports.h
// declares the writers.
#include <fmt/format.h>

#include "harness/core/text.h"
#include "harness/foreign/export/exports.h"

namespace nsop::foreign {
namespace {

constexpr const char* kHeader =
    "run,started,host,commit,case,variant,target,threads,session,round,sample,status,iterations,"
    "wall_ns,process_cpu_ns,ns_per_op,allocs_per_op,bytes_per_op,reason\n";

// In quotes where the format needs them. A text that a spreadsheet would calculate gets a blank.
std::string cell(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
  if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = formula ? "\" " : "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string before_sample(const ExportRun& run, const Invocation& one) {
  const auto build = run.builds.find(one.build_id);
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{}", run.run.id, run.run.started_utc, cell(run.host.cpu_model),
      cell(build == run.builds.end() ? "" : build->second.commit), cell(one.row.case_text),
      cell(one.row.variant), cell(one.row.target), one.row.threads, one.session, one.round);
}

}  // namespace

Exported to_csv(const ExportRun& run) {
  Exported out{kHeader, 0, {}};
  const AllocsByRow allocs = allocs_of(run);
  std::map<RowKey, int64_t> samples;
  for (const Invocation& one : run.invocations) {
    const auto counts = allocs.find(one.row);
    if (one.phase == Phase::kCount) {
      if (one.status != Status::kOk) ++out.left_out["a counting pass that failed"];
      continue;
    }
    const std::string counted =
        counts == allocs.end()
            ? std::string(",")
            : fmt::format("{},{}", counts->second->allocs_per_op, counts->second->bytes_per_op);
    const std::string begin = before_sample(run, one);
    if (one.status != Status::kOk || one.repetitions.empty()) {
      out.text += fmt::format("{},,{},,,,,,,{}\n", begin, status_text(one.status),
                              cell(printable(one.reason)));
      ++out.rows;
      continue;
    }
    for (const Repetition& r : one.repetitions) {
      out.text += fmt::format("{},{},ok,{},{},{},{},{},\n", begin, samples[one.row]++, r.iterations,
                              r.wall_ns, r.process_cpu_ns, wall_ns_per_op(r), counted);
      ++out.rows;
    }
  }
  return out;
}

}  // namespace nsop::foreign
