// Rows over all runs of a host (store.h).
#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// What makes history: complete runs that somebody measured for it, on this host.
constexpr const char* kIsHistory =
    "r.host_id = :h AND r.state = 'complete' AND r.origin IN ('measured', 'imported') "
    "AND r.trust <> 'pr'";

// Of a build's body the members from `dirty` to the one before `binary_sha256`, as JSON with an
// empty id and commit: nights have builds that differ in nothing else, and reading one takes as
// long as the rest of a row's history. Of a body that has these keys elsewhere, the body.
std::string made_with(const std::string& body) {
  constexpr std::string_view kFirst = R"("dirty":)", kBehind = R"(,"binary_sha256":)";
  const size_t first = body.find(kFirst), behind = body.find(kBehind);
  const bool once = first != std::string::npos && behind != std::string::npos && first < behind &&
                    body.rfind(kFirst) == first && body.rfind(kBehind) == behind;
  return once ? R"({"id":"","commit":"",)" + body.substr(first, behind - first) + "}" : body;
}

Build without_hashes(Build build) {
  build.link_seed = build.binary_sha256 = build.reference_sha256 = "";
  return build;
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
        rows_(db,
              "SELECT run, build, status, inputs, invocations, ns, wall_ns, excess, first_ns, "
              "allocs, bytes FROM run_row WHERE row = :k AND run >= :f ORDER BY run") {
    read_runs(host_id, newest);
    for (const auto& [seq, id] :
         all<std::tuple<long long, Text>>(db, "SELECT seq, id FROM build")) {
      builds_[seq] = id;
    }
    for (const auto& [seq, sha256] :
         all<std::tuple<long long, Text>>(db, "SELECT seq, sha256 FROM inputs")) {
      inputs_[seq] = sha256;
    }
    // An earlier version stored these, and nobody has opened the database for writing since.
    for (const long long run : runs_without_summaries(db)) {
      if (runs_.contains(run)) missing_[run] = summarized(db, run);
    }
  }

  std::vector<RowInRun> of(const RowKey& row) {
    return db_.guard([&] {
      std::vector<RowInRun> found;
      keys_.each([&](const std::tuple<long long>& key) { found = of(std::get<0>(key)); },
                 row.case_text, row.variant, row.target, static_cast<long long>(row.threads));
      return found;
    });
  }

 private:
  using KeptRow = std::tuple<long long, long long, Text, long long, long long, double, double,
                             double, double, double, double>;

  void read_runs(const std::string& host_id, size_t newest) {
    const Text query = "SELECT r.seq, r.id, r.started_utc, r.profile FROM run r WHERE " +
                       Text(kIsHistory) + " ORDER BY r.started_utc, r.seq";
    auto runs = all<std::tuple<long long, Text, Text, Text>>(db_, query, host_id);
    for (size_t i = runs.size() - std::min(newest, runs.size()); i < runs.size(); ++i) {
      auto& [seq, id, started, profile] = runs[i];
      runs_[seq] = {std::move(id), std::move(started), std::move(profile), i};
      first_ = std::min(first_, seq);
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
    rows_.each(
        [&](const KeptRow& kept) {
          const auto run = runs_.find(std::get<0>(kept));
          if (run == runs_.end() || missing_.contains(run->first)) return;
          add(run->second, row_of(kept));
        },
        key, first_);
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

  RowInRun row_of(const KeptRow& kept) const {
    const auto& [run, build, status, inputs, count, ns, wall_ns, excess, first_ns, allocs, bytes] =
        kept;
    RowInRun row;
    row.build_id = kept_text(builds_, build);
    row.inputs_sha256 = kept_text(inputs_, inputs);
    row.invocations = static_cast<int>(count);
    row.ns = ns;
    row.wall_ns = wall_ns;
    if (excess >= 0) row.excess = excess;
    if (first_ns >= 0) row.first_ns = first_ns;
    if (allocs >= 0) row.allocs = allocs;
    if (bytes >= 0) row.bytes = bytes;
    row.status = status_from_text(status);
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
  Repeated<KeptRow, long long, long long> rows_;
  std::unordered_map<long long, HistoryRun> runs_;
  long long first_ = std::numeric_limits<long long>::max();
  std::unordered_map<long long, SharedText> builds_, inputs_;
  std::map<long long, RunRows> missing_;
};

HostHistory::HostHistory(std::unique_ptr<Runs> runs) : runs_(std::move(runs)) {}
HostHistory::~HostHistory() = default;
HostHistory::HostHistory(HostHistory&&) noexcept = default;

std::vector<RowInRun> HostHistory::of(const RowKey& row) const { return runs_->of(row); }

std::vector<RowKey> Store::row_keys() const {
  return db_->guard([&] {
    std::vector<RowKey> keys;
    for (const auto& [text, variant, target, threads] :
         all<std::tuple<Text, Text, Text, long long>>(
             *db_,
             "SELECT case_text, variant, target, threads FROM row_key "
             "ORDER BY case_text, variant, target, threads")) {
      keys.push_back({text, variant, target, static_cast<int>(threads)});
    }
    return keys;
  });
}

std::set<std::string> Store::commits(const std::string& host_id) const {
  return db_->guard([&] {
    std::set<std::string> commits;
    each<std::tuple<Text>>(
        *db_,
        "SELECT b.commit_id FROM build b WHERE b.seq IN (SELECT u.build FROM run_build u JOIN run "
        "r ON r.seq = u.run WHERE r.host_id = :h)",
        [&](std::tuple<Text>& commit) { commits.insert(std::move(std::get<0>(commit))); }, host_id);
    return commits;
  });
}

std::map<std::string, Build> Store::builds(const std::string& host_id) const {
  return db_->guard([&] {
    std::map<std::string, Build> builds;
    std::map<std::string, Build> made;  // by text of what they were made with
    each<std::tuple<Text, Text, Text>>(
        *db_,
        "SELECT b.id, b.commit_id, b.body FROM build b WHERE b.seq IN (SELECT u.build FROM "
        "run_build u JOIN run r ON r.seq = u.run WHERE r.host_id = :h)",
        [&](std::tuple<Text, Text, Text>& row) {
          auto& [id, commit, body] = row;
          const std::string how = made_with(body);
          const auto [known, fresh] = made.try_emplace(how);
          if (fresh) known->second = without_hashes(build_from_json(parse_json(how, db_->path())));
          Build build = known->second;
          build.id = id;
          build.commit = commit;
          builds.emplace(std::move(id), std::move(build));
        },
        host_id);
    return builds;
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

HostHistory Store::history(const std::string& host_id, size_t newest) const {
  return db_->guard(
      [&] { return HostHistory(std::make_unique<HostHistory::Runs>(*db_, host_id, newest)); });
}

}  // namespace nsop::store
