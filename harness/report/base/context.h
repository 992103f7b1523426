// What every part of one report looks at, and the comparisons that a report makes.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/report/base/data/limits.h"
#include "harness/report/base/data/lookup.h"
#include "harness/report/base/data/machine_shift.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::report {

// Confidence of the intervals beside a speedup; previous runs are compared with the policy's own.
constexpr double kSpeedupConfidence = 0.95;

// A peer that a row was to be compared with and could not be.
constexpr const char* kNotThere = "missing (make peers)";
constexpr const char* kNotHeld = "not measured on that instruction set";
struct MissingPeer {
  std::string peer;
  std::string why;  // kNotThere, kNotHeld, `wrong`, `failed`
  auto operator<=>(const MissingPeer&) const = default;
};

// A bandwidth of the machine that a row beats, so that no row has a share of it.
struct BeatenLimit {
  BandwidthKey limit;
  const stats::RowSummary* by = nullptr;  // the row that beats it most
  double share = 0;                       // of the limit that this row reaches: above 1
  bool elsewhere = false;                 // the row is of the other run, that measured the limits
};

// Refers to the suite and the runs that it was made from: keep them alive.
class Context {
 public:
  // `limits`: a run that measured the machine's limits, nullptr if there is none. Used when the
  // current run has no limits of its own and the host is the same. `releases`: the lines of a
  // tracking log, oldest first; the last one is the current run.
  Context(const Suite& suite, const RunData& current, const RunData* previous,
          const RunData* limits = nullptr, std::span<const Release> releases = {});

  const Suite& suite() const { return suite_; }
  const RunData& current() const { return current_; }
  const RunData* previous() const { return previous_; }
  std::span<const Release> releases() const { return releases_; }
  const std::vector<CaseRow>& rows() const { return rows_; }
  // Rows left out because the run did not ask for them: by its plan or, where that isn't known, by
  // its profile (quick, manual). What it did ask for and has no number for is a row that says so.
  size_t skipped() const { return skipped_; }

  const stats::RowSummary* find(const CaseRow& row, const Selector& selector) const {
    return index_.find(row.text, selector, row.threads);
  }
  // The same on another number of threads.
  const stats::RowSummary* find_on(const CaseRow& row, const Selector& selector,
                                   int threads) const {
    return index_.find(row.text, selector, threads);
  }
  // Every selector of the suite: before, after, also, the pinned targets, peers; no duplicates.
  std::vector<Selector> selectors() const;
  // Other libraries on the same tensors as ours, and those given a layout of their own choice.
  const std::vector<Selector>& plain_peers() const { return plain_peers_; }
  const std::vector<Selector>& layout_peers() const { return layout_peers_; }
  bool has_peers() const { return !plain_peers_.empty(); }
  // The peer's row on at most as many threads, the fastest that has a time: a library may be at its
  // best on fewer. Without a time its row on as many threads, or nullptr.
  const stats::RowSummary* find_peer(const CaseRow& row, const Selector& peer) const;
  // The fastest plain peer that has a time, on at most as many threads; nullptr when none has. Of
  // those held to an instruction set where `ours` is pinned to it, see rival_of().
  const stats::RowSummary* best_peer(const CaseRow& row,
                                     const stats::RowSummary* ours = nullptr) const;
  // The peer that this row of ours is compared with: held to what ours is pinned to below what the
  // machine dispatches to (kHeldTo), else as it is.
  Selector rival_of(const Selector& peer, const CaseRow& row, const stats::RowSummary* ours) const;
  // What ours is compared with in this row: the best peer, in a suite without peers its `before`;
  // nullptr where there is none.
  const stats::RowSummary* rival(const CaseRow& row) const;
  // Did the suite leave out of this row what ours would be compared with, or ours itself?
  bool is_alone(const CaseRow& row) const;
  // Was the peer not there to be compared with in this row: not installed, not measured, wrong or
  // failed, on any number of threads that counts for the row? One that can't do the case is not
  // missing.
  std::optional<MissingPeer> missing_peer(const CaseRow& row, const Selector& peer) const;
  // Of the plain ones, as rival_of() has them; none in a row that ours was not measured in, either.
  std::vector<MissingPeer> missing_peers(const CaseRow& row,
                                         const stats::RowSummary* ours = nullptr) const;

  const Limits& limits() const { return limits_; }
  const Run* limits_run() const { return limits_run_; }        // that measured them; nullptr: none
  const CaseFacts* facts(const std::string& case_text) const;  // nullptr when unknown
  std::optional<Roof> roof(const RowKey& row) const;
  // Were the limits measured by another run than the one that is reported?
  bool has_limits_of_another_run() const {
    return limits_run_ != nullptr && limits_run_ != &current_.run;
  }
  // Bandwidths that a row without doubts, of this run or of the one that measured them, beats by
  // more than the error of measuring and than its own interval allows, in the order of the key.
  // Rows that the suite calls shortcuts beat none: they do less than their case says. Nor do rows
  // whose bytes lie between two levels, or move as no pattern does.
  const std::vector<BeatenLimit>& beaten_limits() const { return beaten_; }
  bool is_beaten(const BandwidthKey& limit) const;
  // May the roof give no share to a row of this time? The memory that bounds it is beaten by this
  // row or, certainly, by another.
  bool in_doubt(const Roof& roof, double wall_ns) const;
  // Ours in a row: the suite's `after` or, where the case names its own variants, those.
  std::vector<Selector> ours_of(const CaseRow& row) const;
  // The row's name, with the variant where the case names its own.
  static std::string own_name(const CaseRow& row, const Selector& selector);
  // All rows of the run that the report shows, each once, in the report's order.
  std::vector<const stats::RowSummary*> shown() const;

  double macs(const std::string& case_text) const;  // 0 when unknown
  stats::Bound bound(const std::string& case_text) const;
  stats::Policy policy() const;

  // after / before of two rows of this run, paired by round; both must be usable (assert).
  stats::Comparison paired(const stats::RowSummary& before, const stats::RowSummary& after) const;
  // The same as a cell.
  Json speedup_cell(const stats::RowSummary* before, const stats::RowSummary* after) const;
  // Ours against the best peer. Where a missing peer might have been better, the verdict is
  // `not judged` and the note says which; slower than one that was there stays slower.
  Json best_peer_cell(const CaseRow& row, const stats::RowSummary* ours) const;
  // How fast the machine is beside the previous run, by the suite's peers in all rows of both runs.
  const std::optional<MachineShift>& machine() const { return machine_; }
  // The same row of the previous run, if both have a time and may be compared; else nullptr.
  const stats::RowSummary* previous_row(const stats::RowSummary& row) const;
  // This run's row against the same row of the previous run, which there must be (assert), and
  // beside what the machine() explains.
  Json previous_cell(const stats::RowSummary* row) const;

 private:
  std::string why_incomparable(const stats::RowSummary& before,
                               const stats::RowSummary& after) const;
  void find_beaten_limits(const RunData* other);
  std::vector<double> peers_over_previous() const;  // now / then of each row of a peer

  const Suite& suite_;
  const RunData& current_;
  const RunData* previous_;
  std::span<const Release> releases_;
  RunIndex index_;
  std::optional<RunIndex> previous_index_;
  std::optional<MachineShift> machine_;
  Limits limits_;
  const Run* limits_run_ = nullptr;
  std::vector<BeatenLimit> beaten_;
  std::vector<Selector> plain_peers_, layout_peers_;
  std::vector<CaseRow> rows_;
  size_t skipped_ = 0;
};

// `hwy@AVX2`
std::string who(const stats::RowSummary& row);

// The verdict of a comparison that a missing peer leaves open.
constexpr const char* kNotJudgedVerdict = "not judged";

// `numpy, torch missing (make peers); onednn wrong`: each peer and reason once, in this order.
std::string missing_text(const std::vector<MissingPeer>& peers);

// `eigen`, or `eigen (1 thread)` beside a row on another number of threads; `eigen@AVX2` where it
// is held to that.
std::string peer_text(const stats::RowSummary& peer, int threads);

// `hwy` for the dispatch, `hwy@AVX2` for a pinned target.
std::string role_text(const Selector& selector);

// The command that measures this row again.
std::string repro_command(const stats::RowSummary& row);

// [{"kind", "who", "text"}]: why a row has no number, doubts, one-time allocations.
Json row_notes(const stats::RowSummary& row);

}  // namespace nsop::report
