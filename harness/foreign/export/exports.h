// A stored run in the formats of other tools.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::foreign {

// A run with all that belongs to it.
struct ExportRun {
  Run run;
  Host host;
  std::map<std::string, Build> builds;  // by id
  std::vector<Invocation> invocations;  // by session, round, slot
};

// What a format can't say.
struct Exported {
  std::string text;
  int64_t rows = 0;
  std::map<std::string, int64_t> left_out;  // rows, by reason
};

struct ExportFormat {
  const char* name;
  const char* what;
  Exported (*write)(const ExportRun& run);
};
std::span<const ExportFormat> all_export_formats();
const ExportFormat* find_export_format(std::string_view name);  // nullptr: there is none

// The repetition that is the value of a timing invocation: the least wall time per operation.
const Repetition& fastest(const Invocation& invocation);
double wall_ns_per_op(const Repetition& repetition);

// Allocations of a row as its counting pass says them; nullptr: not counted.
using AllocsByRow = std::map<RowKey, const AllocCounts*>;
AllocsByRow allocs_of(const ExportRun& run);

// How a row is called elsewhere: a row that was imported from `tool` by the name it had there, any
// other by its case, variant, target and threads.
std::string exported_name(const RowKey& row, std::string_view tool);

Exported to_csv(const ExportRun& run);
Exported to_benchstat(const ExportRun& run);
Exported to_google_benchmark(const ExportRun& run);
Exported to_bencher(const ExportRun& run);

}  // namespace nsop::foreign
