// The SHA-256 that is stored with what happened: events of alerts and baselines, runs taken out.
#pragma once

#include <initializer_list>
#include <string>

#include "harness/store/store.h"

namespace nsop::store {

// Of an event that other machines may know, too.
std::string alert_event_digest(const AlertEvent& event);

// Of the event number `seq` of a table to which events are only added: 1, 2, ...
std::string event_digest(long long seq, std::initializer_list<std::string> fields);

}  // namespace nsop::store
