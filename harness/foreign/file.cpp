#include "harness/foreign/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::foreign {
namespace {

constexpr double kLeastNs = 1e-3;
constexpr double kMostNs = 9e15;  // 104 days: what the store holds
constexpr size_t kMostRows = 200'000;
constexpr size_t kMostText = 120;  // bytes of a name in a message

std::string short_name(const std::string& name) {
  const std::string shown = printable(name);
  return shown.size() <= kMostText ? shown : printable(shown.substr(0, kMostText)) + "...";
}

}  // namespace

void AllocList::emplace_back(double allocs, double bytes) {
  const Pair pair{allocs, bytes};
  steady_ = steady_ && (empty() || pair == last_);
  last_ = pair;
  list_.add(pair);
}

bool IndexSet::insert(int64_t index) {
  const auto after = last_by_first_.upper_bound(index);  // the range behind it
  const bool joins_after = after != last_by_first_.end() && after->first - 1 == index;
  if (after != last_by_first_.begin()) {
    const auto before = std::prev(after);
    if (index <= before->second) return false;
    if (before->second == index - 1) {
      before->second = joins_after ? after->second : index;
      if (joins_after) last_by_first_.erase(after);
      return true;
    }
  }
  const int64_t last = joins_after ? after->second : index;
  if (joins_after) last_by_first_.erase(after);
  if (last_by_first_.size() >= kMostRanges) {
    throw bad_data("the repetitions of a row are numbered too wildly: " +
                   fmt::format("more than {} gaps", kMostRanges));
  }
  last_by_first_[index] = last;
  return true;
}

void ForeignFile::begin_run(ForeignContext context) {
  if (!runs_.back().rows.empty()) runs_.emplace_back();
  runs_.back().context = std::move(context);
  rows_by_identity_.clear();
}

void ForeignFile::leave_out(const std::string& reason, const std::string& name, int64_t count) {
  LeftOut& one = left_out_[reason];
  if (one.count == 0) one.first = short_name(name);
  one.count += count;
}

std::string ForeignFile::problem_of(const ForeignSample& sample) {
  if (!std::isfinite(sample.ns)) return "the time is no number";
  if (sample.ns == 0) return "the time is 0: nothing was measured";
  if (sample.ns < 0) return "the time is negative";
  if (sample.ns < kLeastNs) return "the time is below a picosecond: nothing was measured";
  if (sample.ns > kMostNs) return "the time is above 104 days";
  if (sample.iterations < 0) return "the number of iterations is negative";
  return {};
}

void ForeignFile::throw_twice(const Identity& identity) const {
  throw bad_data(fmt::format(
      "{}: '{}' is there twice, and no repetition index tells the two apart: give one of them "
      "another name, or import them as two files",
      where_, short_name(display_name(identity))));
}

ForeignRow& ForeignFile::row_of(const Identity& identity, int threads) {
  std::vector<ForeignRow>& rows = runs_.back().rows;
  const auto [at, is_new] = rows_by_identity_.try_emplace({identity, threads}, rows.size());
  if (is_new) {
    if (rows.size() >= kMostRows) {
      throw bad_data(fmt::format("{}: more than {} rows in a run", where_, kMostRows));
    }
    rows.emplace_back();
    rows.back().identity = identity;
    rows.back().threads = threads;
    rows.back().samples.limit(most_of_row_);
  }
  return rows[at->second];
}

void ForeignFile::keep(ForeignRow& row, const ForeignSample& sample) {
  const size_t before = row.samples.kept().size();
  row.samples.add(sample);
  kept_ = kept_ + row.samples.kept().size() - before;
  if (kept_ <= kMostKept || most_of_row_ <= kFewestOfRow) return;
  most_of_row_ = std::max(most_of_row_ / 4 * 2, kFewestOfRow);
  kept_ = 0;
  for (ForeignRun& run : runs_) {
    for (ForeignRow& one : run.rows) {
      one.samples.limit(most_of_row_);
      kept_ += one.samples.kept().size();
    }
  }
}

ForeignRow* ForeignFile::add_sample(const Identity& identity, int threads,
                                    const ForeignSample& sample,
                                    std::optional<int64_t> repetition) {
  if (const std::string problem = problem_of(sample); !problem.empty()) {
    leave_out(problem, display_name(identity));
    return nullptr;
  }
  const bool known = has_row(identity, threads);
  ForeignRow& row = row_of(identity, threads);
  if (row.status != Status::kOk) {
    leave_out("another repetition of the row failed", display_name(identity));
    return nullptr;
  }
  if (known && (!repetition || row.repetitions.empty())) throw_twice(identity);
  if (repetition && !row.repetitions.insert(*repetition)) throw_twice(identity);
  keep(row, sample);
  return &row;
}

ForeignRow* ForeignFile::add_summary(const Identity& identity, int threads, double ns,
                                     const std::string& summary) {
  ForeignRow* row = add_sample(identity, threads, {.ns = ns}, std::nullopt);
  if (row != nullptr) row->summary = summary;
  return row;
}

void ForeignFile::add_failure(const Identity& identity, int threads, Status status,
                              const std::string& reason) {
  ForeignRow& row = row_of(identity, threads);
  if (row.samples.seen() > 0) {
    leave_out("another repetition of the row failed", display_name(identity), row.samples.seen());
  }
  row.samples = SampleList(most_of_row_);
  row.summary.clear();
  row.allocs_and_bytes = {};
  row.status = status;
  row.reason = short_name(reason);
}

}  // namespace nsop::foreign
