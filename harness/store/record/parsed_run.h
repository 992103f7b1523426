// An exported run as nouns, for what works on runs that are in no database.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::store {

struct ParsedRun {
  Run run;
  Host host;
  std::vector<Build> builds;
  std::vector<Invocation> invocations;  // by session, round, slot
};

// What export_run() wrote. Throws Error (bad data) with `where:line: `.
ParsedRun parse_run(const std::string& ndjson, const std::string& where);

}  // namespace nsop::store
