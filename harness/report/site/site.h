// A store as the model of a site: lines of JSON, schema `nsop.site/1` (docs/site.md), which the
// renderer turns into pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/judge/builds/revisions.h"
#include "harness/report/site/run_pairs.h"
#include "harness/report/site/shown.h"
#include "harness/store/store.h"

namespace nsop::report {

struct SiteSource {
  const store::Store& store;
  std::string db;              // the store's path
  std::string history_folder;  // of files that `nsop check --history` wrote; may be empty
  std::string judge;           // the page that `make judge-eval` wrote; it may not be there
  judge::BuildPlace place;     // where the project's commits are
  std::vector<Suite> suites;   // of the project
  SiteChoice choice;
  std::vector<RunPair> compared;  // in addition to those that send_run_pairs chooses
  std::string tool_version;
};
using LineSink = std::function<void(const Json& line)>;

// A line for each case, then one for each gate, then the site's own, the last. The same store gives
// the same lines: no clock is read. Throws what the store and the folder throw.
void write_site(const SiteSource& source, const LineSink& sink);

}  // namespace nsop::report
