// The ops and variants that are linked into this worker, sorted, so that the order in which objects
// were linked doesn't show.
#pragma once

#include <string>

#include "harness/core/io/json.h"

namespace nsop::worker {

Json ops_json();
Json variants_json();

// The same for people: one op per paragraph with its keys and variants.
std::string listing_text();

// From where each op and variant was registered, see harness/core/registrations.h. Empty unless
// that was asked for before the process started.
Json registrations_json();

}  // namespace nsop::worker
