// From a judged gate to the report of a pull request: JSON of schema `nsop.gate-report/1`, which
// nsop_report renders to Markdown, JUnit XML and annotations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/sample.h"
#include "harness/stats/comparison.h"
#include "harness/stats/gate.h"

namespace nsop::report {

struct GateArmView {
  std::string label;          // what the user named
  std::string commit;         // empty: unknown
  std::vector<Build> builds;  // one per link order
};

enum class GatePresence { kBoth, kLost, kNew, kIdentical };

struct GateRowView {
  RowKey key;
  bool control = false;
  GatePresence presence = GatePresence::kBoth;
  std::string source;  // file that an annotation points at; may be empty
  stats::Verdict verdict = stats::Verdict::kInconclusive;
  std::string note;
  bool declared = false;  // worse as nsop-known.toml declares, which `note` names: no failure
  std::string failure;    // `error`, `wrong`, ... of an arm; empty: both went well
  bool head_ran = true;
  double base_wall_ns = 0, head_wall_ns = 0;  // medians of the first session; 0: not timed
  int rounds = 0;                             // of the first session
  stats::GateDecision first;                  // `rounds` 0: undecided before the first look
  std::optional<stats::GateDecision> second;
  std::optional<AllocCounts> base_allocs, head_allocs;
  std::optional<stats::Comparison> allocs, bytes;
};

enum class GateState { kWorse, kVoid, kUnjudged, kUndecided, kPassed, kIdentical };

struct GateView {
  Run run;
  Host host;
  GateArmView base, head;
  std::string merge_base;  // commit that both have in common; empty: unknown
  GateState state = GateState::kPassed;
  std::string void_reason;
  int layouts = 1;             // link orders that the rounds of a session went through
  bool fresh_layouts = false;  // the second session had others
  bool second_session = true;
  stats::GatePolicy policy;
  double false_discovery_rate = 0.05;
  std::string command;  // that does it again
  std::string probe;    // how noisy the machine was before, one sentence; may be empty
  bool probe_noisy = false;
  std::vector<GateRowView> rows;
};

// Pure: equal arguments give equal JSON.
Json build_gate_report(const GateView& gate);

}  // namespace nsop::report
