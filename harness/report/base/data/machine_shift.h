// Was the machine as fast when the previous run was measured? Other libraries tell: their code is
// the same in both runs.
#pragma once

#include <optional>
#include <vector>

#include "harness/stats/comparison.h"

namespace nsop::report {

constexpr double kSteadyMachine = 0.02;  // relative
// What a machine of which nothing is known may differ by, relative: between two comprehensive runs
// of the committed reports, two days apart on one host, other libraries took 12.5 % less time.
constexpr double kUnknownMachine = 0.15;

// What other libraries took in this run over the previous one.
struct MachineShift {
  double ratio = 1;  // median of the rows
  size_t rows = 0;
  bool moved() const;  // by more than kSteadyMachine
};

// Of the ratios now / then, one per row; nullopt: fewer than 5 rows.
std::optional<MachineShift> machine_shift(std::vector<double> ratios);

// The comparison of a row, beside a machine that moved: better or worse only where the whole
// interval lies beyond what the machine explains, too; never the same. Without a shift the machine
// explains up to kUnknownMachine either way, and the note says so.
stats::Comparison beside_machine(stats::Comparison comparison,
                                 const std::optional<MachineShift>& shift);

}  // namespace nsop::report
