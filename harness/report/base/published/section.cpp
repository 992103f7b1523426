#include "harness/report/base/published/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "harness/core/suite/selector.h"
#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/metrics/metric_cells.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

// The report's rows by case: of each the one on the fewest threads.
std::map<std::string, const CaseRow*> rows_by_case(const Context& context) {
  std::map<std::string, const CaseRow*> out;
  for (const CaseRow& row : context.rows()) {
    const CaseRow*& kept = out[normalised(row.text)];
    if (kept == nullptr || row.threads < kept->threads) kept = &row;
  }
  return out;
}

const stats::RowSummary* found(const Context& context, const CaseRow& row,
                               const Selector& selector) {
  return selector.variant.empty() ? nullptr : context.find(row, selector);
}

// The row here that a published value stands beside. Where the suite's `after` can't do the case on
// so few threads, it is `before`: in a suite of thresholds one thread is what others published.
const stats::RowSummary* measured_here(const Context& context, const CaseRow& row,
                                       const Published& one) {
  const Suite& suite = context.suite();
  if (one.here == "before") return found(context, row, suite.before);
  if (one.here != "after") return found(context, row, Selector::parse(one.here));
  const stats::RowSummary* after = found(context, row, suite.after);
  const bool cannot = after != nullptr && after->status == Status::kUnsupported;
  return cannot ? found(context, row, suite.before) : after;
}

std::string value_text(const Published& one) {
  if (one.ns) return human_time(*one.ns);
  if (one.unit == "ns") return human_time(std::strtod(one.value.c_str(), nullptr));
  return one.unit.empty() ? one.value : one.value + " " + one.unit;
}

// The same quantity of ours; a dash where nothing here measures it.
Json here_cell(const Published& one, const stats::RowSummary* row) {
  if (one.ns) return row == nullptr ? missing_cell("-") : time_cell(row);
  const bool time = one.unit == "ns";
  const auto value = time ? told(row, one.metric) : told_per_ns(row, one.metric);
  if (!value) return missing_cell("-");
  if (time) return metric_time_cell(row, one.metric);
  Json out = per_second_rate_cell(*value, one.unit);
  if (!time_doubts(*row).empty()) mark_doubt(out);
  return out;
}

// What the value is where its unit doesn't tell: `297 ms` of what, `1023 MB` of what.
std::string metric_words(const Published& one) {
  if (one.metric.empty() || one.unit.starts_with(one.metric + "/")) return "";
  if (one.metric == "train_call_ns") return "per training call";
  std::string words = one.metric;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string note_text(const Published& one) {
  std::vector<std::string> parts;
  const std::string metric = metric_words(one);
  if (!metric.empty()) parts.push_back(metric);
  if (one.allocs) parts.push_back(count_text(*one.allocs) + " allocs/op");
  if (one.bytes) parts.push_back(count_text(*one.bytes) + " B/op");
  if (!one.note.empty()) parts.push_back(one.note);
  return parts.empty() ? "-" : join(parts, "; ");
}

Json published_row(const Context& context, const CaseRow& row, const Published& one) {
  const stats::RowSummary* here = measured_here(context, row, one);
  Json out = table_row(row.full_name(), row.text, row.threads);
  out["cells"] = {text_cell(row.full_name()),
                  code_cell(row.text),
                  text_cell(fmt::format("{} {}, {}", one.system, one.version, one.role)),
                  text_cell(one.machine),
                  text_cell(value_text(one)),
                  here == nullptr ? missing_cell("-") : code_cell(who(*here)),
                  here_cell(one, here),
                  text_cell(note_text(one))};
  return out;
}

Json empty_published_table() {
  return folded(make_table("What other systems published of these cases",
                           {{"row", "Row", "left", {}},
                            {"case", "Case", "left", {}},
                            {"source", "Published by", "left", {}},
                            {"machine", "On", "left", {}},
                            {"value", "Published value", "right", {}},
                            {"variant", "Variant here", "left", {}},
                            {"here", "Measured here", "right", {}},
                            {"note", "Note", "left", {}}},
                           {}));
}

}  // namespace

Json published_section(const Context& context, std::span<const Published> published) {
  Json table = empty_published_table();
  std::vector<std::string> sources;
  const std::map<std::string, const CaseRow*> rows = rows_by_case(context);
  for (const Published& one : published) {
    const auto row = rows.find(normalised(one.case_text));
    if (row == rows.end()) continue;
    table["rows"].push_back(published_row(context, *row->second, one));
    const std::string source = one.system + " (" + one.document + ")";
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
      sources.push_back(source);
    }
  }
  if (sources.empty()) return nullptr;
  Json out;
  out["title"] = "Published elsewhere";
  out["summary"] = true;
  out["notes"] = {
      "Values as other systems published them, each on a machine of its own. Times of different "
      "machines are never compared: there is no ratio here, and no verdict.",
      "From " + join(sources, ", ") + "."};
  out["tables"] = {std::move(table)};
  out["plots"] = Json::array();
  return out;
}

}  // namespace nsop::report
