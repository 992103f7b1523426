// The procedure of a gate: two builds measured alternately until every row is decided, what was
// flagged measured again in a second session.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/stats/comparison.h"
#include "harness/stats/gate/gate.h"

namespace nsop::judge {

enum class Arm { kBase, kHead };

// What measures. Failures come back as the status of the invocation, never as an exception.
class Measurer {
 public:
  virtual ~Measurer() = default;
  // One invocation of a row by one arm's build in one of its link orders (0, 1, ...): of all that
  // the options say; the second session's are last.
  virtual Invocation time(const RowKey& row, Arm arm, int layout) = 0;
  virtual Invocation count(const RowKey& row, Arm arm) = 0;
  virtual double seconds() const = 0;  // since the gate began
};

enum class RowKind {
  kBoth,       // measured in both arms
  kLost,       // only the base has it
  kNew,        // only the head has it
  kIdentical,  // both run the same machine code
};

struct GateRow {
  RowKey key;
  // A control: both arms are the base's build, so it can only change when the machine does.
  bool canary = false;
  RowKind kind = RowKind::kBoth;
  std::string untimed{};  // why it isn't measured, unless kBoth
  std::string source{};   // file that the row's code or case is in, for annotations; may be empty
  // Where and why nsop-known.toml says that this row may get worse, and by how many per cent of
  // time at most (0: by any); empty: it doesn't.
  std::string declared{};
  double declared_percent = 0;
};

// Link orders of a session: as many as ordinary looks take rounds, so that each of these rounds is
// an observation of its own.
constexpr int kLinkOrders = 20;

struct GateOptions {
  stats::GatePolicy policy;
  uint64_t seed = 0;          // of the order of rows in a round
  int layouts = kLinkOrders;  // that the rounds of a session go through
  // Both builds come in twice as many: the second session has the other half for itself.
  bool fresh_layouts = false;
  // Of measuring; counting, which comes first, is no part of it. Looks beyond the ordinary ones
  // begin only before that, with as many rows, those with the narrowest intervals first, as the
  // rest of the time lasts for. A second session goes as far as the first.
  double budget_s = 300;
  bool second_session = true;
  double false_discovery_rate = 0.05;
};

// Whether the second session has link orders of its own. One that hasn't shares an error with the
// first, so it confirms with no more alpha, and p-values of both don't multiply.
void set_fresh_layouts(GateOptions& options, bool fresh);

// A measurement of fixed length in place of a decision as early as possible: one look after so many
// rounds (at least stats::kFewestClusters), with an alpha of 0.01 for each statistic, and no second
// session.
void set_fixed_rounds(GateOptions& options, int rounds);

struct SessionRow {
  std::vector<stats::PairedRound> rounds;
  std::vector<double> base_wall_ns, head_wall_ns;  // of each round, per operation
  stats::GateDecision decision;
  Status base = Status::kOk, head = Status::kOk;  // of the latest invocations
  std::string reason;                             // of a failure
};

struct GateRowResult {
  GateRow row;
  SessionRow first;
  std::optional<SessionRow> second;
  std::optional<AllocCounts> base_allocs, head_allocs;
  std::optional<stats::Comparison> allocs, bytes;  // exact; when both were counted
  std::optional<InstructionCounts> base_instructions, head_instructions;  // where asked for
  stats::Verdict verdict = stats::Verdict::kInconclusive;
  std::string note;
  bool is_declared = false;  // worse as the row declares: said, but no failure
};

struct GateResult {
  std::vector<GateRowResult> rows;  // in the order given
  std::string void_reason;          // not empty: a control moved or failed: no time is judged
  double seconds = 0;
};

// How far a gate is. What comes after the look depends on what it decides.
struct GateProgress {
  int session = 0;      // 0: counting
  int look = 0;         // the session's next look is after so many rounds
  int64_t done = 0;     // invocations
  int64_t planned = 0;  // invocations until that look, the done ones among them
};
using GateProgressSink = std::function<void(const RowKey& row, const GateProgress& progress)>;

// Told after every invocation, with its session, round, slot and arm set where it is kept.
using GateSink = std::function<void(Arm arm, Invocation invocation)>;

// Counts every row once, new ones in the head only, then times: rounds in a shuffled order of rows,
// base first in even rounds and head first in odd ones, another link order in every round. A row
// leaves when it is decided. Rows that are worse or better then need a second session, of their own
// rounds and with the controls, to agree, and to stand among the discoveries of all rows.
// `progress` is told after the sink. Throws what they throw.
GateResult run_gate(
    const std::vector<GateRow>& rows, const GateOptions& options, Measurer& measurer,
    const GateSink& sink,
    const GateProgressSink& progress = [](const RowKey&, const GateProgress&) {});

}  // namespace nsop::judge
