// Rows of a gate's report: words, cells and tables.
#pragma once

#include <string>
#include <vector>

#include "harness/report/gate/report.h"

namespace nsop::report {

using GateRows = std::vector<const GateRowView*>;

// Which list of the report a row belongs to; every row but the controls is in exactly one.
// kDeclared: worse, but as the project declares.
enum class GateGroup { kWorse, kDeclared, kUnjudged, kUnclear, kBetter, kNew, kSame };
GateGroup group_of(const GateRowView& row);

// What happened in a word that needs no colour: `slower`, `crashed`, `lost`, `more memory`, ...
std::string gate_word(const GateRowView& row);

// Rows of a group, those that matter most first; without the controls.
GateRows rows_of(const GateView& gate, GateGroup group);

// {"columns", "rows"} with typed cells.
Json gate_table(const GateRows& rows);
// Every row, the controls too, in the order of the plan.
Json all_rows_table(const GateView& gate);
// Geometric mean of head / base by op, over the timed rows.
Json family_table(const GateView& gate);

// The row for people: `case | variant@target | threads=n`, threads only when not 1.
std::string gate_row_name(const GateRowView& row);
std::string change_with_interval(const stats::GateDecision& d);

}  // namespace nsop::report
