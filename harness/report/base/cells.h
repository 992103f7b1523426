// Typed cells: {"kind", "value", "text"} and, where they apply, "interval", "verdict", "doubt".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::report {

// Adds "doubt": true and a `?` behind the text.
void mark_doubt(Json& target);

Json text_cell(const std::string& text);
Json code_cell(const std::string& text);  // something to copy: a case, a command
// No number here, and why: `not measured`, `wrong`, `n/a`.
Json missing_cell(const std::string& text);

// The warning of a summary whose counting pass did not give the same numbers twice.
constexpr const char* kUnsteadyAllocations = "allocations per operation are not steady";

// Why the times of a row are doubtful, in words; empty when they aren't: fewer than 6 invocations,
// warnings of the summary.
std::vector<std::string> time_doubts(const stats::RowSummary& row);

// Cells of a measured row; `row` may be nullptr (not measured) or failed (its status is shown).
// A doubtful number has "doubt": true and a `?` behind its text.
Json ns_cell(const stats::RowSummary* row);
Json time_cell(const stats::RowSummary* row);
Json allocs_cell(const stats::RowSummary* row);
Json alloc_bytes_cell(const stats::RowSummary* row);
// Wall time divided by a number of elements or MACs, in nanoseconds; of samples, as a time.
Json ns_each_cell(const stats::RowSummary* row, double count);
Json time_each_cell(const stats::RowSummary* row, double count);

// What was done per time: GFLOP/s where arithmetic is the bound, else GB/s.
Json rate_cell(const stats::RowSummary* row, const CaseFacts* facts, bool arithmetic);
// The time that the machine needs at least, as a share of the row's.
Json limit_share_cell(const stats::RowSummary* row, double limit_ns);

Json count_cell(double count);
Json duration_cell(double ns);
Json size_cell(double bytes);
// `unit`: what is counted per second, e.g. `episodes/s`.
Json per_second_rate_cell(double per_ns, const std::string& unit);
Json reduction_cell(const stats::RowSummary* before, const stats::RowSummary* after);

// How a count went, `28 -> 0` with an arrow, from the cells of both sides; that of `after` alone
// where both say the same or `before` has no number.
Json from_to_cell(const Json& before, const Json& after);

// `0 -> 2 (0 -> 128 B)` with arrows: allocations and bytes of an operation, where either changed;
// empty where neither did or a side was not counted.
std::string changed_allocations(const std::optional<AllocCounts>& before,
                                const std::optional<AllocCounts>& after);

// old / new from a comparison (whose ratio is new / old), with interval, verdict and note.
Json ratio_cell(const stats::Comparison& comparison);
Json percent_cell(double share);
// A share with its interval, which is left out where an end isn't finite and above 0.
Json share_cell(double share, double lo, double hi);

// What a row says of a ratio of which the quotient of the two times says another thing.
constexpr const char* kTimesDisagree =
    "the quotient of the two times is more than 10 % from the ratio, or on its other side: the "
    "ratio "
    "is the mean over rounds (of CPU time on one thread), each time a median of its own";

// What a row says of a limit that is none.
constexpr const char* kDiffersTooMuch =
    "the invocations differ by more than a limit may: no row has a share of it";

// Is the quotient of the wall times, old / new, more than 10 % from the ratio, or does its text say
// the other direction?
bool times_disagree(double speed, const stats::RowSummary& before, const stats::RowSummary& after);

}  // namespace nsop::report
