// What the machine can do at most, as the limits suite measured it, and where a row stands to it.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/report/base/data/run_data.h"

namespace nsop::report {

enum class Level { kL1, kL2, kL3, kDram };
std::string level_text(Level level);  // `L1`, ..., `DRAM`

// The pattern of memory traffic, by the share of the bytes that is written.
enum class Traffic { kRead, kTriad, kCopy, kWrite };
std::string traffic_text(Traffic traffic);  // `read`, ...

// The level that holds so many bytes when each of the threads works on its share: L1 and L2 belong
// to a core, L3 is common and counts with kMostOfACache at most. DRAM when the host's caches are
// not known.
Level level_of(double bytes, int threads, const Host& host);

// The nearest of the four patterns (nothing, a third, half, all of it written); copy for runs that
// did not record what was written.
Traffic traffic_of(const CaseFacts& facts);

// The largest that was measured.
struct Limit {
  double value = 0;
  bool certain = false;
};

// Which bandwidth of memory: of a level, for a pattern of traffic, on so many threads.
struct BandwidthKey {
  Level level = Level::kDram;
  Traffic traffic = Traffic::kCopy;
  int threads = 1;
  auto operator<=>(const BandwidthKey&) const = default;
};
std::string bandwidth_text(const BandwidthKey& key);  // `L2 triad on 1 thread`

// The rows of ops `peak_flops`, `stream` and `nop` of a run.
class Limits {
 public:
  Limits() = default;  // of no run: knows nothing
  explicit Limits(const RunData& source);

  bool empty() const { return peak_.empty() && bandwidth_.empty(); }
  // nullopt where nothing was measured or what was is in doubt: its invocations differ by more than
  // 10 % (relative SD), or fewer threads were faster.
  // Floating-point operations per ns of the fastest instruction set.
  std::optional<double> peak(int threads) const;
  std::optional<double> peak(const std::string& target, int threads) const;
  // Bytes per ns: the largest of the sizes that the level holds, and of plain and non-temporal
  // stores. L1 and L2 of several threads are that many times those of one where they were not
  // measured; L3 and DRAM are common and must have been.
  std::optional<double> bandwidth(Level level, Traffic traffic, int threads) const;
  // The measurement that bandwidth() is made from: on one thread where it is a multiple of it.
  BandwidthKey measured(Level level, Traffic traffic, int threads) const;
  double call_ns() const { return call_ns_; }  // of an operation that does nothing; 0: unknown

 private:
  void add_bandwidth(const stats::RowSummary& row, const CaseFacts& facts, const Host& host);

  std::map<std::pair<std::string, int>, Limit> peak_;  // by target and threads
  std::map<BandwidthKey, Limit> bandwidth_;
  double call_ns_ = 0;
};

// Did the run have cases that measure limits? Says nothing about their success.
bool measured_limits(const Run& run);

// Where the time of a case must go on this machine.
struct Roof {
  enum class Bound { kCompute, kMemory, kOverhead };
  Bound bound = Bound::kCompute;
  Level level = Level::kDram;  // that holds the working set
  BandwidthKey bandwidth;      // the measurement that memory_ns is made from
  double memory_ns = 0;        // what the bytes take at the level's bandwidth
  double limit_ns = 0;         // the largest of arithmetic, memory and call
  // Would the row beat the memory that bounds it, by more than measuring errs? Then the limit is in
  // doubt: there is no way around bytes as there is around arithmetic.
  bool doubted_by(double wall_ns) const;
  std::string text() const;  // `compute`, `L1`, ..., `DRAM`, `overhead`
};

// The roofline model (Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785) with a roof
// per cache level. nullopt when a limit that it needs was not measured, or the case has no work.
std::optional<Roof> roof_of(const CaseFacts& facts, int threads, const Limits& limits,
                            const Host& host);

}  // namespace nsop::report
