// The Bencher Metric Format. No header: exports.h declares the writers.
// Source: https://bencher.dev/docs/reference/bencher-metric-format/
#include "harness/core/io/json.h"
#include "harness/foreign/export/exports.h"
#include "harness/stats/summary.h"

namespace nsop::foreign {
namespace {

constexpr int kFewestForInterval = 6;  // invocations; below, what a summary has is their range

}  // namespace

// The median wall time of each row, with its 95 % interval where there is one.
Exported to_bencher(const ExportRun& run) {
  Exported out;
  Json json = Json::object();
  for (const stats::RowSummary& row : stats::summarize(run.invocations)) {
    if (row.status != Status::kOk) {
      ++out.left_out["a row without a result: the format has no word for it"];
      continue;
    }
    Json latency = {{"value", row.wall_ns}};
    if (row.invocations >= kFewestForInterval) {
      latency["lower_value"] = row.wall_lo_ns;
      latency["upper_value"] = row.wall_hi_ns;
    }
    json[exported_name(row.row, "bencher")] = {{"latency", std::move(latency)}};
    ++out.rows;
  }
  out.text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return out;
}

}  // namespace nsop::foreign
