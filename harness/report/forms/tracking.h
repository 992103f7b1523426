// The template `tracking`: a log of releases, each against the first and the one before.
#pragma once

#include "harness/report/base/context.h"

namespace nsop::report {

// One section per row name, number of threads and (where a case names its own) variant, with a line
// per release and case that it measured or, measured by an earlier one, lost. The last release is
// the report's own run, which has a line in every section. Cases of one name stand in one table but
// are never compared with each other; neither are other hosts, build types, targets or inputs: such
// a cell says `incomparable`, and a note why.
Json tracking_sections(const Context& context, const std::vector<Release>& releases);

// One section per release: what was measured when and from what, and the changes.
Json change_sections(const std::vector<Release>& releases);

}  // namespace nsop::report
