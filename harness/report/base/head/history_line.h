// The line of a report's head that says how its rows stand against the history of their host.
#pragma once

#include <string>

#include "harness/report/base/context.h"

namespace nsop::report {

// Of the rows of ours: which of them have an alert that waits for somebody; that none has one; or
// that there are too few runs for a history. Empty where nobody asked the store.
std::string history_line(const Context& context);

}  // namespace nsop::report
