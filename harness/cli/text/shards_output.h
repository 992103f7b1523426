// What `nsop merge` says of the shards of a submission.
#pragma once

#include "harness/cli/context.h"
#include "harness/shards/gates.h"
#include "harness/shards/merge.h"

namespace nsop::cli {

// Text or, with --json, `nsop.merge/1`.
void show_merged(Context& context, const shards::Shards& all, const shards::Merged& merged);

// Text or, with --json, `nsop.gate-merge/1`: each row with the node that measured both arms of it.
void show_gates(Context& context, const shards::Gates& gates);

}  // namespace nsop::cli
