// Measures commits against each other with real builds and workers, and stores every invocation.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/stored.h"
#include "harness/judge/nightly/follow_up.h"
#include "harness/store/store.h"

namespace nsop::judge {

struct LabOptions {
  BuildPlace place;
  GateOptions gate;        // layouts, budget of each comparison, seed
  double lock_wait_s = 0;  // for another measuring process
  std::string tool_version;
};

class RevisionLab : public Lab {
 public:
  // `reference` gives inputs and expected outputs; of programs of other projects, of the controls
  // alone, which it measures, too. `note` is told before what takes long. What is
  // given must outlive the lab.
  RevisionLab(const LabOptions& options, const run::Worker& reference, store::Store& store,
              std::function<void(const std::string&)> note);

  // Stored as a run of origin `confirm`. The measuring lock is held while something is timed.
  // Throws Error: (environment) when a commit doesn't build, (inconclusive) when its worker doesn't
  // speak the protocol; run::Interrupted after the run was ended as aborted.
  GateResult compare(const std::string& base, const std::string& head,
                     const std::vector<RowKey>& rows, Purpose purpose) override;
  std::vector<std::string> line(const std::string& good, const std::string& bad) override;
  std::string subject(const std::string& commit) override;

  int comparisons() const { return comparisons_; }
  double seconds() const { return seconds_; }  // of measuring, in all comparisons

 private:
  struct Arm {
    Built built;
    ArmWorkers workers;
  };
  // A commit in at least so many link orders.
  const Arm& arm(const std::string& commit, int layouts);
  bool foreign() const { return !options_.place.foreign.adapter.empty(); }
  GateResult measure(const Arm& base, const Arm& head, const std::vector<GateRow>& rows,
                     const GateOptions& gate);
  std::string begin_run(const Arm& base, const Arm& head, const std::vector<GateRow>& rows,
                        const GateOptions& gate, const HostProbe& probe);

  LabOptions options_;
  const run::Worker& reference_;
  store::Store& store_;
  std::function<void(const std::string&)> note_;
  std::map<std::string, Arm> arms_;  // by commit
  std::map<std::string, run::CaseDescription> cases_;
  int comparisons_ = 0;
  double seconds_ = 0;
};

}  // namespace nsop::judge
