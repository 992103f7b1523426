// What the tests of histories and nightly checks share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "harness/core/tensor/random.h"
#include "harness/judge/history/nights.h"
#include "harness/stats/base/distributions.h"

namespace nsop::judge::test {

inline const RowKey kRelu = {"relu n=1", "hwy", "AVX2", 1};
inline const RowKey kTanh = {"tanh n=1", "hwy", "AVX2", 1};

// `count` nights, one per day from 2026-01-01 on, each of a commit of its own (`c000`, `c001`, ...)
// and a run of its own (`run-0`, ...), around 1000 ns with a relative noise.
inline Line quiet_line(size_t count, double sd = 0.004, uint64_t seed = 1) {
  SplitMix64 generator(seed);
  Line line;
  for (size_t i = 0; i < count; ++i) {
    const double u = std::min(std::max(generator.uniform(), 1e-12), 1 - 1e-12);
    Point p;
    p.run_id = fmt::format("run-{}", i);
    p.started_utc = fmt::format("2026-{:02}-{:02}T03:00:00Z", 1 + i / 28, 1 + i % 28);
    p.commit = fmt::format("c{:03}", i);
    p.segment = "gcc | inputs";
    p.ns = 1000 * std::exp(sd * stats::normal_quantile(u));
    p.wall_ns = p.ns;
    p.invocations = 10;
    p.allocs = 0;
    p.bytes = 0;
    line.push_back(p);
  }
  return line;
}

// Gives each night what its fastest repetitions can't see: a mean 10 % above them, and first
// operations of 20 times as much.
inline void add_hidden(Line& line, double sd = 0.004, uint64_t seed = 2) {
  const Line noise = quiet_line(line.size(), sd, seed);
  for (size_t i = 0; i < line.size(); ++i) {
    const double factor = noise[i].ns / 1000;
    line[i].excess = std::log(1.1 * std::max(factor, 0.95));
    line[i].first_ns = 20000 * factor;
  }
}

inline void scale_from(Line& line, size_t index, double factor) {
  for (size_t i = index; i < line.size(); ++i) line[i].ns *= factor;
}

}  // namespace nsop::judge::test
