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
  std::string variant;  // that of `after` where the suite shows others beside its own; else empty
  std::vector<const stats::RowSummary*> measured;  // everything shown in this row, each once
};

struct Column {
  std::string id, label, align;  // align: left, right
  std::function<Json(const RowView&)> cell;
};

using Columns = std::vector<Column>;

// {"title", "collapsed", "columns", "rows"}, and of a folded one what is said below it in "notes";
// an empty title prints none.
Json make_table(const std::string& title, const Columns& columns, const std::vector<RowView>& rows);

// The same, with the notes of everything measured in each row: for the first table of a section.
Json main_table(const std::string& title, const Columns& columns, const std::vector<RowView>& rows);

// A line without cells yet, for tables that are made row by row.
Json table_row(const std::string& label, const std::string& case_text, int threads);

// The table as one that a reader opens.
Json folded(Json table);

// The folded table under a section: per measurement the command, choice, noise, error and share
// of the machine's limit. What a variant can't do is no measurement: the notes say why.
Json details_table(const Context& context, const std::vector<RowView>& rows);

// All rows of one heading.
struct Section {
  std::string title;
  std::vector<RowView> rows;
};

// This run's `after` against the run before; nothing where there was none.
void add_previous_column(Columns& columns, const Context& context);

// Adds what was measured to a view, each row once; nullptr is skipped.
void add_measured(RowView& view, const stats::RowSummary* row);

}  // namespace nsop::report
