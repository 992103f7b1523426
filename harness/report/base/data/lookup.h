// Finds the measured rows that a suite asks for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::report {

// A case of the suite at so many threads: what becomes one row of a report.
struct CaseRow {
  const SuiteCase* from = nullptr;
  std::string text;     // canonical if the run knows it, else as the suite writes it
  std::string differs;  // the parameters that tell it from other rows of its name: `n=1000`
  int threads = 1;
  bool known = false;
  std::string name() const;       // `Conv2D Forward`; the op where the suite gives no label
  std::string full_name() const;  // `ReLU Forward n=1000, 2 threads`
};

// The value of `key` in a case text; empty if it has none.
std::string param(std::string_view case_text, std::string_view key);

// Keys in alphabetical order, numbers by value: equal for two spellings of one case.
std::string normalised(std::string_view case_text);

// The product of the key `n` (`1000`, `32x512`); 0 if the case has none.
double element_count_of(std::string_view case_text);

// The rows of one run by key. Refers to the run's rows: keep them alive.
class RunIndex {
 public:
  // `planned`: further canonical case texts to find a suite's lines by.
  explicit RunIndex(const std::vector<stats::RowSummary>& rows,
                    const std::set<std::pair<std::string, int>>& planned = {});
  const stats::RowSummary* find(const RowKey& key) const;  // nullptr when not measured
  // `best` is the widest ISA among the measured targets of the variant: what its dispatch takes,
  // never the lowest time; a library held to one comes last. Another target is that text or one
  // that is_target() takes for it.
  const stats::RowSummary* find(const std::string& case_text, const Selector& selector,
                                int threads) const;
  // The canonical text of a suite line without sweeps; empty when the run knows no such case.
  std::string canonical(std::string_view line) const;

 private:
  std::map<RowKey, const stats::RowSummary*> rows_;
  std::map<std::string, std::string> canonical_;  // normalised text -> canonical text
};

// Is the peer given tensors in a layout of its own choice? Its name then ends so:
// `onednn_blocked`.
bool has_own_layout(const std::string& peer);

// Position of an ISA target from the widest (0) on; unknown names come last.
int target_rank(const std::string& target);

// The suite's cases in order, sweeps and threads expanded.
std::vector<CaseRow> case_rows(const Suite& suite, const RunIndex& index);

// Does the suite leave the variant out of this case? Then it has no row that could be missing.
bool left_out(const CaseRow& row, const Selector& selector);

// May `row` be shown as a number?
inline bool usable(const stats::RowSummary* row) {
  return row != nullptr && row->status == Status::kOk && row->wall_ns > 0;
}

}  // namespace nsop::report
