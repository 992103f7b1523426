// SQLite: one file, one writer at a time, a write-ahead log beside it (backend.h).
#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/store/backend/backend.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/backend/sqlite_bulk.h"
#include "harness/store/db.h"
#include "harness/store/query.h"
#include "harness/store/schema.h"
#include "harness/store/unfinished.h"

namespace nsop::store {
namespace {

constexpr int kMaxValueBytes = 256 << 20;

// An SQLite URI: percent-encoded, so that no path can confuse SOCI's or SQLite's parsing.
std::string uri(const std::string& path, const std::string& mode) {
  std::string text = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/._-", c) != nullptr;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text + "?" + mode;
}

Error error_for_code(const std::string& path, int code, const std::string& detail) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return locked_error(path);
    case SQLITE_FULL:
      return environment_error(fmt::format(
          "{}: the disk is full, nothing of this step was stored; free space and go on", path));
    case SQLITE_IOERR:
      return environment_error(
          fmt::format("{}: can't be read or written ({}), nothing of this step was stored; check "
                      "free space, file "
                      "size limit and disk",
                      path, detail));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      return environment_error(fmt::format(
          "{}: can't be opened or written ({}); check permissions of the file and its folder", path,
          detail));
    case SQLITE_NOMEM:
      return environment_error(fmt::format("{}: out of memory", path));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return bad_data(fmt::format(
          "{}: the database is damaged ({}); restore a backup, or export the runs that can be read",
          path, detail));
    case SQLITE_CONSTRAINT:
      return bad_data(fmt::format("{}: the database refused a value ({})", path, detail));
    default:
      return bad_data(
          fmt::format("{}: the database doesn't answer as expected ({}); run "
                      "`nsop db verify`",
                      path, detail));
  }
}

class Sqlite : public Backend {
 public:
  explicit Sqlite(Database& db) : db_(db) {}

  void open(bool read_only) override {
    const std::string& path = db_.path();
    check_folder(path);
    if (!file_exists(path)) {
      if (read_only) {
        throw usage_error(fmt::format("{}: no such database; `nsop run` makes one", path));
      }
      check_writable(path);
      create_database(path);
    }
    check_header(path);
    if (!read_only) check_writable(path);
    if (read_only && !folder_writable(path)) {
      struct stat log {};
      if (stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0) {
        throw environment_error(
            fmt::format("{}: its write-ahead log can't be read in a read-only folder; copy the "
                        "folder and use the copy",
                        path));
      }
      connect("mode=ro&immutable=1");
    } else {
      connect("mode=rw");
    }
  }

  void connect(const std::string& mode) {
    // A connection belongs to one thread: no lock for every column. Before SQLite is first used.
    [[maybe_unused]] static const int unlocked =
        sqlite_api::sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    db_.sql().open(soci::sqlite3, "dbname=" + uri(db_.path(), mode));
    sqlite_api::sqlite3_extended_result_codes(handle(), 1);
    sqlite_api::sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite_api::sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    sqlite_api::sqlite3_busy_timeout(handle(), lock_timeout_ms());
    script(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
        "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;");
  }

  void script(const std::string& statements) override {
    char* message = nullptr;
    const int code =
        sqlite_api::sqlite3_exec(handle(), statements.c_str(), nullptr, nullptr, &message);
    const std::string detail = message == nullptr ? "" : message;
    sqlite_api::sqlite3_free(message);
    if (code != SQLITE_OK) throw error_for_code(db_.path(), code, detail);
  }

  void begin(TransactionKind kind) override {
    if (kind == TransactionKind::kRead) return script("BEGIN");
    if (kind == TransactionKind::kAppend) {
      script("PRAGMA synchronous = NORMAL");
      relaxed_ = true;
    }
    try {
      script("BEGIN IMMEDIATE");
    } catch (const Error&) {
      wait_again();
      throw;
    }
  }

  void commit() override {
    script("COMMIT");
    wait_again();
  }

  void rollback() noexcept override {
    // SQLite has already rolled back by itself after some errors, such as a full disk.
    if (sqlite_api::sqlite3_get_autocommit(handle()) == 0) {
      sqlite_api::sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    wait_again();
  }

  void lock(const std::string&, bool) override {}  // a writer has the whole database

  std::unique_ptr<BulkInsert> bulk_insert(const std::string& table,
                                          const std::string& columns) override {
    return sqlite_insert(handle(), table, columns, [this](int code, const std::string& detail) {
      return error_for_code(db_.path(), code, detail);
    });
  }

  std::unique_ptr<BulkQuery> bulk_query(const std::string& text, Expected) override {
    return sqlite_query(handle(), text, [this](int code, const std::string& detail) {
      return error_for_code(db_.path(), code, detail);
    });
  }

  bool lies_by_key() const override { return true; }  // tables WITHOUT ROWID

  std::span<const Migration> migrations() const override { return all_migrations(); }

  int schema_version() override {
    return static_cast<int>(first_value<long long>(db_, "PRAGMA user_version").value_or(0));
  }

  void set_schema_version(int version) override {
    script(fmt::format("PRAGMA user_version = {}", version));
  }

  void before_upgrade(int version) override {
    backup(fmt::format("{}.schema{}-{}.backup", db_.path(), version, new_uuid()));
  }

  void opened_for_writing() override {
    script("PRAGMA journal_mode = WAL");  // a restored backup is not in this mode
  }

  void reclaim() override {
    try {
      script("VACUUM");
    } catch (const Error&) {  // no space for a copy: the room is used again later
    }
  }

  std::vector<std::string> problems() override {
    script("PRAGMA cache_size = -65536");  // KiB: indices are looked up entry by entry
    std::vector<std::string> found;
    for (const auto& [line] : all<std::tuple<std::string>>(db_, "PRAGMA integrity_check")) {
      if (line != "ok") found.push_back("database file: " + line);
    }
    for (const auto& [table, parent] : all<std::tuple<std::string, std::string>>(
             db_, "SELECT \"table\", parent FROM pragma_foreign_key_check()")) {
      found.push_back(fmt::format("orphan: a row of {} has lost its {}", table, parent));
    }
    check_objects(found);
    return found;
  }

  void backup(const std::string& to_path) override {
    write_backup(db_.path(), to_path, [&](const std::string& temporary) {
      db_.guard([&] { execute(db_, "VACUUM INTO :path", temporary); });
    });
  }

  void check_text(std::string_view) const override {}  // any bytes

  Error error_of(const soci::soci_error& error) const override {
    const auto* sqlite_error = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
    const int code = sqlite_error == nullptr ? SQLITE_ERROR : sqlite_error->result();
    return error_for_code(db_.path(), code, error.get_error_message());
  }

 private:
  // SOCI's library hides the type information that the vptr check of a cast wants.
  __attribute__((no_sanitize("vptr"))) sqlite_api::sqlite3* handle() {
    return static_cast<soci::sqlite3_session_backend*>(db_.sql().get_backend())->conn_;
  }

  void wait_again() noexcept {
    if (!relaxed_) return;
    relaxed_ = false;
    sqlite_api::sqlite3_exec(handle(), "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr);
  }

  // Tables, indices and triggers are those of the migrations, no more and no fewer.
  void check_objects(std::vector<std::string>& found) {
    using Statement = std::tuple<std::string, std::string, std::string>;
    constexpr const char* kStatements =
        "SELECT type, name, COALESCE(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' "
        "ESCAPE '@' ORDER BY type, name";
    Database fresh(db_.path(), Database::Raw{"mode=memory"});  // in memory, whatever its name
    migrate(fresh, all_migrations());
    const std::vector<Statement> wanted = all<Statement>(fresh, kStatements),
                                 there = all<Statement>(db_, kStatements);
    const auto tell = [&](const std::vector<Statement>& of, const std::vector<Statement>& but,
                          const char* what) {
      for (const Statement& one : of) {
        if (std::find(but.begin(), but.end(), one) != but.end()) continue;
        found.push_back(fmt::format("{} {}: {}", std::get<0>(one), std::get<1>(one), what));
      }
    };
    tell(wanted, there, "is missing or not what the migrations made");
    tell(there, wanted, "was not made by a migration");
  }

  Database& db_;
  bool relaxed_ = false;
};

// A file without any check.
class RawSqlite : public Sqlite {
 public:
  RawSqlite(Database& db, std::string mode) : Sqlite(db), mode_(std::move(mode)) {}
  void open(bool) override { connect(mode_); }

 private:
  std::string mode_;
};

}  // namespace

std::unique_ptr<Backend> sqlite_backend(Database& db) { return std::make_unique<Sqlite>(db); }

std::unique_ptr<Backend> raw_sqlite_backend(Database& db, const std::string& mode) {
  return std::make_unique<RawSqlite>(db, mode);
}

}  // namespace nsop::store
