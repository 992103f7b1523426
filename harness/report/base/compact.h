// A report as its file has it, JSON of schema `nsop.report/2` (docs/report.schema.json): what
// repeats is written once, a row is one array, a cell no more than its text where that says all.
// reports/nsop_report/expand.py reads it.
#pragma once

#include <string>
#include <vector>

#include "harness/core/io/json.h"

namespace nsop::report {

// What the cells of a row leave out because its column or the row says it.
struct CellPlace {
  std::string kind;       // of most cells of the column
  std::string case_text;  // of the row; may be empty
  Json threads;           // of the row
};

// The short form of a cell: a text, null (the row's case), [variant] (the row's command) or
// [text, value, lo, hi, interval_text, verdict, note] without what is missing at the end. A cell
// that none of them can say stays the object that it is. Numbers are those of rounded_cell.
Json packed_cell(const Json& cell, const CellPlace& place);

// The cell that a short form stands for.
Json unpacked_cell(const Json& packed, const CellPlace& place);

// All numbers in it with so many significant digits; whole numbers stay whole and exact.
Json rounded(const Json& value, int digits = 5);

// A cell with its value in five digits, intervals and shares in four.
Json rounded_cell(const Json& cell);

// A report of schema `nsop.report/1` (the model in memory) in the form of its file.
Json compacted(const Json& report);

// JSON with a line for each element down to `levels` levels, with a final newline. Bytes that are
// no UTF-8 are replaced.
std::string lines_of(const Json& value, int levels);

}  // namespace nsop::report
