#include "harness/store/history/rows_in_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "harness/store/query.h"

namespace nsop::store {
namespace {

constexpr size_t kNeighbours = 32;  // read together: with 2,000 runs 6 MB
constexpr size_t kMostKept = 8;     // groups of them

// Of rows that a condition names; the order is that of the runs for each key, if not among keys.
std::string query_where(const std::string& condition) {
  return "SELECT row, run, build, status, inputs, invocations, ns, wall_ns, excess, first_ns, "
         "allocs, bytes FROM run_row WHERE " +
         condition;
}

// Of so many keys, and behind them the first run.
std::string query_of_keys(size_t keys) {
  std::string places = "$1";
  for (size_t i = 2; i <= keys; ++i) places += fmt::format(", ${}", i);
  return query_where(fmt::format("row IN ({}) AND run >= ${}", places, keys + 1));
}

// In the order of the query.
RowOfRun row_of(std::span<const Value> kept) {
  const auto whole = [&](size_t i) { return std::get<long long>(kept[i]); };
  const auto number = [&](size_t i) { return std::get<double>(kept[i]); };
  RowOfRun row;
  row.run = whole(1);
  row.build = whole(2);
  const auto status = std::get<std::string_view>(kept[3]);
  if (status != "ok") row.status = status_from_text(std::string(status));  // nearly all are
  row.inputs = whole(4);
  row.invocations = static_cast<int>(whole(5));
  row.ns = number(6);
  row.wall_ns = number(7);
  row.excess = number(8);
  row.first_ns = number(9);
  row.allocs = number(10);
  row.bytes = number(11);
  return row;
}

}  // namespace

RowReading row_reading(const Database& db) {
  RowReading reading;
  if (db.backend().lies_by_key()) reading.alone = std::numeric_limits<int>::max();
  return reading;
}

RowsInRuns::RowsInRuns(Database& db, long long first_run, size_t runs, RowReading reading)
    : db_(db),
      one_(db.backend().bulk_query(query_of_keys(1), Expected::kThousands)),
      first_run_(first_run),
      runs_(runs),
      reading_(reading) {}

void RowsInRuns::each(long long key, const std::function<void(const RowOfRun&)>& use) {
  const bool alone = asked_ < reading_.alone;
  if (alone) ++asked_;
  const std::array<Value, 2> asked = {key, first_run_};
  const Group own = alone ? read(*one_, asked) : Group();
  const Group& group = alone ? own : group_of(key);
  const auto found = group.find(key);
  if (found == group.end()) return;
  for (const RowOfRun& row : found->second) use(row);
}

RowsInRuns::Group RowsInRuns::read(BulkQuery& query, std::span<const Value> in) {
  Group group;
  query.each(in, [&](std::span<const Value> kept) {
    group[std::get<long long>(kept[0])].push_back(row_of(kept));
  });
  for (auto& [key, rows] : group) {
    if (!std::ranges::is_sorted(rows, {}, &RowOfRun::run)) {
      std::ranges::sort(rows, {}, &RowOfRun::run);
    }
  }
  return group;
}

const RowsInRuns::Group& RowsInRuns::group_of(long long key) {
  if (all_) return *all_;
  if (!group_) {
    const auto keys = first_value<long long>(db_, "SELECT COUNT(*) FROM row_key").value_or(0);
    if (runs_ <= reading_.most_at_once / static_cast<size_t>(std::max(keys, 1LL))) {
      const std::array<Value, 1> asked = {first_run_};
      return all_.emplace(
          read(*db_.backend().bulk_query(query_where("run >= $1"), Expected::kMore), asked));
    }
    group_ = db_.backend().bulk_query(query_of_keys(kNeighbours), Expected::kMore);
  }
  const long long first = key - key % static_cast<long long>(kNeighbours);
  const auto known = std::ranges::find(kept_, first, &std::pair<long long, Group>::first);
  if (known != kept_.end()) {
    std::rotate(known, known + 1, kept_.end());
    return kept_.back().second;
  }
  std::array<Value, kNeighbours + 1> asked;
  for (size_t i = 0; i < kNeighbours; ++i) asked[i] = first + static_cast<long long>(i);
  asked.back() = first_run_;
  if (kept_.size() == kMostKept) kept_.pop_front();
  return kept_.emplace_back(first, read(*group_, asked)).second;
}

}  // namespace nsop::store
