// Programs of other projects as sides of a comparison: as they lie there, or built of a commit.
#pragma once

#include <string>
#include <vector>

#include "harness/adapters/program.h"
#include "harness/judge/builds/revisions.h"

namespace nsop::judge {

// What lies at the path: a program, where an adapter was named, or a folder that is laid out as the
// project's and has its programs. Throws Error (usage) where it has none.
Built use_foreign(const BuildPlace& place, const std::string& path);

// Checks the commit out into a folder of its own, runs what `build` of each program says, and keeps
// it by commit and those commands. Throws DoesNotBuild, and Error (environment) for what no commit
// can help, (usage) for an unknown revision and where programs without `build` aren't in the
// commit.
Built build_foreign(const BuildPlace& place, const std::string& revision, const BuildNote& note);

}  // namespace nsop::judge
