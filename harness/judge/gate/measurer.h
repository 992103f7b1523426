// Measures the rows of a gate with real worker processes.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/gate/session.h"
#include "harness/run/invoke.h"

namespace nsop::judge {

// An arm's build: one worker per link order.
struct ArmWorkers {
  std::vector<run::Worker> layouts;
};
// How the link orders that both sides have are shared out.
struct LinkOrders {
  int session = 1;     // that the rounds of a session go through
  bool fresh = false;  // the second session has as many others
};
// All of `count` for one session; halves for two, where a half is enough to decide by.
LinkOrders share_link_orders(size_t count, bool second_session);
// How many a gate of revisions builds, so that each session has `layouts` for itself.
int link_orders_to_build(int layouts, bool second_session);

// Starts each program for its hello. Throws WorkerFailure for one that doesn't speak the protocol.
ArmWorkers open_arm(const Built& built);

// What measures the controls where the arms' workers don't have them.
struct Controls {
  const run::Worker& worker;
  run::OracleCache& oracle;
};

class WorkerMeasurer : public Measurer {
 public:
  // `cases` describes every case of the rows; everything must outlive the measurer.
  // `instructions`: counted, too, and hardware counters read. `controls`: none, when the base's
  // worker measures them.
  WorkerMeasurer(const ArmWorkers& base, const ArmWorkers& head,
                 const std::map<std::string, run::CaseDescription>& cases, run::OracleCache& oracle,
                 std::string scratch, bool instructions = false,
                 const Controls* controls = nullptr);

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
  bool instructions_;
  const Controls* controls_;
  std::vector<int> allowed_cpus_;
  std::map<std::pair<RowKey, std::string>, run::LoadedFacts> facts_;  // of a row in a build
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace nsop::judge
