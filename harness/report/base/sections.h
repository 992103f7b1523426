// Rows under their headings, and what names them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/table.h"

namespace nsop::report {

// The section of this title; a new one at the end if there is none.
Section& section_titled(std::vector<Section>& sections, const std::string& title);

// A section per heading of the suite; of each case a row for `after` and each variant of `also`,
// with before, peers and what stands beside them in its first row.
std::vector<Section> table_sections(const Context& context);

// What names a row in an open table: its label, operation and, where they differ, threads and
// variant in one column, its case in another.
Columns row_columns();

// Layer, operation, case, and where they differ threads and variant.
Columns name_columns(const Context& context, const Section& section);

}  // namespace nsop::report
