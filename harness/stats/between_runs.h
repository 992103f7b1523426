// How much the runs of one row differ when nothing changed: learned from its history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nsop::stats {

// The value of a row in one run, in order of time.
struct RunValue {
  double value = 0;     // positive, e.g. ns/op
  int64_t at_s = 0;     // when the run started, seconds since any epoch
  std::string segment;  // toolchain and inputs: values of different segments are never compared
};

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
