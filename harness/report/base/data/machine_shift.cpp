#include "harness/report/base/data/machine_shift.h"

#include <fmt/format.h>

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
  if (shift && !shift->moved()) return comparison;
  const double least = shift ? std::min(1.0, shift->ratio) : 1 / (1 + kUnknownMachine);
  const double most = shift ? std::max(1.0, shift->ratio) : 1 + kUnknownMachine;
  const bool explained = (comparison.verdict == Verdict::kBetter && comparison.hi >= least) ||
                         (comparison.verdict == Verdict::kWorse && comparison.lo <= most);
  if (explained || comparison.verdict == Verdict::kSame) {
    comparison.verdict = Verdict::kInconclusive;
    comparison.note.clear();  // was of the other verdict
    if (!shift) {
      comparison.note = fmt::format(
          "another run, and no other library tells how fast the machine was: within {:.0f} % it "
          "may be the machine's change",
          100 * kUnknownMachine);
    }
  }
  return comparison;
}

}  // namespace nsop::report
