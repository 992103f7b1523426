#include "harness/store/rows/rows.h"

#include <fmt/format.h>

#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/rows/invocation_rows.h"

namespace nsop::store {
namespace {

using Text = std::string;

}  // namespace

void insert_host(Database& db, const Host& host, const std::string& body) {
  check_id("host", host.id, 128);
  if (first_value<Text>(db, "SELECT id FROM host WHERE id = :i", host.id)) return;
  db.backend().lock("texts", false);
  execute(db, "INSERT INTO host (id, cpu_model, body) VALUES (:i, :c, :b) ON CONFLICT DO NOTHING",
          host.id, host.cpu_model, body);
}

void insert_build(Database& db, const Build& build, const std::string& body) {
  check_id("build", build.id, 128);
  if (first_value<Text>(db, "SELECT id FROM build WHERE id = :i", build.id)) return;
  db.backend().lock("texts", false);
  execute(db, "INSERT INTO build (id, commit_id, body) VALUES (:i, :c, :b) ON CONFLICT DO NOTHING",
          build.id, build.commit, body);
}

long long insert_run(Database& db, const std::string& body) {
  const Run run = unpack_run(body, "running", "", "");
  check_run(run);
  if (!first_value<std::string>(db, "SELECT id FROM host WHERE id = :h", run.host_id)) {
    throw bad_data(fmt::format("unknown host '{}'; store the host first", run.host_id));
  }
  return insert(db,
                "INSERT INTO run (id, host_id, origin, trust, profile, started_utc, ended_utc, "
                "state, sha256, body) VALUES (:i, :h, :o, :t, :p, :s, '', 'running', '', :b) "
                "RETURNING seq",
                run.id, run.host_id, run.origin, run.trust, run.profile, run.started_utc, body);
}

void restate_run(Database& db, const std::string& body) {
  const Run run = unpack_run(body, "running", "", "");
  check_run(run);
  const auto same = first_value<long long>(
      db,
      "SELECT 1 FROM run WHERE id = :i AND host_id = :h AND origin = :o AND trust = :t AND profile "
      "= :p",
      run.id, run.host_id, run.origin, run.trust, run.profile);
  if (!same) {
    throw bad_data(
        fmt::format("run {} is there already, of another host, origin, trust or profile", run.id));
  }
  execute(db, "UPDATE run SET started_utc = :s, body = :b WHERE id = :i", run.started_utc, body,
          run.id);
}

void set_state(Database& db, const std::string& run_id, const std::string& state,
               const std::string& ended_utc, const std::string& sha256) {
  execute(db, "UPDATE run SET state = :s, ended_utc = :e, sha256 = :h WHERE id = :i", state,
          ended_utc, sha256, run_id);
}

void remove_unused_texts(Database& db) {
  execute(db, "DELETE FROM shape WHERE seq NOT IN (SELECT shape FROM invocation WHERE shape > 0)");
  execute(db, "DELETE FROM inputs WHERE seq NOT IN (SELECT inputs FROM run_row)");
}

RunRow find_run(Database& db, const std::string& run_id) {
  const auto row = first<std::tuple<long long, std::string>>(
      db, "SELECT seq, state FROM run WHERE id = :i", run_id);
  if (!row) {
    throw usage_error(
        fmt::format("{}: no run '{}'; `nsop list runs` shows them", db.path(), run_id));
  }
  return {std::get<0>(*row), std::get<1>(*row)};
}

RunRecord load_head(Database& db, const std::string& run_id) {
  const long long seq = find_run(db, run_id).seq;
  const auto run = first<std::tuple<Text, Text, Text, Text, Text>>(
      db,
      "SELECT r.body, r.state, r.ended_utc, r.sha256, h.body FROM run r JOIN host h ON h.id = "
      "r.host_id WHERE r.seq = :s",
      seq);
  if (!run) throw bad_data(fmt::format("{}: run {} has lost its host", db.path(), run_id));
  RunRecord record;
  std::tie(record.body, record.state, record.ended_utc, record.sha256, record.host) = *run;
  for (auto& [id, body] : all<std::tuple<Text, Text>>(
           db,
           "SELECT b.id, b.body FROM build b JOIN run_build u ON u.build = b.seq "
           "WHERE u.run = :s",
           seq)) {
    record.builds[id] = body;
  }
  return record;
}

RunRecord load_record(Database& db, const std::string& run_id) {
  RunRecord record = load_head(db, run_id);
  InvocationReader reader(db);
  for (const InvocationRow& row : reader.of_run(find_run(db, run_id).seq, run_id)) {
    record.invocations.push_back(reader.record(row));
  }
  return record;
}

}  // namespace nsop::store
