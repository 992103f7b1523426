// What the words of a site mean.
#pragma once

#include "harness/core/io/json.h"

namespace nsop::report {

// [{"id", "title", "text"}]: a paragraph for every badge, column and mark of the site.
Json method_json();

}  // namespace nsop::report
