// The SHA-256 that is stored with an event of an alert.
#pragma once

#include <string>

#include "harness/store/store.h"

namespace nsop::store {

std::string alert_event_digest(const AlertEvent& event);

}  // namespace nsop::store
