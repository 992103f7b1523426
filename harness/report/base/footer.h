// The end of a report: where, with what and how well it was measured.
#pragma once

#include "harness/report/base/goals/goals.h"

namespace nsop::report {

// What the sections (as JSON) and the run add up to: rows, invocations, wrong, inconclusive, goals.
// `wrong` and `failed` count our own rows; `peers_failed` counts both of peers, `peers_wrong` the
// wrong ones among them. Goals on rows of shortcuts count apart.
Json summary_json(const Context& context, const Json& sections, const std::vector<GoalRow>& goals);

// [{"variant", "targets"}]: the ISA each variant of the report ran on when it was asked for `best`.
Json dispatched_json(const Context& context);

// What a page that names this target says of it.
constexpr const char* kAvx3Text = "AVX3 is Highway's name for AVX-512";

// The median relative SD between invocations, and how many repetitions were interrupted; not where
// one of each invocation is known, which is the fastest.
std::string noise_text(const std::vector<const stats::RowSummary*>& rows);

// `1 row`, `12 rows`
std::string counted_rows(size_t count);

// The commits that the run measured, short: `1a2b3c4d5e6f`; `unknown` without a build.
std::string commits_text(const RunData& data);

// A machine, its state and a build in one line each.
std::string host_text(const Host& host);
std::string system_text(const Conditions& c);
std::string build_text(const Build& build);

// [{"label", "text"}] in the order of printing, of a report that has all but its footer.
Json footer_json(const Context& context, const Json& report);

}  // namespace nsop::report
