// Rows over all runs of a host (store.h).
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/store/history/host_builds.h"
#include "harness/store/history/rows_in_runs.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// What makes history: complete runs that somebody measured for it, on this host.
constexpr const char* kIsHistory =
    "r.host_id = $1 AND r.state = 'complete' AND r.origin IN ('measured', 'imported') "
    "AND r.trust <> 'pr'";

// Of the columns case_text, variant, target, threads, which come first.
RowKey row_key_of(std::span<const Value> row) {
  return {text_of(row[0]), text_of(row[1]), text_of(row[2]),
          static_cast<int>(std::get<long long>(row[3]))};
}

}  // namespace

class HostHistory::Runs {
  struct HistoryRun {
    SharedText id, started_utc, profile;
    size_t place = 0;  // in the order of time
  };

 public:
  Runs(Database& db, const std::string& host_id, size_t newest)
      : db_(db),
        keys_(db,
              "SELECT seq FROM row_key WHERE case_text = :c AND variant = :v AND target = :t AND "
              "threads = :n"),
        builds_(db, host_id) {
    read_runs(host_id, newest);
    for (const auto& [seq, sha256] :
         all<std::tuple<long long, Text>>(db, "SELECT seq, sha256 FROM inputs")) {
      inputs_[seq] = sha256;
    }
  }

  const std::map<std::string, HostBuild>& builds() const { return builds_.by_id(); }

  std::vector<RowInRun> of(const RowKey& row) {
    return db_.guard([&] {
      const std::optional<long long> key = key_of(row);
      return key ? of(*key) : std::vector<RowInRun>();
    });
  }

 private:
  // Whoever asks for some rows will ask for the others: then all keys are read.
  std::optional<long long> key_of(const RowKey& row) {
    constexpr int kAlone = 2;
    if (asked_ < kAlone) {
      ++asked_;
      return keys_.first_value(row.case_text, row.variant, row.target,
                               static_cast<long long>(row.threads));
    }
    if (all_keys_.empty()) {
      for (auto& [seq, text, variant, target, threads] :
           all<std::tuple<long long, Text, Text, Text, long long>>(
               db_, "SELECT seq, case_text, variant, target, threads FROM row_key")) {
        all_keys_[{std::move(text), std::move(variant), std::move(target),
                   static_cast<int>(threads)}] = seq;
      }
    }
    const auto found = all_keys_.find(row);
    return found == all_keys_.end() ? std::nullopt : std::optional(found->second);
  }

  void read_runs(const std::string& host_id, size_t newest) {
    const Text query = "SELECT r.seq, r.id, r.started_utc, r.profile, u.run FROM run r " +
                       join_summary() + " WHERE " + kIsHistory + " ORDER BY r.started_utc, r.seq";
    std::vector<std::tuple<long long, Text, Text, Text, bool>> runs;
    each_in_bulk(db_, query, {host_id}, [&](std::span<const Value> run) {
      runs.emplace_back(std::get<long long>(run[0]), text_of(run[1]), text_of(run[2]),
                        text_of(run[3]), !std::holds_alternative<std::monostate>(run[4]));
    });
    for (size_t i = runs.size() - std::min(newest, runs.size()); i < runs.size(); ++i) {
      auto& [seq, id, started, profile, has_summary] = runs[i];
      runs_[seq] = {std::move(id), std::move(started), std::move(profile), i};
      first_ = std::min(first_, seq);
      // An earlier version stored it, and nobody has opened the database for writing since.
      if (!has_summary) missing_[seq] = summarized(db_, seq);
    }
  }

  std::vector<RowInRun> of(long long key) {
    std::vector<RowInRun> rows;
    std::vector<size_t> places;
    rows.reserve(runs_.size());
    const auto add = [&](const HistoryRun& run, RowInRun row) {
      row.run_id = run.id;
      row.started_utc = run.started_utc;
      row.profile = run.profile;
      rows.push_back(std::move(row));
      places.push_back(run.place);
    };
    if (!rows_) rows_.emplace(db_, first_, runs_.size(), row_reading(db_));
    rows_->each(key, [&](const RowOfRun& kept) {
      const auto run = runs_.find(kept.run);
      if (run == runs_.end() || missing_.contains(run->first)) return;
      add(run->second, row_of(kept));
    });
    for (const auto& [seq, summary] : missing_) {
      const auto own = summary.find(key);
      if (own != summary.end()) add(runs_.at(seq), own->second);
    }
    return in_order(std::move(rows), places);
  }

  static std::vector<RowInRun> in_order(std::vector<RowInRun> rows,
                                        const std::vector<size_t>& places) {
    if (std::is_sorted(places.begin(), places.end())) return rows;
    std::map<size_t, RowInRun> sorted;  // some run came late
    for (size_t i = 0; i < rows.size(); ++i) sorted.emplace(places[i], std::move(rows[i]));
    rows.clear();
    for (auto& [place, row] : sorted) rows.push_back(std::move(row));
    return rows;
  }

  RowInRun row_of(const RowOfRun& kept) const {
    const auto present = [](double value) {
      return value >= 0 ? std::optional(value) : std::nullopt;
    };
    RowInRun row;
    row.build_id = kept_text(builds_.ids(), kept.build);
    row.inputs_sha256 = kept_text(inputs_, kept.inputs);
    row.invocations = kept.invocations;
    row.ns = kept.ns;
    row.wall_ns = kept.wall_ns;
    row.excess = present(kept.excess);
    row.first_ns = present(kept.first_ns);
    row.allocs = present(kept.allocs);
    row.bytes = present(kept.bytes);
    row.status = kept.status;
    return row;
  }

  const SharedText& kept_text(const std::unordered_map<long long, SharedText>& texts,
                              long long seq) const {
    const auto found = texts.find(seq);
    if (found == texts.end()) throw bad_data(db_.path() + ": is damaged; run `nsop db verify`");
    return found->second;
  }

  Database& db_;
  Repeated<std::tuple<long long>, Text, Text, Text, long long> keys_;
  std::map<RowKey, long long> all_keys_;
  int asked_ = 0;
  std::optional<RowsInRuns> rows_;  // from the first question on
  std::unordered_map<long long, HistoryRun> runs_;
  long long first_ = std::numeric_limits<long long>::max();
  HostBuilds builds_;
  std::unordered_map<long long, SharedText> inputs_;
  std::map<long long, RunRows> missing_;
};

HostHistory::HostHistory(std::unique_ptr<Runs> runs) : runs_(std::move(runs)) {}
HostHistory::~HostHistory() = default;
HostHistory::HostHistory(HostHistory&&) noexcept = default;

std::vector<RowInRun> HostHistory::of(const RowKey& row) const { return runs_->of(row); }

const std::map<std::string, HostBuild>& HostHistory::builds() const { return runs_->builds(); }

std::vector<RowKey> Store::row_keys() const {
  return db_->guard([&] {
    std::vector<RowKey> keys;
    each_in_bulk(*db_, "SELECT case_text, variant, target, threads FROM row_key", {},
                 [&](std::span<const Value> row) { keys.push_back(row_key_of(row)); });
    std::ranges::sort(keys);
    return keys;
  });
}

std::vector<std::string> Store::runs_of(const std::string& host_id, const std::string& profile,
                                        const std::string& origin) const {
  return db_->guard([&] {
    std::vector<std::string> runs;
    each<std::tuple<Text>>(
        *db_,
        "SELECT id FROM run WHERE host_id = :h AND profile = :p AND origin = :o AND trust <> 'pr' "
        "ORDER BY started_utc DESC, seq DESC",
        [&](std::tuple<Text>& id) { runs.push_back(std::move(std::get<0>(id))); }, host_id, profile,
        origin);
    return runs;
  });
}

std::map<RowKey, size_t> Store::runs_before(const std::string& host_id,
                                            const std::string& started_utc) const {
  return db_->guard([&] {
    std::map<RowKey, size_t> runs;
    if (!runs_without_summaries(*db_).empty()) {  // row by row
      const HostHistory whole = history(host_id);
      for (const RowKey& row : row_keys()) {
        const std::vector<RowInRun> all = whole.of(row);
        const auto before = std::ranges::count_if(all, [&](const RowInRun& one) {
          return one.ns > 0 && one.started_utc.str() < started_utc;
        });
        if (before > 0) runs[row] = static_cast<size_t>(before);
      }
      return runs;
    }
    // `+`: in the order of rows, where they lie together, and not run by run.
    const Text query =
        "SELECT k.case_text, k.variant, k.target, k.threads, c.runs FROM (SELECT row, COUNT(*) AS "
        "runs FROM run_row WHERE ns > 0 AND +run IN (SELECT r.seq FROM run r WHERE " +
        Text(kIsHistory) +
        " AND r.started_utc < $2) GROUP BY row) c JOIN row_key k ON k.seq = c.row";
    each_in_bulk(*db_, query, {host_id, started_utc}, [&](std::span<const Value> row) {
      runs[row_key_of(row)] = static_cast<size_t>(std::get<long long>(row[4]));
    });
    return runs;
  });
}

HostHistory Store::history(const std::string& host_id, size_t newest) const {
  return db_->guard(
      [&] { return HostHistory(std::make_unique<HostHistory::Runs>(*db_, host_id, newest)); });
}

}  // namespace nsop::store
