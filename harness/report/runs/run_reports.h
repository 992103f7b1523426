// The reports of a stored run: of each suite, with what is stored beside it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/report/base/data/run_data.h"
#include "harness/report/base/published/published.h"
#include "harness/store/store.h"

namespace nsop::report {

class RunReports {
 public:
  // The run with this id, which must be stored as long as the object lives. `previous`: the id of
  // the run for the column `vs previous run`; empty: the one before that measured the suite.
  // `project`: the folder with CHANGELOG.md and nsop-releases.toml. Throws Error (usage) for a
  // gate.
  RunReports(const store::Store& store, const std::string& run_id, std::string previous,
             std::string project, std::vector<Published> published);

  const Run& run() const { return current_.run; }

  // See build_report(). A tracking log is about the releases before, and its row before is that of
  // the newest of them that was measured; any other report is about the run and the one before.
  // Throws Error (usage) for an unknown form or a release that no run has.
  Json of(const Suite& suite);

 private:
  const std::optional<RunData>& previous_of(const std::string& suite);
  Json log_of(const Suite& suite);

  const store::Store& store_;
  RunData current_;
  std::string previous_, project_;
  std::vector<Published> published_;
  std::optional<RunData> limits_;
  std::map<std::string, std::optional<RunData>> loaded_;  // runs before by id, each read once
};

// kFailed where goals are missed, else kOk.
ExitCode exit_of_goals(int64_t missed);

}  // namespace nsop::report
