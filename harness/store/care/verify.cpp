// Is everything in the database what was stored? SQLite itself notices few bit flips, so every text
// is checked against its hash and every column against the text it repeats (store.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/core/hash.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/digest.h"
#include "harness/store/record/metrics.h"
#include "harness/store/record/thinning.h"
#include "harness/store/rows/events.h"
#include "harness/store/rows/invocation_rows.h"
#include "harness/store/rows/rows.h"
#include "harness/store/schema.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;
using Problems = std::vector<std::string>;

constexpr size_t kMaxProblems = 100;

void check_ledger(Database& db, Problems& problems) {
  for (const Migration& migration : db.backend().migrations()) {
    const auto kept = first<std::tuple<Text, Text>>(
        db, "SELECT name, sha256 FROM schema_migration WHERE version = :v",
        static_cast<long long>(migration.version));
    if (kept != std::tuple(Text(migration.name), digest_of(migration))) {
      problems.push_back(fmt::format("migration {}: the ledger has another text than this nsop",
                                     migration.version));
    }
  }
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

// What the columns of a row say, as far as a whole body repeats it.
auto columns_of(const Invocation& one) {
  return std::make_tuple(one.id, one.run_id, one.session, one.round, one.slot, one.phase,
                         one.build_id, one.row, one.status, one.process_age_s, one.first_ns,
                         one.at_utc);
}

// Every repetition's times are what verdicts can be checked by: they are never just gone.
void check_samples(const InvocationRecord& record, bool thinned) {
  if (record.samples.empty() && !thinned) throw bad_data("its samples are lost");
}

// Host, builds and the run's own columns against their texts.
void check_nouns(Database& db, const RunRecord& record, const std::string& run_id) {
  const Run run = unpack_run(record.body, record.state, record.ended_utc, record.sha256);
  using Nouns = std::tuple<Text, Text, Text, Text, Text, Text>;
  const auto row = first<Nouns>(
      db, "SELECT id, host_id, origin, trust, profile, started_utc FROM run WHERE id = :i", run_id);
  if (row != Nouns{run.id, run.host_id, run.origin, run.trust, run.profile, run.started_utc}) {
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
  const Counts counted =
      all<Counts::value_type>(db,
                              "SELECT build, SUM(CASE status WHEN 'ok' THEN 1 ELSE 0 END), "
                              "SUM(CASE status WHEN 'ok' THEN 0 ELSE 1 END) FROM invocation WHERE "
                              "run = :s GROUP BY build ORDER BY build",
                              seq);
  if (stored != counted) throw bad_data("its counts of invocations are wrong");
}

// Nothing reads summaries of another seal; the others must be true.
void check_summaries(Database& db, long long seq, const RunRows& said) {
  const auto kept = first_value<long long>(
      db,
      "SELECT u.run FROM run_summary u JOIN run r ON r.seq = u.run AND r.sha256 = u.sha256 WHERE "
      "u.run = :s",
      seq);
  if (!kept) return;
  const std::vector<std::string> problems = wrong_summaries(db, seq, said);
  if (!problems.empty()) throw bad_data(problems.front());
}

class RunCheck {
 public:
  RunCheck(Database& db, VerifyReport& report) : db_(db), reader_(db), report_(report) {}

  void check(long long seq, const std::string& run_id) {
    ++report_.runs;
    const std::string what = fmt::format("run {}", run_id);
    attempt(what, [&] {
      RunRecord record = load_head(db_, run_id);
      const std::vector<InvocationRow> rows = reader_.of_run(seq, run_id);
      report_.invocations += static_cast<int64_t>(rows.size());
      const std::vector<std::string> hashes =
          check_invocations(run_id, is_thinned(record.body), rows);
      attempt(what, [&] { check_nouns(db_, record, run_id); });
      attempt(what, [&] { check_counts(db_, seq); });
      attempt(what, [&] { check_summaries(db_, seq, summarized(reader_, rows)); });
      if (hashes.size() < rows.size()) return;  // said above
      const bool sealed = record.state == "running" || run_digest(record, hashes) == record.sha256;
      if (!sealed) throw bad_data("doesn't have the SHA-256 it was sealed with");
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

  // SHA-256 of every body, for the seal.
  std::vector<std::string> check_invocations(const std::string& run_id, bool thinned,
                                             const std::vector<InvocationRow>& rows) {
    std::vector<std::string> hashes;
    for (const InvocationRow& row : rows) {
      attempt(fmt::format("run {}, invocation {}", run_id, row.packed.columns.id), [&] {
        hashes.push_back(row.packed.body.empty() ? check_composed(row) : check_whole(row, thinned));
      });
    }
    return hashes;
  }

  // Each gives the SHA-256 of the body. One that is put together from the columns can't contradict
  // them, but for the metrics that they repeat.
  std::string check_composed(const InvocationRow& row) {
    const Composed one = reader_.both(row);
    std::string hash = checked_hash(row, one.record);
    if (repeated_metrics(one.metrics) != row.metrics) {
      throw bad_data("its columns' metrics aren't those of its samples");
    }
    return hash;
  }
  std::string check_whole(const InvocationRow& row, bool thinned) {
    const InvocationRecord record = reader_.record(row);
    std::string hash = checked_hash(row, record);
    check_samples(record, thinned);
    const StatedInvocation stated = read_record(record);
    check_record(record, stated);
    const bool same = columns_of(stated.invocation) == columns_of(row.packed.columns) &&
                      repeated_metrics(stated.metrics) == row.metrics;
    if (!same) throw bad_data("its columns aren't those of its body");
    return hash;
  }
  static std::string checked_hash(const InvocationRow& row, const InvocationRecord& record) {
    std::string hash = sha256_hex(record.body);
    if (hash_of(hash) != row.body_hash) throw bad_data("isn't what was stored");
    return hash;
  }

  Database& db_;
  InvocationReader reader_;
  VerifyReport& report_;
};

// Texts that invocations share, against their hashes.
void check_shapes(Database& db, Problems& problems) {
  each<std::tuple<long long, Text, Text>>(
      db, "SELECT seq, sha256, body FROM shape", [&](const auto& shape) {
        const auto& [seq, sha256, body] = shape;
        if (sha256_hex(body) == sha256) return;
        problems.push_back(fmt::format("shape {} doesn't have its SHA-256", seq));
      });
}

}  // namespace

VerifyReport Store::verify() const {
  VerifyReport report;
  try {
    db_->guard([&] {
      Transaction snapshot(*db_, Transaction::Kind::kRead);
      report.problems = db_->backend().problems();
      check_ledger(*db_, report.problems);
      check_baselines(*db_, report.problems);
      check_shapes(*db_, report.problems);
      for (std::string& problem : event_problems(*db_)) {
        report.problems.push_back(std::move(problem));
      }
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
