// Is everything in the database what was stored? SQLite itself notices few bit flips, so every text
// is checked against its hash and every column against the text it repeats.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/core/hash.h"
#include "harness/store/alert_digest.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/digest.h"
#include "harness/store/record/thinning.h"
#include "harness/store/rows.h"
#include "harness/store/schema.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;
using Problems = std::vector<std::string>;

constexpr size_t kMaxProblems = 100;

void check_pages(Database& db, Problems& problems) {
  for (const auto& [line] : all<std::tuple<Text>>(db, "PRAGMA integrity_check")) {
    if (line != "ok") problems.push_back("database file: " + line);
  }
  for (const auto& [table, parent] : all<std::tuple<Text, Text>>(
           db, "SELECT \"table\", parent FROM pragma_foreign_key_check()")) {
    problems.push_back(fmt::format("orphan: a row of {} has lost its {}", table, parent));
  }
}

void check_ledger(Database& db, Problems& problems) {
  for (const Migration& migration : all_migrations()) {
    const auto sha = first_value<Text>(db, "SELECT sha256 FROM schema_migration WHERE version = :v",
                                       static_cast<long long>(migration.version));
    if (!sha || *sha != sha256_hex(migration.sql)) {
      problems.push_back(fmt::format("migration {}: the ledger has another text than this nsop",
                                     migration.version));
    }
  }
}

// Tables, indices and triggers are those of the migrations, no more and no fewer.
void check_objects(Database& db, Problems& problems) {
  using Object = std::tuple<Text, Text, Text>;
  constexpr const char* kObjects =
      "SELECT type, name, COALESCE(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' "
      "ESCAPE '@' ORDER BY type, name";
  Database fresh(db.path(), Database::Raw{"mode=memory"});  // in memory, whatever its name
  migrate(fresh, all_migrations());
  const std::vector<Object> wanted = all<Object>(fresh, kObjects),
                            there = all<Object>(db, kObjects);
  const auto tell = [&](const std::vector<Object>& of, const std::vector<Object>& but,
                        const char* what) {
    for (const Object& one : of) {
      if (std::find(but.begin(), but.end(), one) != but.end()) continue;
      problems.push_back(fmt::format("{} {}: {}", std::get<0>(one), std::get<1>(one), what));
    }
  };
  tell(wanted, there, "is missing or not what the migrations made");
  tell(there, wanted, "is none that the migrations made");
}

// Where every baseline points is what its last event says.
void check_baselines(Database& db, Problems& problems) {
  using Pointer = std::tuple<Text, Text, Text, Text, Text>;
  const auto pointers = all<Pointer>(
      db, "SELECT name, host_id, run_id, reason, set_utc FROM baseline ORDER BY name, host_id");
  const auto said = all<Pointer>(
      db,
      "SELECT name, host_id, run_id, reason, at_utc FROM baseline_event e WHERE action <> 'remove' "
      "AND seq = (SELECT MAX(seq) FROM baseline_event WHERE name = e.name AND host_id = e.host_id) "
      "ORDER BY name, host_id");
  if (pointers != said) problems.emplace_back("baselines: not what their last events say");
}

void check_alerts(Database& db, Problems& problems) {
  using Row = std::tuple<Text, Text, Text, Text, Text, Text, Text>;
  for (const auto& [id, alert, host, action, at, body, sha] : all<Row>(
           db, "SELECT id, alert_id, host_id, action, at_utc, body, sha256 FROM alert_event")) {
    if (alert_event_digest({id, alert, host, action, at, body}) != sha) {
      problems.push_back(fmt::format("event {} of an alert doesn't have its SHA-256", id));
    }
  }
}

// The columns that repeat parts of the body, as one tuple.
using Columns = std::tuple<Text, Text, long long, long long, long long, Text, Text, Text, Text,
                           Text, long long, Text, Text, Text>;

constexpr const char* kColumns =
    "SELECT i.id, r.id, i.session, i.round, i.slot, i.phase, b.id, k.case_text, k.variant, "
    "k.target, "
    "k.threads, i.status, i.inputs_sha256, i.samples_sha256 FROM invocation i "
    "JOIN run r ON r.seq = i.run JOIN build b ON b.seq = i.build JOIN row_key k ON k.seq = i.row "
    "WHERE i.run = :s ORDER BY i.session, i.round, i.slot, i.phase, i.id";

Columns columns_of(const StatedInvocation& stated) {
  const Invocation& i = stated.invocation;
  return {i.id,
          i.run_id,
          i.session,
          i.round,
          i.slot,
          i.phase == Phase::kTime ? "time" : "count",
          i.build_id,
          i.row.case_text,
          i.row.variant,
          i.row.target,
          i.row.threads,
          status_text(i.status),
          i.inputs_sha256,
          stated.samples_sha256};
}

// What the table says of a run's invocations, by their ids.
using Metrics = std::map<std::string, std::map<std::string, double>>;

Metrics metrics_of_run(Database& db, long long seq) {
  Metrics metrics;
  for (const auto& [id, name, value] : all<std::tuple<Text, Text, double>>(
           db,
           "SELECT i.id, m.name, v.value FROM invocation i JOIN metric_value v ON v.invocation = "
           "i.seq JOIN metric m ON m.seq = v.metric WHERE i.run = :s",
           seq)) {
    metrics[id][name] = value;
  }
  return metrics;
}

std::set<std::string> known_metrics(Database& db) {
  std::set<std::string> names;
  for (const auto& [name] : all<std::tuple<Text>>(db, "SELECT name FROM metric")) {
    names.insert(name);
  }
  return names;
}

// The table's metrics of an invocation against those of its text; a name that no row of the table
// has is that of a newer nsop, and in the text alone.
void check_metrics(const std::map<std::string, double>& there,
                   const std::map<std::string, double>& stated,
                   const std::set<std::string>& known) {
  for (const auto& [name, value] : there) {
    const auto it = stated.find(name);
    if (it == stated.end() || it->second != value) {
      throw bad_data(fmt::format("the table's metric '{}' isn't the stored one", name));
    }
  }
  for (const auto& [name, value] : stated) {
    if (known.contains(name) && !there.contains(name)) {
      throw bad_data(fmt::format("its metric '{}' is lost", name));
    }
  }
}

// Every repetition's times are what verdicts can be checked by: they are never just gone.
void check_samples(const InvocationRecord& record, bool thinned) {
  if (record.samples.empty() && !thinned) throw bad_data("its samples are lost");
}

// Host, builds and the run's own columns against their texts.
void check_nouns(Database& db, const RunRecord& record, const std::string& run_id) {
  const Run run = unpack_run(record.body, record.state, record.ended_utc, record.sha256);
  using Row = std::tuple<Text, Text, Text, Text, Text, Text>;
  const auto row = first<Row>(
      db, "SELECT id, host_id, origin, trust, profile, started_utc FROM run WHERE id = :i", run_id);
  if (row != Row{run.id, run.host_id, run.origin, run.trust, run.profile, run.started_utc}) {
    throw bad_data("its columns aren't those of its body");
  }
  const Host host = host_from_json(parse_json(record.host, "host"));
  if (host.id != run.host_id) throw bad_data("its host's body is another host's");
  if (first_value<Text>(db, "SELECT cpu_model FROM host WHERE id = :i", host.id) !=
      host.cpu_model) {
    throw bad_data("its host's CPU isn't that of the host's body");
  }
  for (const auto& [id, body] : record.builds) {
    const Build build = build_from_json(parse_json(body, "build"));
    if (build.id != id) throw bad_data("its build's body is another build's");
    if (first_value<Text>(db, "SELECT commit_id FROM build WHERE id = :i", id) != build.commit) {
      throw bad_data("its build's commit isn't that of the build's body");
    }
  }
}

void check_counts(Database& db, long long seq) {
  using Counts = std::vector<std::tuple<long long, long long, long long>>;
  const Counts stored = all<Counts::value_type>(
      db, "SELECT build, ok, not_ok FROM run_build WHERE run = :s ORDER BY build", seq);
  const Counts counted = all<Counts::value_type>(
      db,
      "SELECT build, SUM(status = 'ok'), SUM(status <> 'ok') FROM invocation WHERE run = :s "
      "GROUP BY build ORDER BY build",
      seq);
  if (stored != counted) throw bad_data("its counts of invocations are wrong");
}

// Summaries of another seal count for nobody; those that count must be true.
void check_summaries(Database& db, long long seq) {
  const auto kept = first_value<long long>(
      db,
      "SELECT u.run FROM run_summary u JOIN run r ON r.seq = u.run AND r.sha256 = u.sha256 WHERE "
      "u.run = :s",
      seq);
  if (!kept) return;
  const std::vector<std::string> problems = wrong_summaries(db, seq);
  if (!problems.empty()) throw bad_data(problems.front());
}

class RunCheck {
 public:
  RunCheck(Database& db, VerifyReport& report)
      : db_(db), report_(report), known_(known_metrics(db)) {}

  void check(long long seq, const std::string& run_id) {
    ++report_.runs;
    attempt(fmt::format("run {}", run_id), [&] {
      const RunRecord record = load_record(db_, run_id);
      report_.invocations += static_cast<int64_t>(record.invocations.size());
      check_invocations(seq, run_id, record);
      attempt(fmt::format("run {}", run_id), [&] { check_nouns(db_, record, run_id); });
      attempt(fmt::format("run {}", run_id), [&] { check_counts(db_, seq); });
      attempt(fmt::format("run {}", run_id), [&] { check_summaries(db_, seq); });
      if (record.state != "running" && run_digest(record) != record.sha256) {
        report_.problems.push_back(
            fmt::format("run {}: doesn't have the SHA-256 it was sealed with", run_id));
      }
    });
  }

 private:
  template <typename F>
  void attempt(const std::string& what, F&& f) {
    try {
      db_.guard(f);
    } catch (const Error& error) {
      report_.problems.push_back(fmt::format("{}: {}", what, error.what()));
    }
  }

  void check_invocations(long long seq, const std::string& run_id, const RunRecord& record) {
    const auto columns = all<Columns>(db_, kColumns, seq);
    if (columns.size() != record.invocations.size()) {
      throw bad_data("an invocation has lost its build or row");
    }
    const bool thinned = is_thinned(record.body);
    Metrics metrics = metrics_of_run(db_, seq);
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& id = std::get<0>(columns[i]);
      attempt(fmt::format("run {}, invocation {}", run_id, id), [&] {
        const InvocationRecord& one = record.invocations[i];
        const StatedInvocation stated = read_record(one);
        check_record(one, stated);
        check_samples(one, thinned);
        if (columns[i] != columns_of(stated)) {
          throw bad_data("its columns aren't those of its body");
        }
        check_metrics(metrics[id], stated.metrics, known_);
      });
    }
  }

  Database& db_;
  VerifyReport& report_;
  std::set<std::string> known_;
};

}  // namespace

VerifyReport Store::verify() const {
  VerifyReport report;
  try {
    db_->guard([&] {
      Transaction snapshot(*db_, Transaction::Kind::kRead);
      check_pages(*db_, report.problems);
      check_ledger(*db_, report.problems);
      check_objects(*db_, report.problems);
      check_baselines(*db_, report.problems);
      check_alerts(*db_, report.problems);
      RunCheck runs(*db_, report);
      for (const auto& [seq, id] :
           all<std::tuple<long long, Text>>(*db_, "SELECT seq, id FROM run ORDER BY seq")) {
        if (report.problems.size() < kMaxProblems) runs.check(seq, id);
      }
    });
  } catch (const Error& error) {
    report.problems.push_back(error.what());
  }
  return report;
}

}  // namespace nsop::store
