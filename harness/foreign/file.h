// What a file of another tool says, before it is stored: runs of rows of samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/sample.h"
#include "harness/foreign/name.h"

namespace nsop::foreign {

// One measured time.
struct ForeignSample {
  double ns = 0;           // of one operation
  int64_t iterations = 0;  // that it is the mean of; 0: the file doesn't say
  double cpu_ns = 0;       // process CPU time of one operation; 0: unknown
  double thread_cpu_ns = 0;
  int process = 0;                          // samples of one number come from one process
  std::map<std::string, double> metrics{};  // counters that the tool names
};

// What was seen of a row, in its order: all of it, or, of more than `most`, evenly spaced ones.
// Memory is bounded, and the median of what is kept estimates that of all.
template <typename T>
class SpacedList {
 public:
  static constexpr size_t kMost = 1000;
  explicit SpacedList(size_t most = kMost) : most_(most) {}  // an even number
  void add(const T& one) {
    if (seen_++ % stride_ != 0) return;
    if (kept_.size() >= most_) {
      halve();
      if ((seen_ - 1) % stride_ != 0) return;
    }
    kept_.push_back(one);
  }
  // From now on fewer are kept.
  void limit(size_t most) {
    most_ = most;
    while (kept_.size() > most_) halve();
  }
  const std::vector<T>& kept() const { return kept_; }
  int64_t seen() const { return seen_; }

 private:
  void halve() {
    const size_t half = (kept_.size() + 1) / 2;
    for (size_t i = 0; i < half; ++i) kept_[i] = kept_[2 * i];
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(half), kept_.end());
    stride_ *= 2;
  }

  std::vector<T> kept_;
  size_t most_;
  int64_t seen_ = 0, stride_ = 1;
};
using SampleList = SpacedList<ForeignSample>;

// What operations allocated: pairs of allocations and bytes, both per operation.
class AllocList {
 public:
  using Pair = std::pair<double, double>;
  void emplace_back(double allocs, double bytes);
  bool empty() const { return list_.seen() == 0; }
  const Pair& back() const { return last_; }
  const std::vector<Pair>& kept() const { return list_.kept(); }
  bool steady() const { return steady_; }  // all that were seen are equal

 private:
  static constexpr size_t kMostPairs = 100;
  SpacedList<Pair> list_{kMostPairs};
  Pair last_;
  bool steady_ = true;
};

// Whole numbers, as few ranges: numbers that count up take no memory.
class IndexSet {
 public:
  static constexpr size_t kMostRanges = 100'000;
  // Was it new? Throws Error (bad data) for numbers that are more ranges than that.
  bool insert(int64_t index);
  bool empty() const { return last_by_first_.empty(); }

 private:
  std::map<int64_t, int64_t> last_by_first_;
};

struct ForeignRow {
  Identity identity;
  int threads = 1;
  SampleList samples;
  std::string summary;  // `median of 5 repetitions`: the one sample is that; empty: it was measured
  Status status = Status::kOk;  // for anything else there are no samples
  std::string reason;
  AllocList allocs_and_bytes;  // of every sample that has both
  IndexSet repetitions;        // indices that were there
};

// Where and with what a run was measured, as far as the file says; empty: it doesn't.
struct ForeignContext {
  std::string tool_version, started_utc, host, cpu_model, os;
  int cpus = 0;
  std::string commit, compiler, build_type;
  bool dirty = false;
};

struct ForeignRun {
  ForeignContext context;
  std::vector<ForeignRow> rows;
};

// Rows or samples that were not stored, and why.
struct LeftOut {
  int64_t count = 0;
  std::string first;  // the name of the first one
};

// What one reader makes of one file. Of a file with more than kMostKept samples fewer of each row
// are kept, but kFewestOfRow at least. Throws Error (bad data) for two rows of one identity.
class ForeignFile {
 public:
  static constexpr size_t kMostKept = 20'000, kFewestOfRow = 16;
  explicit ForeignFile(std::string where) : where_(std::move(where)) {}

  // ---- for readers
  // What follows belongs to another run; the first one is there from the start.
  void begin_run(ForeignContext context);
  ForeignContext& context() { return runs_.back().context; }
  void count_row() { ++rows_read_; }
  // Why a row, or a part of one, is not stored.
  void leave_out(const std::string& reason, const std::string& name, int64_t count = 1);
  // A time of a row; left out, with the reason, where nothing can have taken so long. `repetition`
  // tells samples of a row apart; without one there may be a single sample. The row, to be
  // completed; nullptr: it was left out.
  ForeignRow* add_sample(const Identity& identity, int threads, const ForeignSample& sample,
                         std::optional<int64_t> repetition);
  // A row of which only a summary is known.
  ForeignRow* add_summary(const Identity& identity, int threads, double ns,
                          const std::string& summary);
  void add_failure(const Identity& identity, int threads, Status status, const std::string& reason);
  bool has_row(const Identity& identity, int threads) const {
    return rows_by_identity_.contains({identity, threads});
  }

  // ---- what was read
  const std::string& where() const { return where_; }
  const std::vector<ForeignRun>& runs() const { return runs_; }
  int64_t rows_read() const { return rows_read_; }
  const std::map<std::string, LeftOut>& left_out() const { return left_out_; }
  bool truncated = false;  // and what was complete is there

 private:
  ForeignRow& row_of(const Identity& identity, int threads);
  void keep(ForeignRow& row, const ForeignSample& sample);
  [[noreturn]] void throw_twice(const Identity& identity) const;
  // Why it isn't stored; empty: it can be.
  static std::string problem_of(const ForeignSample& sample);

  std::string where_;
  std::vector<ForeignRun> runs_{1};
  std::map<std::pair<Identity, int>, size_t> rows_by_identity_;  // of the run that is read
  std::map<std::string, LeftOut> left_out_;
  int64_t rows_read_ = 0;
  size_t kept_ = 0, most_of_row_ = SampleList::kMost;  // samples of all rows; of one
};

}  // namespace nsop::foreign
