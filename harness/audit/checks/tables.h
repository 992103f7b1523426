// The derived figures of a page's tables, each computed again.
#pragma once

#include <vector>

#include "harness/audit/checks/check.h"
#include "harness/audit/checks/findings.h"
#include "harness/audit/read/page.h"

namespace nsop::audit {

// Ratios and percentages against, in this order: the two columns that their header names
// (`A vs B`); the columns before and after; an arrow in a cell; the same row of an earlier table;
// the row that is called the baseline; the only two columns of one kind. What is found in none of
// the first five accuses nobody unless the choice was certain.
std::vector<Finding> check_derived(const Page& page);

// Columns of one name in two units; rows that are totals and means; shares of a column's sum;
// tables that lost their header.
std::vector<Finding> check_columns(const Page& page);

}  // namespace nsop::audit
