// Tables of a report: columns with a function each, so that heads and cells can't get out of step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/base/context.h"

namespace nsop::report {

// A row before it has cells: the case and what was measured of it.
struct RowView {
  const CaseRow* row = nullptr;
  const stats::RowSummary* before = nullptr;
  const stats::RowSummary* after = nullptr;
  const stats::RowSummary* relative_to = nullptr;  // the row that this one is shown against
  std::vector<const stats::RowSummary*> measured;  // everything shown in this row, each once
};

struct Column {
  std::string id, label, align;  // align: left, right
  std::function<Json(const RowView&)> cell;
};

using Columns = std::vector<Column>;

// {"title", "collapsed", "columns", "rows"}; an empty title prints none.
Json make_table(const std::string& title, const Columns& columns, const std::vector<RowView>& rows);

// The same, with the notes of everything measured in each row: for the first table of a section.
Json main_table(const std::string& title, const Columns& columns, const std::vector<RowView>& rows);

// The table as one that a reader opens.
Json folded(Json table);

// The folded table under a section: per measurement the command, choice, noise, error and share
// of the machine's limit. What a variant can't do is no measurement: the notes say why.
Json details_table(const Context& context, const std::vector<RowView>& rows);

// Does the suite leave the variant out of this case? Then it has no row that could be missing.
bool left_out(const CaseRow& row, const Selector& selector);

// All rows of one heading.
struct Section {
  std::string title;
  std::vector<RowView> rows;
};

Columns before_after_columns(const Context& context, const Section& section);
Columns matched_columns(const Context& context, const Section& section);

// This run's `after` against the run before; nothing where there was none.
void add_previous_column(Columns& columns, const Context& context);

// Layer, operation, case, and where they differ threads and variant.
Columns name_columns(const Context& context, const Section& section);
Column size_column();  // the number of elements, or what tells the case from its neighbours

// Sections with tables for the templates before_after, matched and peers, and for sweeps.
std::vector<Section> table_sections(const Context& context);
std::vector<Section> sweep_sections(const Context& context);
Json table_section_json(const Context& context, const Section& section, bool matched);
Json sweep_section_json(const Context& context, const Section& section);

// The same for the template workload: a row per case and variant.
std::vector<Section> workload_sections(const Context& context);
Json workload_section_json(const Context& context, const Section& section);

// The pinned targets of a sweep that this section has at least one row of, in the suite's order.
std::vector<std::string> measured_targets(const Context& context, const Section& section);

// Adds what was measured to a view, each row once; nullptr is skipped.
void add_measured(RowView& view, const stats::RowSummary* row);

}  // namespace nsop::report
