// The form `scaling`, declared in forms.h: one section per series of cases that differ in their
// batch only, a row per batch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/lines.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// The word of a case that has the batch: `batch=8`, else the shape that it is the first extent of,
// `in=8x64x32x32` or `n=8x1000`; empty: none has.
std::string batch_word(std::string_view case_text) {
  for (const std::string key : {"batch", "in", "n"}) {
    const std::string value = param(case_text, key);
    if (key == "batch" ? !value.empty() : value.find('x') != std::string::npos) {
      return key + "=" + value;
    }
  }
  return "";
}

double batch_of(std::string_view case_text) {
  const std::string word = batch_word(case_text);
  return std::strtod(word.c_str() + word.find('=') + 1, nullptr);  // without a word: of "", 0
}

// The text with N in place of the batch, in this word of it: equal for the cases of one series.
std::string with_n(const std::string& text, const std::string& batch) {
  std::vector<std::string> words = split(text, ' ');
  for (std::string& word : words) {
    if (word != batch || batch.empty()) continue;
    const size_t extent = word.find('=') + 1, rest = word.find('x', extent);
    word = word.substr(0, extent) + "N" + (rest == std::string::npos ? "" : word.substr(rest));
  }
  return join(words, " ");
}

std::string series_text(const CaseRow& row) { return with_n(row.text, batch_word(row.text)); }

// `Conv2D Forward, 2 threads`; of a name with several series, with what tells this one.
std::string series_title(const Context& context, const CaseRow& row) {
  const std::vector<CaseRow>& all = context.rows();
  const bool several = std::any_of(all.begin(), all.end(), [&](const CaseRow& other) {
    return other.name() == row.name() && series_text(other) != series_text(row);
  });
  const std::string own = several ? " " + with_n(row.differs, batch_word(row.text)) : "";
  const std::string title = row.name() + own;
  return row.threads == 1 ? title : fmt::format("{}, {} threads", title, row.threads);
}

std::vector<Section> scaling_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    RowView view;
    view.row = &row;
    view.before = context.find(row, context.suite().before);
    view.after = context.find(row, context.suite().after);
    for (const Selector& selector : context.selectors()) {
      add_measured(view, context.find(row, selector));
    }
    section_titled(out, series_title(context, row)).rows.push_back(view);
  }
  for (Section& section : out) {
    std::stable_sort(section.rows.begin(), section.rows.end(),
                     [](const RowView& a, const RowView& b) {
                       return batch_of(a.row->text) < batch_of(b.row->text);
                     });
  }
  return out;
}

Json batch_cell(const RowView& view) {
  const double batch = batch_of(view.row->text);
  return batch > 0 ? count_cell(batch) : missing_cell("none");
}

Json per_sample_cell(const RowView& view) {
  const double batch = batch_of(view.row->text);
  if (!usable(view.after) || batch <= 0) return missing_cell("n/a");
  Json out = duration_cell(view.after->wall_ns / batch);
  if (!time_doubts(*view.after).empty()) mark_doubt(out);
  return out;
}

// `before` where the suite names one, then the peers.
std::vector<Selector> others_of(const Context& context) {
  std::vector<Selector> out;
  if (!context.suite().before.variant.empty()) out.push_back(context.suite().before);
  for (const std::string& peer : context.suite().peers) out.push_back({peer, "best"});
  return out;
}

Columns scaling_columns(const Context& context) {
  const std::string role = role_text(context.suite().after);
  Columns columns{
      {"batch", "Batch", "right", batch_cell},
      {"time", role, "right", [](const RowView& v) { return time_cell(v.after); }},
      {"per_sample", role + " per sample", "right", per_sample_cell},
  };
  if (!context.plain_peers().empty()) {
    columns = joined(columns, best_peer_columns(context));
  } else if (!context.suite().before.variant.empty()) {
    columns.push_back({"before", role_text(context.suite().before), "right",
                       [](const RowView& v) { return time_cell(v.before); }});
    columns.push_back(
        {"speedup", role + " vs " + role_text(context.suite().before), "right",
         [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }});
  }
  add_previous_column(columns, context);
  return columns;
}

// The time of everyone.
Columns times_columns(const Context& context) {
  Columns columns{{"batch", "Batch", "right", batch_cell}};
  for (const Selector& other : others_of(context)) {
    columns.push_back(
        {"time_" + other.text(), role_text(other), "right",
         [&context, other](const RowView& v) { return time_cell(context.find(*v.row, other)); }});
  }
  return columns;
}

Json scaling_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", scaling_columns(context), section.rows));
  if (!others_of(context).empty()) {
    tables.push_back(
        folded(make_table("Times of the others", times_columns(context), section.rows)));
  }
  tables.push_back(details_table(context, section.rows));
  return tables;
}

Json scaling_plots(const Context& context, const Section& section) {
  const Selector& after = context.suite().after;
  std::vector<WantedLine> wanted{{role_text(after), after}};
  for (const Selector& other : others_of(context)) wanted.push_back({role_text(other), other});
  return drawn({lines_plot(context, section, wanted, batch_of, "batch (log scale)",
                           {{"ns per sample (log scale)", true}})});
}

void add_series(const Context&, const Section& section, Json& notes) {
  const CaseRow& row = *section.rows.front().row;
  const char* what = batch_word(row.text).empty() ? "No batch in: " : "N is the batch: ";
  notes.push_back(what + series_text(row));
}

}  // namespace

constinit const Form kScaling{
    .name = "scaling",
    .about = "time per sample over the batch, against other libraries",
    .needs_before = false,
    .sections = scaling_sections,
    .tables = scaling_tables,
    .plots = scaling_plots,
    .add_notes = add_series,
};

}  // namespace nsop::report
