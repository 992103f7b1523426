#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "harness/core/files.h"
#include "harness/core/tensor/random.h"
#include "harness/store/query.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    Store store(path_);
    add_run(store, example_run("run-1"), 8);
    add_run(store, example_run("run-2"), 2);
    store.remove_run("run-2", "wrong clock");
    for (const char* reason : {"first", "again"}) {
      store.set_baseline({"main", "host-a", "run-1", reason, ""});
    }
    store.append_alert_event({"e1", "a1", "host-a", "open", "2026-01-02T00:00:00Z", "{}"});
  }
  std::vector<std::string> problems_after(const std::string& statements) {
    try {
      damage(path_, statements);
      return Store(path_).verify().problems;
    } catch (const Error& error) {
      return {error.what()};  // a server refuses much of it
    }
  }

  // (table, column) of all columns that hold something.
  std::vector<std::pair<std::string, std::string>> columns_with_values() {
    Database db(path_, true);
    using Column = std::tuple<std::string, std::string>;
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [table, column] : all<Column>(
             db, on_server()
                     ? "SELECT table_name, column_name FROM information_schema.columns WHERE "
                       "table_schema = 'nsop' ORDER BY table_name, ordinal_position"
                     : "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) "
                       "c WHERE "
                       "t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite@_%' "
                       "ESCAPE '@' "
                       "ORDER BY t.name, c.cid")) {
      const auto count = first_value<long long>(
          db, fmt::format("SELECT COUNT(*) FROM {} WHERE \"{}\" IS NOT NULL", table, column));
      if (count.value() > 0) found.emplace_back(table, column);
    }
    return found;
  }
  // Statements that change the column in one row.
  std::string changed(const std::string& table, const std::string& column) {
    if (on_server()) return changed_on_server(table, column);
    Database db(path_, Database::Raw{"mode=ro"});
    std::string without, again;
    for (const auto& [name, sql] : all<std::tuple<std::string, std::string>>(
             db, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = :t",
             table)) {
      without += fmt::format("DROP TRIGGER {};", name);
      again += sql + ";";
    }
    return without +
           fmt::format(
               "UPDATE {0} SET \"{1}\" = CASE typeof(\"{1}\") WHEN 'text' THEN \"{1}\" || 'x' ELSE "
               "\"{1}\" + 1 END WHERE \"{1}\" IS (SELECT MAX(\"{1}\") FROM {0});",
               table, column) +
           again;
  }

  std::string changed_on_server(const std::string& table, const std::string& column) {
    Database db(path_, true);
    const auto type = first_value<std::string>(
        db,
        "SELECT data_type FROM information_schema.columns WHERE table_schema = 'nsop' AND "
        "table_name = :t AND column_name = :c",
        table, column);
    return fmt::format(
        "UPDATE {0} SET \"{1}\" = \"{1}\" {2} WHERE ctid = (SELECT MAX(ctid) FROM {0} WHERE "
        "\"{1}\" = (SELECT MAX(\"{1}\") FROM {0}));",
        table, column, *type == "text" ? "|| 'x'" : "+ 1");
  }

  TempDir dir_;
  std::string path_ = dir_.db();
};

TEST_F(VerifyTest, CountsWhatItChecked) {
  const auto report = Store(path_).verify();
  EXPECT_EQ(report.runs, 1);
  EXPECT_EQ(report.invocations, 8);
  EXPECT_EQ(report.problems, std::vector<std::string>());
}

// The trigger that guards events is put back as it was.
constexpr const char* kFirstMoveGone = R"sql(
DROP TRIGGER baseline_event_is_kept;
DELETE FROM baseline_event WHERE seq = 1;
CREATE TRIGGER baseline_event_is_kept BEFORE DELETE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never deleted');
END
)sql";

std::string of_server(const std::string& change) {
  if (change == kFirstMoveGone) return "DELETE FROM baseline_event WHERE seq = 1";
  if (change.starts_with("DROP TRIGGER")) return change + " ON baseline_event";
  if (change.starts_with("CREATE TRIGGER")) {
    return "CREATE TRIGGER foreign_one AFTER INSERT ON run EXECUTE FUNCTION is_kept()";
  }
  return change;
}

TEST_F(VerifyTest, FindsEveryKindOfChange) {
  const Kept whole(path_);
  for (const char* change : {
           "UPDATE invocation SET samples = replace(samples, '2000', '2001') WHERE slot = 0",
           "UPDATE invocation SET samples = '[1,2' WHERE slot = 0",
           "UPDATE invocation SET body_hash = replace(body_hash, substr(body_hash, 1, 1), 'x')",
           "UPDATE shape SET body = replace(body, 'aaaa', 'aaab')",
           "UPDATE shape SET body = replace(body, '}', ' }')",
           "UPDATE shape SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
           "DELETE FROM shape",
           "UPDATE invocation SET shape = NULL, body = '{}' WHERE slot = 1",
           "UPDATE inputs SET sha256 = 'x'",
           kFirstMoveGone,
           "UPDATE invocation SET id = 'x' WHERE slot = 1",
           "UPDATE invocation SET at_utc = '2026-01-01T00:00:02Z' WHERE slot = 1",
           "UPDATE invocation SET process_age_s = 0.5 WHERE slot = 1",
           "UPDATE invocation SET first_ns = 7 WHERE slot = 1",
           "UPDATE invocation SET status = 'wrong' WHERE slot = 1",
           "UPDATE invocation SET session = session + 1",
           "UPDATE row_key SET variant = 'other'",
           "UPDATE invocation SET wall_ns_per_op = wall_ns_per_op * 2",
           "UPDATE invocation SET allocs_per_op = 0",
           "UPDATE run SET body = replace(body, 'quick', 'quack')",
           "UPDATE run SET profile = 'quack'",
           "UPDATE run SET ended_utc = 'later'",
           "UPDATE run SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
           "UPDATE host SET body = replace(body, 'EPYC', 'Ryzen')",
           "UPDATE build SET body = replace(body, '-O2', '-O3')",
           "UPDATE run_build SET ok = ok + 1",
           "DELETE FROM invocation WHERE slot = 2",
           "DELETE FROM build",
           "DELETE FROM run",
           "UPDATE schema_migration SET sha256 = replace(sha256, 'a', 'b')",
           "UPDATE build SET commit_id = 'other'",
           "UPDATE host SET cpu_model = 'other'",
           "UPDATE baseline SET reason = 'moved by hand'",
           "UPDATE baseline SET name = 'other'",
           "DELETE FROM baseline",
           "UPDATE invocation SET samples = NULL WHERE slot = 0",
           "DROP INDEX run_line",
           "UPDATE run_row SET ns = ns * 2",
           "UPDATE run_row SET status = 'wrong'",
           "UPDATE run_row SET excess = 0.5",
           "UPDATE run_row SET first_ns = 500",
           "DELETE FROM run_row",
           "DROP TRIGGER baseline_event_is_final",
           "CREATE TRIGGER foreign_one AFTER INSERT ON run BEGIN DELETE FROM baseline; END",
           "CREATE TABLE foreign_one (x INT)",
       }) {
    EXPECT_FALSE(problems_after(on_server() ? of_server(change) : change).empty()) << change;
    whole.put_back();
  }
  EXPECT_TRUE(Store(path_).verify().problems.empty());
}

TEST_F(VerifyTest, FindsMetricsThatAreGone) {
  {
    Store store(path_);
    add_run(store, example_run("run-3"), 0, false);
    Invocation count = example_invocation("run-3", 0);
    count.phase = Phase::kCount;
    count.repetitions.clear();
    count.allocs = AllocCounts{3, 96, 0, 0, 0, true};
    store.append(count);
    store.end_run("run-3", RunState::kComplete, "2026-01-01T00:10:00Z");
  }
  const Kept whole(path_);
  std::set<std::string> gone;
  for (const auto& [table, column] : columns_with_values()) {
    if (table != "invocation" || !column.ends_with("_per_op")) continue;
    const std::string change = fmt::format("UPDATE invocation SET {} = NULL", column);
    EXPECT_FALSE(problems_after(change).empty()) << change;
    whole.put_back();
    gone.insert(column);
  }
  EXPECT_EQ(gone, (std::set<std::string>{"allocs_per_op", "bytes_per_op", "process_cpu_ns_per_op",
                                         "wall_ns_per_op"}));
}

// On a server in the value, of which only the server knows where it lies.
TEST_F(VerifyTest, FindsFlippedBitsInSamples) {
  const Kept whole(path_);
  const std::string samples = [&] {
    Database db(path_, true);
    return *first_value<std::string>(db,
                                     "SELECT samples FROM invocation WHERE slot = 0 AND round = 0");
  }();
  const size_t at = samples.find("[3,1000,[2000,");
  ASSERT_NE(at, std::string::npos);
  for (int bit = 0; bit < 4; ++bit) {
    std::string flipped = samples;
    flipped[at + std::string("[3,1000,[").size()] ^= static_cast<char>(1 << bit);
    if (on_server()) {
      EXPECT_FALSE(problems_after("UPDATE invocation SET samples = '" + flipped +
                                  "' WHERE slot = 0 AND round = 0")
                       .empty())
          << "bit " << bit;
      whole.put_back();
      continue;
    }
    std::string file = read_file(path_);
    file.replace(file.find(samples), samples.size(), flipped);
    write_file_atomically(path_, file);
    EXPECT_FALSE(Store(path_).verify().problems.empty()) << "bit " << bit;
    whole.put_back();
  }
}

// Everything that anybody can read of a database, as text.
std::string all_of(const Store& store) {
  std::string text;
  for (const RunSummary& one : store.runs()) {
    text += fmt::format("{} {} {} {} {}\n", one.cpu_model, one.ok, one.not_ok,
                        fmt::join(one.commits, " "), fmt::join(one.baselines, " "));
    text += export_run(store, one.run.id);
  }
  for (const BaselineEvent& e : store.baseline_events()) {
    text += fmt::format("{} {} {} {} {} {}\n", e.action, e.baseline.name, e.baseline.host_id,
                        e.baseline.run_id, e.baseline.reason, e.baseline.set_utc);
  }
  for (const AlertEvent& e : store.alert_events()) {
    text +=
        fmt::format("{} {} {} {} {} {}\n", e.id, e.alert_id, e.host_id, e.action, e.at_utc, e.body);
  }
  for (const RemovedRun& r : store.removed_runs()) {
    text += fmt::format("{} {} {} {} {} {} {} {}\n", r.run_id, r.host_id, r.origin, r.started_utc,
                        r.sha256, r.invocations, r.reason, r.at_utc);
  }
  for (const RowKey& row : store.row_keys()) {
    for (const RowInRun& one : store.history("host-a").of(row)) {
      text += fmt::format("{} {} {} {} {} {} {} {} {}\n", row.text(), one.run_id.str(),
                          one.build_id.str(), one.inputs_sha256.str(), one.invocations, one.ns,
                          one.wall_ns, one.excess.value_or(-1), one.first_ns.value_or(-1));
    }
  }
  return text;
}

// A flip anywhere is either found or changes nothing that is read; it never crashes.
TEST_F(VerifyTest, FlippedBitsAnywhereAreFoundOrChangeNothing) {
  if (on_server()) GTEST_SKIP() << "of files";
  const std::string whole = read_file(path_);
  const std::string said = all_of(Store(path_));
  SplitMix64 random(7);
  const int tries = std::getenv("NSOP_TEST_FULL") == nullptr ? 200 : 2000;
  int found = 0;
  for (int i = 0; i < tries; ++i) {
    std::string flipped = whole;
    flipped[random.next() % flipped.size()] ^= static_cast<char>(1 << random.next() % 8);
    write_file_atomically(path_, flipped);
    std::vector<std::string> problems;
    std::string now;
    const auto opening = outcome([&] {
      const Store store(path_);
      problems = store.verify().problems;
      if (problems.empty()) now = all_of(store);
    });
    if (opening.code != ExitCode::kOk) {
      EXPECT_EQ(opening.code, ExitCode::kBadData) << opening.message;
    }
    const bool is_found = opening.code != ExitCode::kOk || !problems.empty();
    if (!is_found) {
      EXPECT_EQ(now, said);
    }
    found += is_found ? 1 : 0;
  }
  EXPECT_GT(found, 0);
  std::printf("bit flips of a database: %d, found %d, the others changed nothing\n", tries, found);
}

std::string quoted_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// The same of a server, whose files are its own: a flip in any value.
TEST_F(VerifyTest, FlippedBitsOfAServersValuesAreFoundOrChangeNothing) {
  if (!on_server()) GTEST_SKIP() << "of a server";
  const Kept whole(path_);
  const std::string said = all_of(Store(path_));
  const auto columns = columns_with_values();
  SplitMix64 random(8);
  const int tries = std::getenv("NSOP_TEST_FULL") == nullptr ? 60 : 300;
  int found = 0;
  for (int i = 0; i < tries; ++i) {
    const auto& [table, column] = columns[random.next() % columns.size()];
    std::string place, value, type;
    {
      Database db(path_, true);
      const auto rows = all<std::tuple<std::string, std::string, std::string>>(
          db,
          fmt::format("SELECT CAST(ctid AS TEXT), CAST(\"{1}\" AS TEXT), CAST(pg_typeof(\"{1}\") "
                      "AS TEXT) FROM {0} WHERE \"{1}\" IS NOT NULL AND CAST(\"{1}\" AS TEXT) <> ''",
                      table, column));
      if (rows.empty()) continue;
      std::tie(place, value, type) = rows[random.next() % rows.size()];
    }
    value[random.next() % value.size()] ^= static_cast<char>(1 << random.next() % 7);
    if (value.find('\0') != std::string::npos) continue;  // no text on a server has one
    const bool is_found =
        !problems_after(fmt::format("UPDATE {} SET \"{}\" = CAST({} AS {}) WHERE ctid = '{}'",
                                    table, column, quoted_text(value), type, place))
             .empty();
    if (!is_found) {
      EXPECT_EQ(all_of(Store(path_)), said) << table << "." << column << " = " << value;
    }
    found += is_found ? 1 : 0;
    whole.put_back();
  }
  EXPECT_GT(found, tries / 2);
  std::printf("bit flips of a server's values: %d, found %d, the others changed nothing\n", tries,
              found);
}

// Every column of every table: the triggers that guard events are put back as they were.
TEST_F(VerifyTest, AChangeOfAnyColumnIsFound) {
  const Kept whole(path_);
  // When a migration was applied; a number that nothing refers to; and what a summary was made of:
  // who finds another seal or version there reads the invocations.
  const std::set<std::string> harmless = {"schema_migration.applied_utc", "invocation.seq",
                                          "run_summary.version", "run_summary.sha256"};
  int columns = 0;
  for (const auto& [table, column] : columns_with_values()) {
    const std::string name = table + "." + column;
    if (harmless.contains(name)) continue;
    EXPECT_FALSE(problems_after(changed(table, column)).empty()) << name;
    whole.put_back();
    ++columns;
  }
  EXPECT_GT(columns, 80);
  std::printf("columns changed: %d, all found\n", columns);
}

TEST_F(VerifyTest, SamplesThatAreGoneAreMissedAndTheRestIsRead) {
  // Eight invocations, and the summary that was made of them.
  EXPECT_EQ(problems_after("UPDATE invocation SET samples = NULL").size(), 9u);
  const auto list = Store(path_).invocations("run-1");
  ASSERT_EQ(list.size(), 8u);
  EXPECT_TRUE(list[0].repetitions.empty());
}

TEST_F(VerifyTest, NamesARunThatLostItsHost) {
  const auto problems = problems_after("DELETE FROM host");
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("orphan"), std::string::npos);
}

}  // namespace
}  // namespace nsop::store
