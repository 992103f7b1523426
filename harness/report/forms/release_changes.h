// What a log of releases says of each: what was measured when and from what, and its changes.
#pragma once

#include <string>

#include "harness/report/base/context.h"

namespace nsop::report {

// A section of one table.
Json plain_section(const std::string& title, const Json& table);

// One section per release: what was measured when and from what, and the changes.
Json change_sections(const Context& context);

}  // namespace nsop::report
