// Rows of a gate's report: words, cells and tables.
#pragma once

#include <string>
#include <vector>

#include "harness/report/gate/report.h"

namespace nsop::report {

using GateRows = std::vector<const judge::GateRowResult*>;

// `error`, `wrong`, ... of what failed, in the first session before the second; empty: nothing did.
std::string failure_of(const judge::GateRowResult& row);
bool is_timed(const judge::GateRowResult& row);
int rounds_of(const judge::GateRowResult& row);  // of the first session
// Medians of the first session; 0: not timed.
double base_wall_ns(const judge::GateRowResult& row);
double head_wall_ns(const judge::GateRowResult& row);

// Which list of the report a row belongs to; every row but the controls is in exactly one.
// kDeclared: worse, but as the project declares.
enum class GateGroup { kWorse, kDeclared, kUnjudged, kInconclusive, kBetter, kNew, kSame };
GateGroup group_of(const judge::GateRowResult& row);

// What happened in a word that needs no colour: `slower`, `crashed`, `lost`, `more memory`, ...
std::string gate_word(const judge::GateRowResult& row);

// Rows of a group, those that matter most first; without the controls.
GateRows rows_of(const GateRecord& gate, GateGroup group);

// {"columns", "rows"} with typed cells.
Json gate_table(const GateRows& rows);
// Every row, the controls too, in the order of the plan.
Json all_rows_table(const GateRecord& gate);
// Geometric mean of head / base by op, over the timed rows.
Json family_table(const GateRecord& gate);

// The row for people: `case | variant@target | threads=n`, threads only when not 1.
std::string gate_row_name(const judge::GateRowResult& row);
std::string change_with_interval(const stats::GateDecision& d);

}  // namespace nsop::report
