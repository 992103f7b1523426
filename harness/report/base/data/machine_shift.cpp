#include "harness/report/base/data/machine_shift.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace nsop::report
