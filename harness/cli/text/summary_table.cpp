#include "harness/cli/text/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/report/base/format.h"
#include "harness/stats/base/robust.h"

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
  if (r.instructions) json["instructions"] = to_json(*r.instructions);
  if (!r.metrics.empty()) {
    Json& metrics = json["metrics"] = Json::object();
    for (const auto& [name, values] : r.metrics) metrics[name] = stats::median(values);
  }
  return json;
}

// A column of counts that some row has.
struct Counted {
  const char* title;
  std::function<std::optional<double>(const stats::RowSummary&)> value;
};

std::optional<double> instructions_of(const stats::RowSummary& r) {
  const bool counted = r.instructions && r.instructions->per_op > 0;
  return counted ? std::optional(std::round(r.instructions->per_op)) : std::nullopt;
}

std::function<std::optional<double>(const stats::RowSummary&)> metric(const char* name) {
  return [name](const stats::RowSummary& r) -> std::optional<double> {
    const auto at = r.metrics.find(name);
    if (at == r.metrics.end() || at->second.empty()) return std::nullopt;
    return stats::median(at->second);
  };
}

// Where instructions were asked for, their columns, even if nothing could be counted; else what the
// hardware counted, if anything.
std::vector<Counted> counted_columns(const report::RunData& data) {
  std::vector<Counted> columns;
  const auto any = [&](const auto& has) { return std::ranges::any_of(data.rows, has); };
  const bool asked = any([](const auto& r) { return r.instructions.has_value(); });
  if (asked) columns.push_back({"instructions/op", instructions_of});
  for (const Counted& one : {Counted{"cycles/op, counter", metric("hw_cycles")},
                             Counted{"instructions/op, counter", metric("hw_instructions")},
                             Counted{"cache misses/op, counter", metric("hw_cache_misses")}}) {
    const bool known = any([&](const auto& r) { return one.value(r).has_value(); });
    if (asked || known) columns.push_back(one);
  }
  return columns;
}

std::string note_of(const stats::RowSummary& r) {
  if (r.status != Status::kOk) return fmt::format("{}: {}", status_text(r.status), r.reason);
  std::vector<std::string> notes;
  if (const auto device = metric("device_ns")(r)) {
    const double copies = metric("transfer_ns")(r).value_or(0);
    notes.push_back(fmt::format("device {}, copies {}", report::human_time(*device),
                                report::human_time(copies)));
  }
  if (!r.warnings.empty()) notes.push_back("? " + r.warnings.front());
  if (r.instructions && !r.instructions->reason.empty()) {
    notes.push_back("instructions n/a: " + r.instructions->reason);
  }
  if (instructions_of(r) && r.instructions->target != r.row.target) {
    notes.push_back("instructions counted on " + r.instructions->target);
  }
  return join(notes, "; ");
}

}  // namespace

void print_json(Context& context, const report::RunData& data) {
  Json rows = Json::array();
  for (const stats::RowSummary& r : data.rows) rows.push_back(row_json(r));
  context.out << Json{{"schema", "nsop.summary/1"}, {"run", data.run.id}, {"rows", rows}}.dump(2)
              << '\n';
}

void print_table(Context& context, const report::RunData& data) {
  const std::vector<Counted> counted = counted_columns(data);
  std::vector<Column> columns = {{"case"},
                                 {"variant"},
                                 {"threads", true},
                                 {"time/op", true},
                                 {"95 % interval", true},
                                 {"allocs/op", true},
                                 {"B/op", true}};
  for (const Counted& one : counted) columns.push_back({one.title, true});
  columns.push_back({"note"});
  Table table(columns);
  for (const stats::RowSummary& r : data.rows) {
    const bool ok = r.status == Status::kOk;
    std::vector<std::string> cells = {r.row.case_text,
                                      r.row.variant + "@" + r.row.target,
                                      fmt::format("{}", r.row.threads),
                                      ok ? report::human_time(r.wall_ns) : "-",
                                      ok ? fmt::format("{} .. {}", report::human_time(r.wall_lo_ns),
                                                       report::human_time(r.wall_hi_ns))
                                         : "-",
                                      count_or_na(r.allocs, &AllocCounts::allocs_per_op),
                                      count_or_na(r.allocs, &AllocCounts::bytes_per_op)};
    for (const Counted& one : counted) {
      const auto value = one.value(r);
      cells.push_back(value ? report::count_text(*value) : "n/a");
    }
    cells.push_back(note_of(r));
    table.add(cells);
  }
  table.print(context.out);
}

}  // namespace nsop::cli
