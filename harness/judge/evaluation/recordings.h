// Recorded or synthetic measurements as CSV files, and what the rules of a gate and of a history
// make of them.
//
// A gate file has the columns case_id, round, arm (base or head; a or b), cpu_ns, one line per
// repetition; without case_id, a case is told by design, block and kernel, and lines of other arms
// belong to other experiments and are left out. A history file has series_id, idx, host, ns_per_op,
// one line per repetition. A column layout of a gate file tells the link order of a round: rounds
// of one link order count as one observation, as in a gate. A column first_ns tells how long the
// first operation of the process took, in each line of an arm's round alike. A column gate tells
// which cases were measured in one session, so that they tell each other's noise. Further columns
// are ignored.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/stats/gate/gate.h"
#include "harness/stats/history/change_points.h"

namespace nsop::judge {

// Repetitions of an arm in one round, in ns.
struct GateCase {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> rounds;  // -> base, head
  std::map<int, int> layouts;                       // round -> link order; empty: not told
  std::map<int, std::pair<double, double>> firsts;  // round -> base, head, in ns; 0: not told
  std::string gate;  // cases of one text were measured together; empty: not told
};
using GateCases = std::map<std::string, GateCase>;

// Median over the repetitions of a night, by night.
using Histories = std::map<std::string, std::vector<stats::HistoryPoint>>;

// Both throw Error (bad data) naming file and line: a missing column, a text that is no number or
// no arm, a file that is empty, has no rows or is compressed.
GateCases read_gate_recording(const std::string& path);
Histories read_history_recording(const std::string& path);

// Complete rounds, in order, each a cluster of its own unless link orders are told. What a gate
// pairs: the shortest repetition of each arm, the mean over it, and the first operation.
std::vector<stats::PairedRound> paired_rounds(const GateCase& one);

// An alert of a replay: `index` is where the level changes, `night` when that was first told.
struct ReplayAlert {
  std::string series;
  size_t index = 0;
  size_t night = 0;
  double ratio = 1;       // new / old, as it looked that night
  bool tripwire = false;  // raised by the newest point alone
};

struct ReplayOptions {
  size_t first_night = 40;
  size_t stride = 1;    // nights between two looks
  size_t window = 150;  // nights that are looked at
  bool tripwire = false;
  bool once = false;  // what a look shows is told, though the look of the night before did not
};

// What a nightly job would have told, night by night, without knowing what comes; a change point
// within five nights of one that was told is not told again.
std::vector<ReplayAlert> replay(const std::string& series,
                                const std::vector<stats::HistoryPoint>& points,
                                const ReplayOptions& options, const stats::ChangePolicy& policy);

}  // namespace nsop::judge
