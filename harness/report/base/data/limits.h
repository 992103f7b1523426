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

// Relative SD between invocations; a limit above it says nothing.
constexpr double kMostSdOfALimit = 0.1;

enum class Level { kL1, kL2, kL3, kDram };
std::string level_text(Level level);  // `L1`, ..., `DRAM`

// The pattern of memory traffic, by the share of the bytes that is written.
enum class Traffic { kRead, kTriad, kCopy, kWrite };
std::string traffic_text(Traffic traffic);  // `read`, ...

// The level that holds so many bytes when each of the threads works on its share: L1 and L2 belong
// to a core, L3 is common and counts with kMostOfACache at most. DRAM when the host's caches are
// not known.
Level level_of(double bytes, int threads, const Host& host);

// Where a case's bytes are. A cache that holds half of them, but not all, still has some of them at
// the next round: then nobody can tell how many come from it.
struct Held {
  Level from = Level::kDram;  // holds half of what the case moves
  Level to = Level::kDram;    // holds all that it works on
  bool certain() const { return from == to; }
  std::string text() const;  // `L2`, `between L2 and L3`
};
Held held_by(const CaseFacts& facts, int threads, const Host& host);

// What a case writes of the bytes that it moves, by the patterns on both sides of that share: as if
// it did the one after the other. Twice the same pattern where one fits.
struct Mix {
  Traffic less = Traffic::kCopy, more = Traffic::kCopy;  // is written
  double share = 0;                                      // of the bytes that go as `more`
  bool operator==(const Mix&) const = default;
};
// Copy for runs that did not record what was written.
Mix traffic_of(const CaseFacts& facts);

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
  // kMostSdOfALimit, or fewer threads were faster. What lies between two levels is the limit of
  // neither.
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
  Held held;
  // The measurements that memory_ns is made from: the same twice where one pattern fits.
  BandwidthKey bandwidth, other;
  double memory_ns = 0;  // what the bytes take at the bandwidth of the furthest level
  double limit_ns = 0;   // the largest of arithmetic, memory and call
  // Not where memory bounds the case and its bytes lie between two levels: it has no share then.
  bool certain() const { return bound != Bound::kMemory || held.certain(); }
  bool fits_a_pattern() const { return bandwidth == other; }
  // Would the row beat the memory that bounds it, by more than the error of measuring? Then the
  // limit is in doubt: there is no way around bytes as there is around arithmetic.
  bool doubted_by(double wall_ns) const;
  std::string text() const;  // `compute`, `L1`, ..., `DRAM`, `between L2 and L3`, `overhead`
};

// The roofline model (Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785) with a roof
// per cache level. nullopt when a limit that it needs was not measured, or the case has no work.
std::optional<Roof> roof_of(const CaseFacts& facts, int threads, const Limits& limits,
                            const Host& host);

}  // namespace nsop::report
