// How the machine drifted while a backfill went on: what the fixed reference took in each session.
#pragma once

#include <string>
#include <vector>

#include "harness/stats/summary.h"

namespace nsop::judge {

// What one session measured of the reference.
struct ReferenceValues {
  std::string commit;  // that was measured beside it
  std::string run_id;  // of the reference's values
  std::vector<stats::RowSummary> rows;
};

// Times over what the reference usually takes: of each row its median over the sessions. Geometric
// means over the rows; 1: as usual.
struct SessionDrift {
  std::string commit, run_id;
  double ratio = 1;            // of the session
  std::vector<double> rounds;  // of each of its rounds, in their order
};

// One for each session, in the order given; those without a row that was measured are left out.
std::vector<SessionDrift> reference_drift(const std::vector<ReferenceValues>& sessions);

}  // namespace nsop::judge
