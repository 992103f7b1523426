// Reading the table of invocations; the callers own the transactions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/db.h"
#include "harness/store/record/packing.h"

namespace nsop::store {

// Absent numbers are NULL in the table and this on their way: no metric is negative.
inline constexpr double kAbsent = -1;

// Numbers that columns repeat for whoever asks in SQL; nullopt: the invocation doesn't say.
struct RepeatedMetrics {
  std::optional<double> process_cpu_ns, wall_ns, allocs, bytes;  // per operation
  bool operator==(const RepeatedMetrics&) const = default;
};
RepeatedMetrics repeated_metrics(const std::map<std::string, double>& metrics);

struct InvocationRow {
  PackedInvocation packed;
  long long build = 0, row = 0, shape = 0;  // row numbers; shape 0: the body is whole
  std::string body_hash;                    // hash_of(body)
  RepeatedMetrics metrics;
};

// Enough of a body's SHA-256 to find the damaged one; the run's seal covers all of it.
std::string hash_of(const std::string& body_sha256);

// Reads invocations; keeps what they share, so one reader should serve many runs. Throws Error (bad
// data) for rows that have lost what they refer to.
class InvocationReader {
 public:
  explicit InvocationReader(Database& db) : db_(db) {}

  // Of a run, by session, round, slot, phase and id.
  std::vector<InvocationRow> of_run(long long run, const std::string& run_id);
  // The same one by one: a long run is never in memory.
  void each_of_run(long long run, const std::string& run_id,
                   const std::function<void(InvocationRow& row)>& use);
  InvocationRecord record(const InvocationRow& row);
  Composed both(const InvocationRow& row);  // of a row whose body isn't whole
  Invocation invocation(const InvocationRow& row);
  std::string inputs(const InvocationRow& row);  // its inputs_sha256

 private:
  const Shape& shape(const InvocationRow& row);
  const RowKey& key(long long seq, long long run);  // asks for those of the run at once
  const std::string& build(long long seq);

  Database& db_;
  std::map<long long, Shape> shapes_;
  std::map<long long, RowKey> keys_;
  std::map<long long, std::string> builds_;
};

}  // namespace nsop::store
