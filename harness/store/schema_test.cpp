#include "harness/store/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/query.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

constexpr int kNow = kSchemaVersion;
constexpr std::array kNext = {
    Migration{kNow, "now", ""},
    Migration{kNow + 1, "second", "CREATE TABLE two (x INTEGER) STRICT"},
    Migration{kNow + 2, "third", "CREATE TABLE three (x INTEGER) STRICT"}};
constexpr std::array kBroken = {
    Migration{kNow + 1, "second", "CREATE TABLE two (x INTEGER) STRICT"},
    Migration{kNow + 2, "third", "CREATE TABLE three (x INTEGER) STRICT; CREATE TABLE nonsense"}};

class SchemaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_server()) GTEST_SKIP() << "of files";
  }
  long long count(Database& db, const std::string& query) {
    return first_value<long long>(db, query).value_or(-1);
  }
  TempDir dir_;
  std::string path_ = dir_.file("nsop.db");
};

// A released migration is never edited: every database in the world carries its hash.
TEST_F(SchemaTest, ReleasedTextsNeverChange) {
  ASSERT_EQ(all_migrations().size(), 8u);
  EXPECT_EQ(digest_of(all_migrations()[0]),
            "66118443c102a04b02648442d5433bba1550a4578488f0bfd055ea5b2dec59ef");
  EXPECT_EQ(digest_of(all_migrations()[1]),
            "ac86719fff21dbf9ea3f50f517aa16f3068e2aefd4c9045e44f85c8f5b3fd15b");
  EXPECT_EQ(digest_of(all_migrations()[2]),
            "da25f1745ca28c10b1b2150a0202a117c4a3a54c3156c706a6b94b1f2b769088");
  EXPECT_EQ(digest_of(all_migrations()[3]),
            "307cf1e5c7f232025defa63b0d663ddd53776297475f312883311dc21f0000f1");
  EXPECT_EQ(digest_of(all_migrations()[4]),
            "ceb865560cb6b467c0eec0e57007620eb26b6ecb4a4ecdc4d531188905b062a8");
  EXPECT_EQ(digest_of(all_migrations()[5]),
            "d80580d46e07d54172e46e51831d86c7795304f40fdd6b8750f83f579dad090f");
  EXPECT_EQ(digest_of(all_migrations()[6]),
            "1b737702aafce1351d7dac0158abaec45ae5c96f10850898988d70fafaab47d3");
  EXPECT_EQ(digest_of(all_migrations()[7]),
            "ff20a230edd6773deb9954f5d51d3b1fc0c493c9d23607dc52e939c7a581a923");
}

TEST_F(SchemaTest, TheLedgerNamesEveryMigration) {
  Store store(path_);
  Database db(path_, false);
  const auto rows = all<std::tuple<long long, std::string, std::string>>(
      db, "SELECT version, name, sha256 FROM schema_migration");
  ASSERT_EQ(rows.size(), all_migrations().size());
  EXPECT_EQ(std::get<2>(rows[0]), digest_of(all_migrations()[0]));
}

TEST_F(SchemaTest, AppliesOnlyWhatIsMissing) {
  Store store(path_);
  Database db(path_, false);
  migrate(db, kNext);
  EXPECT_EQ(schema_version(db), kNow + 2);
  EXPECT_EQ(count(db, "SELECT count(*) FROM schema_migration"), kNow + 2);
  migrate(db, kNext);
  EXPECT_EQ(count(db, "SELECT count(*) FROM schema_migration"), kNow + 2);
}

TEST_F(SchemaTest, AFailedMigrationLeavesTheOneBefore) {
  Store store(path_);
  Database db(path_, false);
  EXPECT_NE(outcome([&] { migrate(db, kBroken); }).code, ExitCode::kOk);
  EXPECT_EQ(schema_version(db), kNow + 1);
  EXPECT_EQ(count(db, "SELECT count(*) FROM sqlite_master WHERE name IN ('two', 'three')"), 1);
}

TEST_F(SchemaTest, UpgradingLeavesABackupOfTheOldVersion) {
  Store store(path_);
  add_run(store, example_run("run-1"));
  Database db(path_, false);
  upgrade(db, all_migrations());  // nothing to do: no backup
  upgrade(db, kNext);
  EXPECT_EQ(schema_version(db), kNow + 2);
  int backups = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    if (entry.path().extension() != ".backup") continue;
    ++backups;
    EXPECT_EQ(entry.path().string().find(fmt::format("{}.schema{}-", path_, kNow)), 0u);
    Store old(entry.path());
    EXPECT_EQ(old.invocations("run-1").size(), 3u);
  }
  EXPECT_EQ(backups, 1);
}

// The fixtures are dumps of databases as each version wrote them; they are kept for ever.
TEST_F(SchemaTest, ReadsADatabaseOfVersion1) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_1.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  ASSERT_EQ(store.runs().size(), 2u);
  EXPECT_EQ(store.resolve_run("main", "host-a"), "run-1");
  EXPECT_EQ(store.run("run-1").state, RunState::kComplete);
  EXPECT_EQ(store.run("run-2").state, RunState::kRunning);
  const auto list = store.invocations("run-1");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].repetitions.at(2).wall_ns, 2002);
  EXPECT_EQ(list[0].check.max_abs_error, 1e-7);
  EXPECT_EQ(store.invocations("run-2").at(0).allocs.value().bytes_per_op, 64.5);
}

// Of version 3, the first in which runs were removed, events had no digests of their own.
TEST_F(SchemaTest, ReadsADatabaseOfVersion3) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_3.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  ASSERT_EQ(store.runs().size(), 2u);
  EXPECT_EQ(store.resolve_run("main", "host-a"), "run-1");
  EXPECT_EQ(store.invocations("run-1").at(2).repetitions.at(0).wall_ns, 2002);
  EXPECT_EQ(store.invocations("run-2").at(0).allocs.value().bytes_per_op, 64.5);
  ASSERT_EQ(store.alert_events().size(), 1u);
  EXPECT_EQ(store.alert_events()[0].body, R"({"reason":"slower"})");
  ASSERT_EQ(store.removed_runs().size(), 1u);
  EXPECT_EQ(store.removed_runs()[0].run_id, "run-3");
  EXPECT_EQ(store.removed_runs()[0].invocations, 3);
  EXPECT_EQ(store.removed_runs()[0].reason, "measured on battery");
}

// Of version 4 invocations were moved: every text that was sealed comes back to the byte.
TEST_F(SchemaTest, ReadsADatabaseOfVersion4) {
  std::string body, samples;
  {
    old_database(path_, NSOP_STORE_TESTDATA "/schema_4.sql");
    Database db(path_, Database::Raw{"mode=ro"});
    const auto old = first<std::tuple<std::string, std::string>>(
        db, "SELECT body, samples FROM invocation WHERE id = 'run-1-i1'");
    std::tie(body, samples) = old.value();
  }
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  const std::string text = export_run(store, "run-1");
  EXPECT_NE(text.find(body.substr(1, body.size() - 2)), std::string::npos);
  EXPECT_NE(text.find("\"samples\":" + samples), std::string::npos);
  Database db(path_, true);
  EXPECT_EQ(count(db, "SELECT count(*) FROM invocation WHERE body IS NULL"), 4);
  EXPECT_EQ(count(db, "SELECT count(*) FROM shape"), 2);
  EXPECT_EQ(store.history("host-a").of(store.row_keys().at(0)).size(), 1u);
}

// Of version 5 no first operation was kept: invocations stay as they were sealed.
TEST_F(SchemaTest, ReadsADatabaseOfVersion5) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_5.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  for (const Invocation& one : store.invocations("run-1")) EXPECT_EQ(one.first_ns, 0);
  EXPECT_EQ(export_run(store, "run-1").find("first_ns"), std::string::npos);
  Invocation one = example_invocation("run-2", 7);
  one.first_ns = 12345;
  store.append(one);
  EXPECT_EQ(store.invocations("run-2").back().first_ns, 12345);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
}

// Of version 6 summaries said nothing of the repetitions beside the fastest: they are made anew.
TEST_F(SchemaTest, ReadsADatabaseOfVersion6) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_6.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  const auto rows = store.history("host-a").of(store.row_keys().at(0));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].ns, 1.99);
  ASSERT_TRUE(rows[0].excess.has_value());
  EXPECT_NEAR(*rows[0].excess, 0.0, 1e-9);
  EXPECT_FALSE(rows[0].first_ns.has_value());
  Database db(path_, true);
  EXPECT_EQ(count(db, "SELECT version FROM run_summary"), 2);
}

// Of version 7 no run was pruned.
TEST_F(SchemaTest, ReadsADatabaseOfVersion7) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_7.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  EXPECT_EQ(store.pruned_runs().size(), 0u);
  const std::string whole = export_run(store, "run-1");
  store.remove_baseline("main", "host-a", "to be pruned");
  EXPECT_EQ(store.prune("2027-01-01T00:00:00Z", false).runs, 1);
  EXPECT_LT(export_run(store, "run-1").size(), whole.size());
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
}

// A database whose rows were damaged before moves with them: what was wrong is still said.
TEST_F(SchemaTest, DamagedRowsMoveAsTheyAre) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_4.sql");
  raw_sql(path_,
          "UPDATE invocation SET body = '{no json}' WHERE id = 'run-1-i0';"
          "UPDATE invocation SET samples = NULL WHERE id = 'run-1-i1';"
          "UPDATE invocation SET slot = 9 WHERE id = 'run-1-i2';");
  EXPECT_EQ(Store(path_).verify().problems.size(), 3u);
}

TEST_F(SchemaTest, ReadsADatabaseOfVersion2) {
  old_database(path_, NSOP_STORE_TESTDATA "/schema_2.sql");
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  ASSERT_EQ(store.runs().size(), 2u);
  const auto events = store.alert_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].alert_id, "a1b2c3d4e5f6");
  EXPECT_EQ(events[0].body, R"({"reason":"slower"})");
}

}  // namespace
}  // namespace nsop::store
