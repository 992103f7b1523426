// The move of invocations from whole bodies to the compact table: part of migration 5.
#pragma once

#include "harness/store/db.h"

namespace nsop::store {

// Copies every row of `invocation`, as schemas 1 to 4 have it, to `compact_invocation`; the caller
// owns the transaction. Damaged rows are copied as they are.
void compact_invocations(Database& db);

}  // namespace nsop::store
