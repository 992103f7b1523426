#include "harness/store/db.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "harness/core/files.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/query.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class DbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_server()) GTEST_SKIP() << "of files";
  }
  Outcome opening(Mode mode = Mode::kReadWrite) {
    return outcome([&] { Store store(path_, mode); });
  }
  void write(const std::string& content) { write_file_atomically(path_, content); }

  TempDir dir_;
  std::string path_ = dir_.file("nsop.db");
};

// Of a file and of a server.
class DatabaseTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::string path_ = dir_.db();
};

TEST_F(DbTest, SetsWhatEveryConnectionNeeds) {
  Store created(path_);
  Database db(path_, false);
  const auto pragma = [&](const char* name) {
    return first_value<long long>(db, std::string("PRAGMA ") + name);
  };
  EXPECT_EQ(pragma("application_id"), kApplicationId);
  EXPECT_EQ(pragma("user_version"), kSchemaVersion);
  EXPECT_EQ(pragma("synchronous"), 2);
  EXPECT_EQ(pragma("foreign_keys"), 1);
  EXPECT_EQ(pragma("trusted_schema"), 0);
  EXPECT_EQ(pragma("busy_timeout"), 60000);
  EXPECT_EQ(first_value<std::string>(db, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(
      first_value<long long>(db,
                             "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
                             "type = 'table' AND name NOT LIKE 'sqlite_%' AND strict = 0"),
      0);
}

TEST_F(DbTest, LeavesNoTemporaryFiles) {
  { Store store(path_); }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    ++files;
    EXPECT_EQ(entry.path().string(), path_);
  }
  EXPECT_EQ(files, 1);
}

TEST_F(DbTest, TakesPathsWithOddCharacters) {
  for (const char* name : {"a b.db", "a=b.db", "quote\"'.db", "50%25?x=1#y.db", "µ.db", " x "}) {
    const std::string path = dir_.file(name);
    {
      Store store(path);
      add_run(store, example_run("run-1"));
    }
    EXPECT_TRUE(std::filesystem::exists(path)) << name;
    EXPECT_EQ(Store(path, Mode::kReadOnly).runs().size(), 1u) << name;
  }
}

TEST_F(DatabaseTest, TypedValuesSurvive) {
  Store created(path_);
  Database db(path_, false);
  for (const char* text : {"", "a'b\\\"\n\t%_", "\u00b5\U0001F600", "NULL"}) {
    EXPECT_EQ(first_value<std::string>(db, "SELECT CAST(:v AS TEXT)", std::string(text)), text);
  }
  const std::string nul("a\0b", 3);
  const auto said = outcome(
      [&] { EXPECT_EQ(first_value<std::string>(db, "SELECT CAST(:v AS TEXT)", nul), nul); });
  EXPECT_EQ(said.code, on_server() ? ExitCode::kBadData : ExitCode::kOk) << said.message;
  for (const long long v : {INT64_MIN, INT64_MAX, 0L}) {
    EXPECT_EQ(first_value<long long>(db, "SELECT CAST(:v AS BIGINT)", v), v);
  }
  for (const double v : {5e-324, 1.7976931348623157e308, 0.1, -0.0, 1.0 / 3.0}) {
    EXPECT_EQ(first_value<double>(db, "SELECT CAST(:v AS DOUBLE PRECISION)", v), v);
  }
  EXPECT_EQ(first_value<long long>(db, "SELECT 1 WHERE 1 = 0"), std::nullopt);
}

TEST_F(DbTest, AReaderMakesNoDatabase) {
  EXPECT_EQ(opening(Mode::kReadOnly).code, ExitCode::kUsage);
  EXPECT_FALSE(file_exists(path_));
}

TEST_F(DbTest, RefusesFilesThatAreNoDatabase) {
  for (const std::string& content :
       {std::string(), std::string("hello"), std::string(4096, 'x'), std::string(4096, '\0'),
        std::string("SQLite format 3\0", 16)}) {
    write(content);
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      const auto result = opening(mode);
      EXPECT_EQ(result.code, ExitCode::kBadData) << result.message;
      EXPECT_NE(result.message.find(path_), std::string::npos);
    }
    EXPECT_EQ(read_file(path_), content) << "must stay as it was";
  }
}

TEST_F(DbTest, RefusesAnotherProgramsDatabase) {
  {
    Database db(path_, Database::Raw{"mode=rwc"});
    db.script("CREATE TABLE t (x); PRAGMA application_id = 1234; PRAGMA user_version = 1");
  }
  const std::string before = read_file(path_);
  const auto result = opening();
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("another program"), std::string::npos);
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(DatabaseTest, RefusesANewerSchema) {
  { Store store(path_); }
  const int known = on_server() ? kServerSchemaVersion : kSchemaVersion, newer = known + 1;
  raw_sql(path_, on_server() ? fmt::format("UPDATE schema_migration SET version = {} WHERE "
                                           "version = {}",
                                           newer, known)
                             : fmt::format("PRAGMA user_version = {}", newer));
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    const auto result = outcome([&] { Store store(path_, mode); });
    EXPECT_EQ(result.code, ExitCode::kBadData);
    EXPECT_NE(result.message.find(fmt::format("schema {}, this nsop knows up to {}", newer, known)),
              std::string::npos)
        << result.message;
  }
}

TEST_F(DbTest, RefusesATruncatedDatabase) {
  {
    Store store(path_);
    add_run(store, example_run("run-1"), 20);
  }
  const std::string whole = read_file(path_);
  for (const size_t size : {whole.size() / 2, size_t{4096}, size_t{1000}, size_t{99}}) {
    write(whole.substr(0, size));
    const auto result = outcome([&] { Store(path_).runs(); });
    EXPECT_EQ(result.code, ExitCode::kBadData) << size << ": " << result.message;
  }
}

TEST_F(DbTest, RefusesAFolder) {
  ASSERT_EQ(mkdir(path_.c_str(), 0755), 0);
  EXPECT_EQ(opening().code, ExitCode::kEnvironment);
}

TEST_F(DbTest, RefusesAMissingFolder) {
  path_ = dir_.file("no/such/folder.db");
  const auto result = opening();
  EXPECT_EQ(result.code, ExitCode::kEnvironment);
  EXPECT_NE(result.message.find("create it first"), std::string::npos);
}

TEST_F(DbTest, KnowsNetworkFileSystems) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(static_cast<int>(0xFF534D42)), "SMB");
  EXPECT_EQ(network_file_system(0xFE534D42), "SMB");
  EXPECT_EQ(network_file_system(0xEF53), "");      // ext4
  EXPECT_EQ(network_file_system(0x01021994), "");  // tmpfs
}

TEST_F(DatabaseTest, AnAbandonedTransactionIsRolledBack) {
  Store store(path_);
  Database db(path_, false);
  {
    Transaction transaction(db);
    execute(db, "INSERT INTO host (id, cpu_model, body) VALUES ('h', '', '{}')");
  }
  EXPECT_EQ(first_value<long long>(db, "SELECT count(*) FROM host"), 0);
  store.put_host(example_host());  // the lock is free again
  EXPECT_EQ(first_value<long long>(db, "SELECT count(*) FROM host"), 1);
}

TEST_F(DatabaseTest, ChecksRefuseNonsenseInEveryTable) {
  Store store(path_);
  Database db(path_, false);
  const std::vector<const char*> statements = {
      "INSERT INTO host (id, cpu_model, body) VALUES ('h', '', 'no json')",
      "INSERT INTO row_key (case_text, variant, target, threads) VALUES ('c', 'v', 't', 0)",
      "INSERT INTO build (id, commit_id, body) VALUES ('', 'c', '{}')",
      "INSERT INTO shape (sha256, body) VALUES ('short', '{}')",
      R"(INSERT INTO run
           (id, host_id, origin, trust, profile, started_utc, ended_utc, state, sha256, body)
         VALUES ('r', 'nowhere', 'gate', 'ci', '', '', '', 'running', '', '{}'))"};
  for (const char* statement : statements) {
    const auto result = outcome([&] { db.guard([&] { execute(db, statement); }); });
    EXPECT_EQ(result.code, ExitCode::kBadData) << statement;
    EXPECT_NE(result.message.find("refused a value"), std::string::npos) << result.message;
  }
}

TEST_F(DbTest, BackupIsACompleteDatabase) {
  Store store(path_);
  add_run(store, example_run("run-1"));
  const std::string copy = dir_.file("copy.db");
  store.backup(copy);
  EXPECT_EQ(Store(copy, Mode::kReadOnly).invocations("run-1").size(), 3u);
  Store writer(copy);
  add_run(writer, example_run("run-2"));
  EXPECT_TRUE(writer.verify().problems.empty());
  Store(path_, Mode::kReadOnly).backup(dir_.file("copy-of-reader.db"));
  EXPECT_EQ(Store(dir_.file("copy-of-reader.db")).runs().size(), 1u);
}

TEST_F(DbTest, BackupNeverOverwrites) {
  Store store(path_);
  const std::string copy = dir_.file("copy.db");
  write_file_atomically(copy, "precious");
  EXPECT_EQ(outcome([&] { store.backup(copy); }).code, ExitCode::kUsage);
  EXPECT_EQ(read_file(copy), "precious");
  EXPECT_EQ(outcome([&] { store.backup(path_); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store.backup(dir_.file("no/folder.db")); }).code, ExitCode::kEnvironment);
}

TEST_F(DbTest, PublishingKeepsTheFirst) {
  write_file_atomically(dir_.file("a"), "first");
  write_file_atomically(dir_.file("b"), "second");
  EXPECT_TRUE(publish_file(dir_.file("a"), path_));
  EXPECT_FALSE(publish_file(dir_.file("b"), path_));
  EXPECT_EQ(read_file(path_), "first");
  EXPECT_FALSE(file_exists(dir_.file("b")));
}

// Root may write anything, so these act as another user.
class PermissionTest : public DbTest {
 protected:
  int as_nobody(const std::function<int()>& f) {
    return in_child([&] {
      if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) return 98;
      return f();
    });
  }
  void open_to_all() { ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0); }
};

TEST_F(PermissionTest, AReadOnlyFileCanBeReadButNotWritten) {
  {
    Store store(path_);
    add_run(store, example_run("run-1"));
  }
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(dir_.path().c_str(), 0777), 0);
  EXPECT_EQ(as_nobody([&] { return opening().code == ExitCode::kEnvironment ? 0 : 1; }), 0);
  EXPECT_EQ(as_nobody([&] { return Store(path_, Mode::kReadOnly).runs().size() == 1 ? 0 : 1; }), 0);
}

TEST_F(PermissionTest, AReadOnlyFolderCanBeReadButNotWritten) {
  {
    Store store(path_);
    add_run(store, example_run("run-1"));
  }
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  ASSERT_EQ(chmod(dir_.path().c_str(), 0555), 0);
  EXPECT_EQ(as_nobody([&] { return opening().code == ExitCode::kEnvironment ? 0 : 1; }), 0);
  EXPECT_EQ(as_nobody([&] { return Store(path_, Mode::kReadOnly).runs().size() == 1 ? 0 : 1; }), 0);
  path_ = dir_.file("new.db");
  EXPECT_EQ(as_nobody([&] { return opening().code == ExitCode::kEnvironment ? 0 : 1; }), 0);
  EXPECT_FALSE(file_exists(path_));
  chmod(dir_.path().c_str(), 0755);
}

TEST_F(PermissionTest, AnUnreadableFileIsAnEnvironmentError) {
  { Store store(path_); }
  ASSERT_EQ(chmod(path_.c_str(), 0000), 0);
  open_to_all();
  EXPECT_EQ(
      as_nobody([&] { return opening(Mode::kReadOnly).code == ExitCode::kEnvironment ? 0 : 1; }),
      0);
}

}  // namespace
}  // namespace nsop::store
