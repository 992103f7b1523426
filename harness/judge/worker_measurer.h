// Measures the rows of a gate with real worker processes.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "harness/judge/gate_session.h"
#include "harness/judge/revisions.h"
#include "harness/run/invoke.h"

namespace nsop::judge {

// An arm's build: one worker per link order.
struct ArmWorkers {
  std::vector<run::Worker> layouts;
};
// Starts each program for its hello. Throws WorkerFailure for one that doesn't speak the protocol.
ArmWorkers open_arm(const Built& built);

class WorkerMeasurer : public Measurer {
 public:
  // `cases` describes every case of the rows; everything must outlive the measurer.
  WorkerMeasurer(const ArmWorkers& base, const ArmWorkers& head,
                 const std::map<std::string, run::CaseDescription>& cases, run::OracleCache& oracle,
                 std::string scratch);

  Invocation time(const RowKey& row, Arm arm, int layout) override;
  Invocation count(const RowKey& row, Arm arm) override;
  double seconds() const override;

 private:
  Invocation measure(const RowKey& row, Arm arm, int layout, Phase phase);

  const ArmWorkers& base_;
  const ArmWorkers& head_;
  const std::map<std::string, run::CaseDescription>& cases_;
  run::OracleCache& oracle_;
  std::string scratch_;
  std::vector<int> allowed_cpus_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace nsop::judge
