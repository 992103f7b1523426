// Published values in the store: baselines that stand beside what is measured and that nothing is
// compared with.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/published/published.h"
#include "harness/store/record/record.h"
#include "harness/store/store.h"

namespace nsop::report {

struct PublishedRun {
  store::RunRecord record;
  Run run;
  Host host;             // which only the words of the source identify
  std::string baseline;  // `Other-v1`: system and version
  std::string documents;
  int64_t values = 0, times = 0;  // lines, and those of them that are a time per operation
};

struct PublishedOptions {
  std::string started_utc;  // where the version holds no date
  std::string tool_version;
};

// A complete run of origin `published` for each system, version and machine, in the order of the
// values. Its rows are the times, of the variant that the role names and the target `published`;
// all values are kept with it as they were printed. Ids follow from the values. Throws Error (bad
// data) for two times of one role and case, and for names that the store can't hold.
std::vector<PublishedRun> published_runs(const std::vector<Published>& values,
                                         const PublishedOptions& options);

// Stores what is not there and makes each run its baseline, unless it is. Which of them are new.
std::vector<bool> store_published(store::Store& store, const std::vector<PublishedRun>& runs,
                                  const std::string& where);

// The values of every baseline of origin `published`, in the order of their names. Throws Error
// (bad data).
std::vector<Published> stored_published(const store::Store& store);

// Those of a folder (published_in()) and, behind them, those of the store that it lacks.
std::vector<Published> all_published(const store::Store& store, const std::string& folder);

}  // namespace nsop::report
