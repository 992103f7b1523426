// What a request names: a case, a variant, a target. Throw Refusal when it isn't here.
#pragma once

#include <string>

#include "harness/core/registry.h"
#include "harness/worker/protocol/request.h"

namespace nsop::worker {

struct OpCase {
  const Op& op;
  Case op_case;
};

// Field `case`; refused as `unknown_op` or `bad_case`.
OpCase case_field(const Json& request);

// Field `variant`, of this op; refused as `unsupported`.
const Variant& variant_field(const Json& request, const Op& op);

// Field `target`: one that the variant has on this machine; the best one for `best` or nothing.
std::string target_field(const Json& request, const Variant& variant);

}  // namespace nsop::worker
