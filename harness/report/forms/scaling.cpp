// The form `scaling`, declared in forms.h: one section per series of cases that differ in their
// batch only, a row per batch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

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

using Words = std::vector<std::string>;

// Where a case has its batch: the value of `key`, or this extent of it; without a key: nowhere.
struct BatchPlace {
  std::string key;
  size_t extent = 0;
};

// The extent in which all of these shapes differ from the first, `2` of `20x1x64` and `20x8x64`;
// nothing where they differ in several or aren't shapes of one rank.
std::optional<size_t> varying_extent(const Words& shapes) {
  const Words first = split(shapes.front(), 'x');
  std::set<size_t> varying;
  for (const std::string& shape : shapes) {
    const Words other = split(shape, 'x');
    if (other.size() != first.size() || first.size() == 1) return std::nullopt;
    for (size_t i = 0; i < first.size(); ++i) {
      if (other[i] != first[i]) varying.insert(i);
    }
  }
  if (varying.size() != 1) return std::nullopt;
  return *varying.begin();
}

// `batch=8`; else the extent that the suite's line sweeps over, `in=20x1x64,20x8x64`; else the
// first one of `in` or `n`.
BatchPlace batch_place(const CaseRow& row) {
  if (!param(row.text, "batch").empty()) return {"batch"};
  for (const char* key : {"in", "n"}) {
    const auto extent = varying_extent(split(param(row.from->line, key), ','));
    if (extent) return {key, *extent};
  }
  for (const char* key : {"in", "n"}) {
    if (param(row.text, key).find('x') != std::string::npos) return {key};
  }
  return {};
}

double batch_of(const CaseRow& row) {
  const BatchPlace place = batch_place(row);
  if (place.key.empty()) return 0;
  return std::strtod(split(param(row.text, place.key), 'x')[place.extent].c_str(), nullptr);
}

// How many samples an operation works on: a batch in each of its `calls`.
double samples_of(const CaseRow& row) {
  const std::string calls = param(row.text, "calls");
  return batch_of(row) * (calls.empty() ? 1 : std::strtod(calls.c_str(), nullptr));
}

// The text with N in place of the batch: equal for the cases of one series.
std::string with_n(const CaseRow& row, const std::string& text) {
  const BatchPlace place = batch_place(row);
  Words words = split(text, ' ');
  for (std::string& word : words) {
    if (place.key.empty() || !word.starts_with(place.key + "=")) continue;
    Words extents = split(word.substr(place.key.size() + 1), 'x');
    extents[place.extent] = "N";
    word = place.key + "=" + join(extents, "x");
  }
  return join(words, " ");
}

std::string series_text(const CaseRow& row) { return with_n(row, row.text); }

// `Conv2D Forward, 2 threads`; of a name with several series, with what tells this one.
std::string series_title(const Context& context, const CaseRow& row) {
  const std::vector<CaseRow>& all = context.rows();
  const bool several = std::any_of(all.begin(), all.end(), [&](const CaseRow& other) {
    return other.name() == row.name() && series_text(other) != series_text(row);
  });
  const std::string own = several ? " " + with_n(row, row.differs) : "";
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
    std::stable_sort(
        section.rows.begin(), section.rows.end(),
        [](const RowView& a, const RowView& b) { return batch_of(*a.row) < batch_of(*b.row); });
  }
  return out;
}

Json batch_cell(const RowView& view) {
  const double batch = batch_of(*view.row);
  return batch > 0 ? count_cell(batch) : missing_cell("none");
}

// The row of a series whose samples take least; null where none has a time.
const RowView* fastest_batch(const Section& section) {
  const RowView* fastest = nullptr;
  for (const RowView& view : section.rows) {
    if (!usable(view.after) || !(samples_of(*view.row) > 0)) continue;
    const auto each = [](const RowView& v) { return v.after->wall_ns / samples_of(*v.row); };
    if (fastest == nullptr || each(view) < each(*fastest)) fastest = &view;
  }
  return fastest;
}

// What a sample takes in the fastest batch of the series over what it takes here.
Json efficiency_cell(const Context& context, const RowView& view, const RowView* fastest) {
  if (fastest == nullptr || !usable(view.after) || !(samples_of(*view.row) > 0)) {
    return missing_cell("n/a");
  }
  if (view.row == fastest->row) return percent_cell(1);
  const stats::Comparison compared = context.paired(*view.after, *fastest->after);
  if (!(compared.ratio > 0)) return missing_cell("n/a");
  const double samples = samples_of(*view.row) / samples_of(*fastest->row);
  Json out = share_cell(compared.ratio * samples, compared.lo * samples, compared.hi * samples);
  if (!time_doubts(*view.after).empty() || !time_doubts(*fastest->after).empty()) mark_doubt(out);
  return out;
}

// `before` where the suite names one, then the peers.
std::vector<Selector> others_of(const Context& context) {
  std::vector<Selector> out;
  if (!context.suite().before.variant.empty()) out.push_back(context.suite().before);
  for (const std::string& peer : context.suite().peers) out.push_back({peer, "best"});
  return out;
}

Columns scaling_columns(const Context& context, const Section& section) {
  const std::string role = role_text(context.suite().after);
  Columns columns{
      {"batch", "Batch", "right", batch_cell},
      {"time", role, "right", [](const RowView& v) { return time_cell(v.after); }},
      {"per_sample", role + " per sample", "right",
       [](const RowView& v) { return time_each_cell(v.after, samples_of(*v.row)); }},
      {"efficiency", "Efficiency", "right",
       [&context, fastest = fastest_batch(section)](const RowView& v) {
         return efficiency_cell(context, v, fastest);
       }},
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

// The time of everyone, of an operation and of a sample.
Columns times_columns(const Context& context) {
  Columns columns{{"batch", "Batch", "right", batch_cell}};
  for (const Selector& other : others_of(context)) {
    columns.push_back(
        {"time_" + other.text(), role_text(other), "right",
         [&context, other](const RowView& v) { return time_cell(context.find(*v.row, other)); }});
    columns.push_back({"per_sample_" + other.text(), role_text(other) + " per sample", "right",
                       [&context, other](const RowView& v) {
                         return time_each_cell(context.find(*v.row, other), samples_of(*v.row));
                       }});
  }
  return columns;
}

Json scaling_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", scaling_columns(context, section), section.rows));
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
  return drawn({lines_plot(context, section, wanted, {"batch (log scale)", batch_of, samples_of},
                           {{"ns per sample (log scale)", true}})});
}

void add_series(const Context&, const Section& section, Json& notes) {
  const CaseRow& row = *section.rows.front().row;
  const char* what = batch_place(row).key.empty() ? "No batch in: " : "N is the batch: ";
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
