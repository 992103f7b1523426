// What values may be stored; the database's CHECKs say the same, without a clear message.
#pragma once

#include <string>

#include "harness/core/sample.h"

namespace nsop::store {

constexpr size_t kMaxNameBytes = 512;

// Each throws Error (bad data) that names the field.

// `name` must have 1 to kMaxNameBytes bytes and no control characters; `what` names it.
void check_name(const std::string& what, const std::string& name);
// A key made by a client: a name of at most `max` characters.
void check_id(const std::string& what, const std::string& id, size_t max = 64);
void check_run(const Run& run);
void check_invocation(const Invocation& invocation);

}  // namespace nsop::store
