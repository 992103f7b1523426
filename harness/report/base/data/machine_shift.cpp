#include "harness/report/base/data/machine_shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/report/base/format.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {

bool MachineShift::moved() const { return std::abs(ratio - 1) > kSteadyMachine; }

std::optional<MachineShift> machine_shift(std::vector<double> ratios) {
  constexpr size_t kLeastRows = 5;
  const size_t rows = ratios.size();
  if (rows < kLeastRows) return std::nullopt;
  return MachineShift{stats::median(std::move(ratios)), rows};
}

stats::Comparison beside_machine(stats::Comparison comparison,
                                 const std::optional<MachineShift>& shift) {
  using stats::Verdict;
  if (!shift || !shift->moved()) return comparison;
  const bool explained =
      (comparison.verdict == Verdict::kBetter && comparison.hi >= std::min(1.0, shift->ratio)) ||
      (comparison.verdict == Verdict::kWorse && comparison.lo <= std::max(1.0, shift->ratio));
  if (explained || comparison.verdict == Verdict::kSame) {
    comparison.verdict = Verdict::kInconclusive;
    comparison.note.clear();  // was of the other verdict
  }
  return comparison;
}

std::string machine_text(const std::optional<MachineShift>& shift) {
  if (!shift) {
    return " Too few rows of other libraries are in both: whether the machine is as fast as then "
           "is "
           "not known.";
  }
  if (!shift->moved()) {
    return fmt::format(" The machine is as fast as then by {} rows of other libraries.",
                       shift->rows);
  }
  return fmt::format(
      " The machine differs: other libraries, which are the same, took {} than then (median of {} "
      "rows), and better or worse is only what that doesn't explain.",
      speed_text(1 / shift->ratio), shift->rows);
}

}  // namespace nsop::report
