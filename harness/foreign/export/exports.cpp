#include "harness/foreign/export/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/foreign/name.h"

namespace nsop::foreign {
namespace {

constexpr std::array kExportFormats = {
    ExportFormat{"csv", "CSV, a line per repetition", to_csv},
    ExportFormat{"benchstat", "text for benchstat, a line per invocation", to_benchstat},
    ExportFormat{"gbench", "Google Benchmark's JSON, for its compare.py", to_google_benchmark},
    ExportFormat{"bmf", "the Bencher Metric Format, a median per row", to_bencher},
};

}  // namespace

std::span<const ExportFormat> all_export_formats() { return kExportFormats; }

const ExportFormat* find_export_format(std::string_view name) {
  for (const ExportFormat& format : kExportFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

double wall_ns_per_op(const Repetition& repetition) {
  return static_cast<double>(repetition.wall_ns) / static_cast<double>(repetition.iterations);
}

const Repetition& fastest(const Invocation& invocation) {
  return *std::min_element(invocation.repetitions.begin(), invocation.repetitions.end(),
                           [](const Repetition& a, const Repetition& b) {
                             return wall_ns_per_op(a) < wall_ns_per_op(b);
                           });
}

AllocsByRow allocs_of(const ExportRun& run) {
  AllocsByRow found;
  for (const Invocation& one : run.invocations) {
    if (one.phase == Phase::kCount && one.status == Status::kOk && one.allocs) {
      found[one.row] = &*one.allocs;
    }
  }
  return found;
}

std::string exported_name(const RowKey& row, std::string_view tool) {
  const auto foreign = parse_case_text(row.case_text);
  if (foreign && foreign->tool == tool && !foreign->identity.empty()) {
    return foreign->identity[0].second;
  }
  return fmt::format("{} variant={} target={} threads={}", row.case_text,
                     percent_encoded(row.variant), percent_encoded(row.target), row.threads);
}

}  // namespace nsop::foreign
