// How much the runs of one row differ when nothing changed: learned from its history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/text.h"

namespace nsop::stats {

// The value of a row in one run, in order of time.
struct RunValue {
  double value = 0;    // positive, e.g. ns/op
  int64_t at_s = 0;    // when the run started, seconds since any epoch
  SharedText segment;  // toolchain and inputs: values of different segments are never compared
};

// Degrees of freedom that one step gives a tau learned from it. The MAD of independent normal
// values is 0.37 as efficient as their SD (Rousseeuw & Croux 1993,
// doi:10.1080/01621459.1993.10476408), so it is as good as an SD with 0.37 n degrees of freedom;
// successive steps share a run (correlation -1/2), which leaves 1 / (2 n var(ln tau)) = 0.31 over
// 11 to 200 steps of simulated normal runs.
constexpr double kTauDfPerStep = 0.3;

// Runs that a row's history needs before its noise is learned from it.
constexpr int kFewestRunsForTau = 12;

// ln(later / earlier) of runs of one segment that began at least an hour apart, each run used at
// most once on either side: runs of one quarter of an hour see one mood of the machine.
std::vector<double> run_steps(const std::vector<RunValue>& history);

// The standard deviation between runs that such steps show: 1.4826 x median |step| / sqrt(2), so
// that real changes between a minority of the runs don't count; at least 0.001. Nothing for fewer
// than kFewestRunsForTau - 1 steps. It includes the runs' own sampling error, which makes it
// larger, never smaller, than the tau that is meant.
std::optional<double> tau_of_steps(const std::vector<double>& steps);

}  // namespace nsop::stats
