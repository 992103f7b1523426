// The form `devices`, declared in forms.h: a device beside the processor, a row per case.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/metrics/metric_cells.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// What the processor does best: its fastest row of the case on any number of threads that the suite
// asks for; without a time the first of them, which may be nullptr.
const Summary* processor_row(const Context& context, const CaseRow& row) {
  const Summary* best = nullptr;
  for (const int threads : row.from->threads) {
    const Summary* one = context.find_on(row, context.suite().before, threads);
    const bool faster = usable(one) && (!usable(best) || one->wall_ns < best->wall_ns);
    if (best == nullptr || faster) best = one;
  }
  return best;
}

// The device has one row of a case, whatever the numbers of threads.
std::vector<Section> device_sections(const Context& context) {
  std::vector<Section> out;
  std::set<std::string> known;
  for (const CaseRow& row : context.rows()) {
    if (!known.insert(row.text).second) continue;
    RowView view;
    view.row = &row;
    view.before = processor_row(context, row);
    view.after = context.find(row, context.suite().after);
    add_measured(view, view.before);
    add_measured(view, view.after);
    section_titled(out, row.from->section).rows.push_back(view);
  }
  return out;
}

// `1.20 ms (2 threads)`
Json processor_cell(const RowView& view) {
  Json out = time_cell(view.before);
  if (usable(view.before) && view.before->row.threads != 1) {
    out["text"] =
        fmt::format("{} ({} threads)", out["text"].get<std::string>(), view.before->row.threads);
  }
  return out;
}

// The kernels alone against the whole operation of the processor: what is left where tensors stay
// on the device. It is other work than the row's, and has no verdict.
Json kernels_cell(const Context& context, const RowView& view) {
  const auto kernels = timed_by(view.after, "device_ns");
  if (!kernels) return missing_cell("n/a");
  Json out = context.speedup_cell(view.before, &*kernels);
  out.erase("verdict");
  return out;
}

// What the kernels do per time: products in GFLOP/s, what only moves in GB/s.
Json kernels_rate_cell(const Context& context, const RowView& view) {
  const auto kernels = timed_by(view.after, "device_ns");
  if (!kernels) return missing_cell("n/a");
  const std::string& text = view.row->text;
  return rate_cell(&*kernels, context.facts(text), context.macs(text) > 0);
}

// A row's name without its threads, which the table has of several numbers.
Column name_column() {
  Column row = row_columns().front();
  row.cell = [](const RowView& v) { return text_cell(v.row->name()); };
  return row;
}

Columns device_columns(const Context& context) {
  const std::string processor = role_text(context.suite().before);
  const std::string device = role_text(context.suite().after);
  Columns columns{
      name_column(),
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
      {"before", processor, "right", processor_cell},
      {"after", device, "right", [](const RowView& v) { return time_cell(v.after); }},
      {"speedup", device + " vs " + processor, "right",
       [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }},
      {"kernels", "Kernels", "right",
       [](const RowView& v) { return metric_time_cell(v.after, "device_ns"); }},
      {"copies", "Copies", "right",
       [](const RowView& v) { return metric_time_cell(v.after, "transfer_ns"); }},
  };
  add_previous_column(columns, context);
  return columns;
}

// What is left where tensors stay on the device.
Columns kernel_columns(const Context& context) {
  return {
      name_column(),
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
      {"kernels", "Kernels", "right",
       [](const RowView& v) { return metric_time_cell(v.after, "device_ns"); }},
      {"kernels_vs", "Kernels vs " + role_text(context.suite().before), "right",
       [&context](const RowView& v) { return kernels_cell(context, v); }},
      {"rate", "Rate of the kernels", "right",
       [&context](const RowView& v) { return kernels_rate_cell(context, v); }},
  };
}

Json device_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", device_columns(context), section.rows));
  tables.push_back(
      folded(make_table("Kernels without copies", kernel_columns(context), section.rows)));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

Json device_plots(const Context& context, const Section& section) {
  return drawn({bars_plot(context, section)});
}

// The names of the devices that a row was measured on.
std::vector<std::string> devices_of(const Context& context) {
  std::set<std::string> names;
  for (const CaseRow& row : context.rows()) {
    const Summary* device = context.find(row, context.suite().after);
    if (usable(device)) names.insert(device->row.target);
  }
  return {names.begin(), names.end()};
}

std::string device_headline(const Context& context) {
  const std::vector<std::string> names = devices_of(context);
  const std::string device = role_text(context.suite().after);
  if (names.empty()) return device + ": no device was measured";
  std::map<std::string, size_t> verdicts;
  size_t untimed = 0;
  for (const Section& section : device_sections(context)) {
    for (const RowView& view : section.rows) {
      const Json cell = context.speedup_cell(view.before, view.after);
      cell.contains("verdict") ? ++verdicts[cell["verdict"].get<std::string>()] : ++untimed;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : verdicts) {
    parts.push_back(fmt::format("{} {}", count, verdict));
  }
  if (untimed > 0) parts.push_back(fmt::format("{} without a time", untimed));
  return fmt::format("{} on {} beside {}, copies included: {}", device, join(names, ", "),
                     role_text(context.suite().before), join(parts, ", "));
}

void add_clocks(const Context& context, const Section&, Json& notes) {
  notes.push_back(fmt::format(
      "The time of {} is that of all of it: inputs sent, kernels run, outputs fetched. Kernels and "
      "copies are told by the device's own clock; what is left is the host's. {} has the number of "
      "threads that it is fastest on.",
      role_text(context.suite().after), role_text(context.suite().before)));
}

}  // namespace

constinit const Form kDevices{
    .name = "devices",
    .about = "a device beside the processor: whole operations, kernels, copies",
    .compares = false,
    .headline = device_headline,
    .sections = device_sections,
    .tables = device_tables,
    .plots = device_plots,
    .add_notes = add_clocks,
};

}  // namespace nsop::report
