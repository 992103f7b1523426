// The migrations of a server (schema.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "harness/store/copy.h"
#include "harness/store/query.h"
#include "harness/store/schema.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

// A released migration is never edited: every server in the world carries its hash.
TEST(PostgresSchema, ReleasedTextsNeverChange) {
  const auto migrations = postgres_migrations();
  ASSERT_EQ(migrations.size(), 3u);
  EXPECT_EQ(digest_of(migrations[0]),
            "ae81f24c82403485b16e7788c028cd7d211740843b93b73defc7678de2732911");
  EXPECT_EQ(digest_of(migrations[1]),
            "90c19832e420963c7a39d0e14124daf4188a8378500bf636d61176acd1a7524d");
  EXPECT_EQ(digest_of(migrations[2]),
            "b4199d1bb535aa59b477934c1942b4a2e51628789a911f54f484fc7c2b09154d");
}

std::map<std::string, std::string> exports_of(const Store& store) {
  std::map<std::string, std::string> texts;
  for (const RunSummary& one : store.runs()) {
    if (one.run.state != RunState::kRunning) texts[one.run.id] = export_run(store, one.run.id);
  }
  return texts;
}

class ServerOfVersion7 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_server()) GTEST_SKIP() << "of a server";
    old_database(file_, NSOP_STORE_TESTDATA "/schema_7.sql");
    { Store store(file_); }
    fill();
  }

  // What version 7 itself stored, in the tables that it had. Copying asks for runs that were
  // pruned: while it does, there is a table of none.
  void fill() {
    Database from(file_, false), to(server_, Database::Raw{""});
    migrate(to, postgres_migrations().first(1));
    ASSERT_EQ(schema_version(to), 7);
    to.script(
        "CREATE TABLE pruned_run (seq BIGINT, run_id TEXT, sha256 TEXT, thinned_sha256 TEXT, "
        "invocations BIGINT, at_utc TEXT, event_sha256 TEXT)");
    copy_history(from, to, true);
    to.script("DROP TABLE pruned_run");
  }

  long long count(const std::string& query) {
    Database db(server_, Database::Raw{""});
    return db.guard([&] { return first_value<long long>(db, query).value_or(-1); });
  }

  TempDir dir_;
  std::string file_ = dir_.file("nsop.db"), server_ = dir_.db();
};

TEST_F(ServerOfVersion7, IsNotReadAsItIs) {
  const auto said = outcome([&] { Store(server_, Mode::kReadOnly); });
  EXPECT_EQ(said.code, ExitCode::kBadData);
  EXPECT_NE(said.message.find("run `nsop db migrate`"), std::string::npos) << said.message;
  EXPECT_EQ(count("SELECT COUNT(*) FROM schema_migration"), 1);
}

TEST_F(ServerOfVersion7, IsUpgradedInPlaceAndKeepsEveryByte) {
  const auto before = exports_of(Store(file_));
  ASSERT_FALSE(before.empty());
  Store store(server_);
  EXPECT_EQ(count("SELECT MAX(version) FROM schema_migration"), kServerSchemaVersion);
  EXPECT_EQ(store.schema_version(), kServerSchemaVersion);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  EXPECT_EQ(exports_of(store), before);
  EXPECT_EQ(store.runs().size(), Store(file_).runs().size());
  EXPECT_EQ(store.baseline_events().size(), 1u);
  EXPECT_EQ(store.alert_events().size(), 1u);
  EXPECT_EQ(store.pruned_runs().size(), 0u);
  store.remove_baseline("main", "host-a", "to be pruned");
  EXPECT_EQ(store.prune("2027-01-01T00:00:00Z", false).runs, 1);
  EXPECT_LT(export_run(store, "run-1").size(), before.at("run-1").size());
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
}

TEST_F(ServerOfVersion7, GetsTheObjectsOfANewOne) {
  const std::string other = dir_.db("new.db");
  { Store upgraded(server_), fresh(other); }
  const auto objects = [](const std::string& address) {
    Database db(address, true);
    return all<std::tuple<std::string, std::string>>(
        db,
        "SELECT 'noted', format('%s %s', kind, name) FROM schema_object UNION ALL SELECT "
        "p.proname, p.prosrc FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = "
        "p.pronamespace WHERE n.nspname = 'nsop' UNION ALL SELECT indexname, indexdef FROM "
        "pg_catalog.pg_indexes WHERE schemaname = 'nsop' ORDER BY 1, 2");
  };
  EXPECT_EQ(objects(server_), objects(other));
  EXPECT_GT(objects(server_).size(), 100u);
}

TEST_F(ServerOfVersion7, RolesThatHadRightsKeepThem) {
  const char* const ask =
      "SELECT COUNT(*) FROM pg_catalog.pg_roles WHERE (rolname = 'nsop_reader' AND "
      "has_table_privilege(oid, 'nsop.pruned_run', 'SELECT')) OR (rolname = 'nsop_admin' AND "
      "has_table_privilege(oid, 'nsop.pruned_run', 'INSERT'))";
  for (const char* role : {"nsop_reader", "nsop_admin"}) {
    raw_sql(server_, fmt::format("DO $$ BEGIN CREATE ROLE {} NOLOGIN; EXCEPTION WHEN "
                                 "duplicate_object THEN NULL; END $$",
                                 role));
  }
  { Store upgraded(server_); }
  EXPECT_EQ(count(ask), 2);
}

// Stopped in its middle it leaves version 7, as a whole.
TEST_F(ServerOfVersion7, StaysWhatItIsWhereTheUpgradeFails) {
  raw_sql(server_, "CREATE TABLE pruned_run (x BIGINT)");  // in the way
  EXPECT_NE(outcome([&] { Store store(server_); }).code, ExitCode::kOk);
  EXPECT_EQ(count("SELECT MAX(version) FROM schema_migration"), 7);
  raw_sql(server_, "DROP TABLE pruned_run");
  EXPECT_EQ(Store(server_).verify().problems, std::vector<std::string>());
}

}  // namespace
}  // namespace nsop::store
