// What a gate's report says beside its rows: what to do about them, and how they lie to zero.
#pragma once

#include "harness/report/gate/report.h"

namespace nsop::report {

// {"who", "declare", "reproduce", "left_out"}: who is asked, the lines of nsop-known.toml that
// would declare the rows which are slower or allocate more (what crashed or is lost should be
// mended), a command per row, and how many rows have neither; null when no row is worse, or all are
// declared.
Json advice_json(const GateRecord& gate);

// The rows that are not the same, at most 20, as lines of a fixed width: each change with its
// interval on one scale around zero. Empty when no such row was timed.
Json forest_json(const GateRecord& gate);

}  // namespace nsop::report
