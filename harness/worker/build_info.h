// What this worker was built from.
#pragma once

#include "harness/core/sample.h"

namespace nsop::worker {

// Everything known inside the program. `id` and `binary_sha256` stay empty: only who started the
// program can hash the file, and `id` covers that hash.
Build build_info();

// The project's version, `0.1.0`.
const char* tool_version();

}  // namespace nsop::worker
