#include "harness/cli/text/summary_table.h"

#include <fmt/format.h>

#include "harness/core/io/json.h"
#include "harness/report/base/format.h"

namespace nsop::cli {
namespace {

std::string count_or_na(const std::optional<AllocCounts>& counts, double AllocCounts::*field) {
  return counts ? report::count_text((*counts).*field) : "n/a";
}

Json row_json(const stats::RowSummary& r) {
  Json json = {{"case", r.row.case_text},         {"variant", r.row.variant},
               {"target", r.row.target},          {"threads", r.row.threads},
               {"status", status_text(r.status)}, {"reason", r.reason},
               {"invocations", r.invocations},    {"chose", r.chose},
               {"warnings", r.warnings}};
  if (r.status == Status::kOk) {
    json["ns_per_op"] = r.wall_ns;
    json["ns_per_op_interval"] = {r.wall_lo_ns, r.wall_hi_ns};
    json["max_abs_error"] = r.max_abs_error;
  }
  if (r.allocs) {
    json["allocs_per_op"] = r.allocs->allocs_per_op;
    json["bytes_per_op"] = r.allocs->bytes_per_op;
  }
  return json;
}

}  // namespace

void print_json(Context& context, const report::RunData& data) {
  Json rows = Json::array();
  for (const stats::RowSummary& r : data.rows) rows.push_back(row_json(r));
  context.out << Json{{"schema", "nsop.summary/1"}, {"run", data.run.id}, {"rows", rows}}.dump(2)
              << '\n';
}

void print_table(Context& context, const report::RunData& data) {
  Table table({{"case"},
               {"variant"},
               {"threads", true},
               {"time/op", true},
               {"95 % interval", true},
               {"allocs/op", true},
               {"B/op", true},
               {"note"}});
  for (const stats::RowSummary& r : data.rows) {
    const bool ok = r.status == Status::kOk;
    table.add({r.row.case_text, r.row.variant + "@" + r.row.target,
               fmt::format("{}", r.row.threads), ok ? report::human_time(r.wall_ns) : "-",
               ok ? fmt::format("{} .. {}", report::human_time(r.wall_lo_ns),
                                report::human_time(r.wall_hi_ns))
                  : "-",
               count_or_na(r.allocs, &AllocCounts::allocs_per_op),
               count_or_na(r.allocs, &AllocCounts::bytes_per_op),
               ok ? (r.warnings.empty() ? "" : "? " + r.warnings.front())
                  : fmt::format("{}: {}", status_text(r.status), r.reason)});
  }
  table.print(context.out);
}

}  // namespace nsop::cli
