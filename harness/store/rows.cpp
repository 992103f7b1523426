#include "harness/store/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/record/metrics.h"

namespace nsop::store {
namespace {

using Text = std::string;

long long row_key(Database& db, const RowKey& row) {
  const auto threads = static_cast<long long>(row.threads);
  const auto known = first_value<long long>(
      db,
      "SELECT seq FROM row_key WHERE case_text = :c AND variant = :v AND target = :t AND "
      "threads = :n",
      row.case_text, row.variant, row.target, threads);
  if (known) return *known;
  execute(db, "INSERT INTO row_key (case_text, variant, target, threads) VALUES (:c, :v, :t, :n)",
          row.case_text, row.variant, row.target, threads);
  return db.last_row();
}

long long build_row(Database& db, const std::string& build_id) {
  const auto seq = first_value<long long>(db, "SELECT seq FROM build WHERE id = :i", build_id);
  if (!seq) throw bad_data(fmt::format("unknown build '{}'; store the build first", build_id));
  return *seq;
}

bool insert_value(Database& db, long long invocation, const std::string& name, double value) {
  return execute(db,
                 "INSERT INTO metric_value (invocation, metric, value) "
                 "SELECT :i, seq, :v FROM metric WHERE name = :n",
                 invocation, value, name) == 1;
}

void insert_metric(Database& db, long long invocation, const std::string& name, double value) {
  if (insert_value(db, invocation, name, value)) return;
  const auto infos = all_metrics();
  const auto info = std::find_if(infos.begin(), infos.end(),
                                 [&](const MetricInfo& one) { return name == one.name; });
  if (info == infos.end()) return;  // of a newer nsop: it stays in the body only
  execute(db, "INSERT INTO metric (name, unit, better, kind, clock) VALUES (:n, :u, :b, :k, :c)",
          name, std::string(info->unit), std::string(info->better), std::string(info->kind),
          std::string(info->clock));
  insert_value(db, invocation, name, value);
}

void count_invocation(Database& db, long long run, long long build, bool ok) {
  execute(db,
          "INSERT INTO run_build (run, build, ok, not_ok) VALUES (:r, :b, :o, :n) "
          "ON CONFLICT DO UPDATE SET ok = ok + excluded.ok, not_ok = not_ok + excluded.not_ok",
          run, build, ok ? 1LL : 0LL, ok ? 0LL : 1LL);
}

}  // namespace

void insert_host(Database& db, const Host& host, const std::string& body) {
  check_id("host", host.id, 128);
  execute(db, "INSERT INTO host (id, cpu_model, body) VALUES (:i, :c, :b) ON CONFLICT DO NOTHING",
          host.id, host.cpu_model, body);
}

void insert_build(Database& db, const Build& build, const std::string& body) {
  check_id("build", build.id, 128);
  execute(db, "INSERT INTO build (id, commit_id, body) VALUES (:i, :c, :b) ON CONFLICT DO NOTHING",
          build.id, build.commit, body);
}

long long insert_run(Database& db, const std::string& body) {
  const Run run = unpack_run(body, "running", "", "");
  check_run(run);
  if (!first_value<std::string>(db, "SELECT id FROM host WHERE id = :h", run.host_id)) {
    throw bad_data(fmt::format("unknown host '{}'; store the host first", run.host_id));
  }
  execute(db,
          "INSERT INTO run (id, host_id, origin, trust, profile, started_utc, ended_utc, state, "
          "sha256, body) VALUES (:i, :h, :o, :t, :p, :s, '', 'running', '', :b)",
          run.id, run.host_id, run.origin, run.trust, run.profile, run.started_utc, body);
  return db.last_row();
}

void insert_invocation(Database& db, long long run, const InvocationRecord& record) {
  const StatedInvocation stated = read_record(record);
  const Invocation& one = stated.invocation;
  check_invocation(one);
  const long long build = build_row(db, one.build_id);
  execute(
      db,
      "INSERT INTO invocation (id, run, session, round, slot, phase, build, row, status, "
      "inputs_sha256, body, samples, samples_sha256) VALUES (:i, :run, :session, :round, :slot, "
      ":phase, :build, :row, :status, :inputs, :body, NULLIF(:samples, ''), :sha)",
      one.id, run, static_cast<long long>(one.session), static_cast<long long>(one.round),
      static_cast<long long>(one.slot), std::string(one.phase == Phase::kTime ? "time" : "count"),
      build, row_key(db, one.row), status_text(one.status), one.inputs_sha256, record.body,
      record.samples, stated.samples_sha256);
  const long long seq = db.last_row();
  for (const auto& [name, value] : stated.metrics) insert_metric(db, seq, name, value);
  count_invocation(db, run, build, one.status == Status::kOk);
}

void set_state(Database& db, const std::string& run_id, const std::string& state,
               const std::string& ended_utc, const std::string& sha256) {
  execute(db, "UPDATE run SET state = :s, ended_utc = :e, sha256 = :h WHERE id = :i", state,
          ended_utc, sha256, run_id);
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

RunRecord load_record(Database& db, const std::string& run_id) {
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
  for (auto& [body, samples] : all<std::tuple<Text, Text>>(
           db,
           "SELECT body, COALESCE(samples, '') FROM invocation WHERE run = :s "
           "ORDER BY session, round, slot, phase, id",
           seq)) {
    record.invocations.push_back({body, samples});
  }
  return record;
}

}  // namespace nsop::store
