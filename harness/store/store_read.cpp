// Reading runs, hosts, builds and invocations (store.h).
#include <fmt/format.h>

#include <map>

#include "harness/store/query.h"
#include "harness/store/rows/invocation_rows.h"
#include "harness/store/rows/rows.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

// RunColumns alone: a plan of a thousand rows takes a millisecond to read.
constexpr const char* kRuns =
    "SELECT r.seq, r.id, r.host_id, r.origin, r.trust, r.profile, r.started_utc, r.ended_utc, "
    "r.state, r.sha256, h.cpu_model FROM run r JOIN host h ON h.id = r.host_id "
    "ORDER BY r.started_utc DESC, r.seq DESC";

// Builds without a known commit (peers) name nothing.
constexpr const char* kRunBuilds =
    "SELECT u.run, CASE b.commit_id WHEN 'unknown' THEN '' ELSE b.commit_id END, SUM(u.ok), "
    "SUM(u.not_ok) FROM run_build u JOIN build b ON b.seq = u.build GROUP BY u.run, b.commit_id "
    "ORDER BY u.run, MIN(b.seq)";

std::string body_by_id(Database& db, const char* what, const std::string& query,
                       const std::string& id) {
  const auto body = first_value<Text>(db, query, id);
  if (!body) throw usage_error(fmt::format("{}: no {} '{}'", db.path(), what, id));
  return *body;
}

std::vector<RunSummary> read_runs(Database& db) {
  std::vector<RunSummary> summaries;
  std::map<long long, size_t> at;
  std::map<std::string, size_t> at_id;
  using RunColumns =
      std::tuple<long long, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text>;
  for (const auto& [seq, id, host, origin, trust, profile, started, ended, state, sha, cpu] :
       all<RunColumns>(db, kRuns)) {
    RunSummary summary;
    Run& run = summary.run;
    run.id = id;
    run.host_id = host;
    run.origin = origin;
    run.trust = trust;
    run.profile = profile;
    run.started_utc = started;
    run.ended_utc = ended;
    run.state = run_state_from_text(state);
    run.sha256 = sha;
    summary.cpu_model = cpu;
    at[seq] = at_id[summary.run.id] = summaries.size();
    summaries.push_back(std::move(summary));
  }
  for (const auto& [seq, commit, ok, not_ok] :
       all<std::tuple<long long, Text, long long, long long>>(db, kRunBuilds)) {
    RunSummary& summary = summaries.at(at.at(seq));
    summary.ok += ok;
    summary.not_ok += not_ok;
    if (!commit.empty()) summary.commits.push_back(commit);
  }
  for (const auto& [name, run_id] :
       all<std::tuple<Text, Text>>(db, "SELECT name, run_id FROM baseline ORDER BY name")) {
    summaries.at(at_id.at(run_id)).baselines.push_back(name);
  }
  return summaries;
}

}  // namespace

Run Store::run(const std::string& run_id) const {
  return db_->guard([&] {
    find_run(*db_, run_id);
    const auto row = first<std::tuple<Text, Text, Text, Text>>(
        *db_, "SELECT body, state, ended_utc, sha256 FROM run WHERE id = :i", run_id);
    if (!row) throw usage_error(fmt::format("no run '{}'", run_id));
    return std::apply(unpack_run, *row);
  });
}

Host Store::host(const std::string& host_id) const {
  return db_->guard([&] {
    const std::string body =
        body_by_id(*db_, "host", "SELECT body FROM host WHERE id = :i", host_id);
    return host_from_json(parse_json(body, db_->path()));
  });
}

Build Store::build(const std::string& build_id) const {
  return db_->guard([&] {
    const std::string body =
        body_by_id(*db_, "build", "SELECT body FROM build WHERE id = :i", build_id);
    return build_from_json(parse_json(body, db_->path()));
  });
}

std::vector<Invocation> Store::invocations(const std::string& run_id) const {
  return db_->guard([&] {
    Transaction snapshot(*db_, Transaction::Kind::kRead);
    std::vector<Invocation> list;
    InvocationReader reader(*db_);
    for (const InvocationRow& row : reader.of_run(find_run(*db_, run_id).seq, run_id)) {
      list.push_back(reader.invocation(row));
    }
    return list;
  });
}

std::vector<RunSummary> Store::runs() const {
  return db_->guard([&] {
    Transaction snapshot(*db_, Transaction::Kind::kRead);
    return read_runs(*db_);
  });
}

std::optional<std::string> Store::previous_run(const std::string& run_id) const {
  return db_->guard([&] {
    find_run(*db_, run_id);
    return first_value<Text>(
        *db_,
        "SELECT p.id FROM run r JOIN run p ON p.host_id = r.host_id AND p.profile = r.profile "
        "WHERE r.id = :i AND p.state = 'complete' AND "
        "(p.started_utc, p.seq) < (r.started_utc, r.seq) "
        "ORDER BY p.started_utc DESC, p.seq DESC LIMIT 1",
        run_id);
  });
}

}  // namespace nsop::store
