// What runs keep of their rows (table run_row), row by row.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/sample.h"
#include "harness/store/db.h"

namespace nsop::store {

// A row of the table; -1: not known.
struct RowOfRun {
  long long run = 0, build = 0, inputs = 0;
  Status status = Status::kOk;
  int invocations = 0;
  double ns = 0, wall_ns = 0, excess = -1, first_ns = -1, allocs = -1, bytes = -1;
};

// How rows of several keys are read.
struct RowReading {
  int alone = 2;                          // so many rows are read by themselves
  size_t most_at_once = size_t{1} << 18;  // rows of all runs: 25 MB
};
RowReading row_reading(const Database& db);  // alone: all, of a file

// Each question to a server is a way there and back. So after some rows neighbours are read
// together, and kept until some others have been read; of few runs everything is.
class RowsInRuns {
 public:
  // Of this run and those that were stored after it, about so many. `db` must outlive it.
  RowsInRuns(Database& db, long long first_run, size_t runs, RowReading reading);

  // Calls use(row) for each run that has the row of this key (row_key.seq), in the order of `run`.
  // Throws Error.
  void each(long long key, const std::function<void(const RowOfRun&)>& use);

 private:
  using Group = std::map<long long, std::vector<RowOfRun>>;  // by key
  static Group read(BulkQuery& query, std::span<const Value> in);
  const Group& group_of(long long key);

  Database& db_;
  std::unique_ptr<BulkQuery> one_, group_;
  long long first_run_;
  size_t runs_;
  RowReading reading_;
  int asked_ = 0;
  std::optional<Group> all_;
  std::deque<std::pair<long long, Group>> kept_;  // by the first key; the last one is the newest
};

}  // namespace nsop::store
