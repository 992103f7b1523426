// What others published of a report's cases, as its last section.
#pragma once

#include <span>

#include "harness/report/base/context.h"
#include "harness/report/base/published/published.h"

namespace nsop::report {

// The folded section of what was published of the report's cases, on one thread where the report
// has that, with the time here of a run that has it; null where nothing was.
Json published_section(const Context& context, std::span<const Published> published);

}  // namespace nsop::report
