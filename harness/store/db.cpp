#include "harness/store/db.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/store/file_check.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/schema.h"
#include "harness/store/store.h"
#include "harness/store/unfinished.h"

namespace nsop::store {
namespace {

constexpr int kDefaultTimeoutMs = 60'000;  // an import of the largest file takes 20 s
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

std::string real_path(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
  return real.empty() ? path : real.string();
}

[[noreturn]] void throw_for_code(const std::string& path, int code, const std::string& detail) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw environment_error(fmt::format(
          "{}: another process has kept it locked for {} ms; try again when that one is done "
          "(nothing of this step was stored)",
          path, lock_timeout_ms()));
    case SQLITE_FULL:
      throw environment_error(fmt::format(
          "{}: the disk is full, nothing of this step was stored; free space and go on", path));
    case SQLITE_IOERR:
      throw environment_error(
          fmt::format("{}: can't be read or written ({}), nothing of this step was stored; check "
                      "free space, file "
                      "size limit and disk",
                      path, detail));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      throw environment_error(fmt::format(
          "{}: can't be opened or written ({}); check permissions of the file and its folder", path,
          detail));
    case SQLITE_NOMEM:
      throw environment_error(fmt::format("{}: out of memory", path));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw bad_data(fmt::format(
          "{}: the database is damaged ({}); restore a backup, or export the runs that can be read",
          path, detail));
    case SQLITE_CONSTRAINT:
      throw bad_data(fmt::format("{}: the database refused a value ({})", path, detail));
    default:
      throw bad_data(
          fmt::format("{}: the database doesn't answer as expected ({}); run "
                      "`nsop db verify`",
                      path, detail));
  }
}

}  // namespace

int lock_timeout_ms() { return timeout_ms("NSOP_DB_TIMEOUT_MS", kDefaultTimeoutMs); }

Database::Database(const std::string& path, bool read_only)
    : path_(real_path(path)), read_only_(read_only) {
  guard([&] { open_checked(); });
}

Database::Database(const std::string& path, const Raw& raw) : path_(real_path(path)) {
  guard([&] { open(raw.mode); });
}

void Database::open_checked() {
  check_folder(path_);
  if (!file_exists(path_)) {
    if (read_only_) {
      throw usage_error(fmt::format("{}: no such database; `nsop run` makes one", path_));
    }
    check_writable(path_);
    create_database(path_);
  }
  check_header(path_);
  if (!read_only_) check_writable(path_);
  if (read_only_ && !folder_writable(path_)) {
    struct stat log {};
    if (stat((path_ + "-wal").c_str(), &log) == 0 && log.st_size > 0) {
      throw environment_error(
          fmt::format("{}: its write-ahead log can't be read in a read-only folder; copy the "
                      "folder and use the copy",
                      path_));
    }
    open("mode=ro&immutable=1");
  } else {
    open("mode=rw");
  }
  check_schema();
}

void Database::open(const std::string& mode) {
  // A connection belongs to one thread: no lock for every column. Before SQLite is first used.
  [[maybe_unused]] static const int unlocked =
      sqlite_api::sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
  sql_.open(soci::sqlite3, "dbname=" + uri(path_, mode));
  sqlite_api::sqlite3_extended_result_codes(handle(), 1);
  sqlite_api::sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite_api::sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite_api::sqlite3_busy_timeout(handle(), lock_timeout_ms());
  script(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
      "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;");
}

void Database::check_schema() {
  const int version = schema_version(*this);
  if (version > kSchemaVersion) {
    throw bad_data(fmt::format(
        "{}: has schema {}, this nsop knows up to {}; use a newer nsop, or name another database",
        path_, version, kSchemaVersion));
  }
  if (version < 1) {
    throw bad_data(fmt::format("{}: has no schema; restore a backup or remove it", path_));
  }
  if (read_only_) {
    if (version < kSchemaVersion) {
      throw bad_data(fmt::format("{}: has schema {}, this nsop needs {}; run `nsop db migrate`",
                                 path_, version, kSchemaVersion));
    }
    return;
  }
  upgrade(*this, all_migrations());
  try {
    complete_summaries(*this);
  } catch (const Error&) {  // locked or damaged: whoever reads does without, and says what is wrong
  }
  script("PRAGMA journal_mode = WAL");  // a restored backup is not in this mode
}

// SOCI's library hides the type information that the vptr check of a cast wants.
__attribute__((no_sanitize("vptr"))) sqlite_api::sqlite3* Database::handle() {
  return static_cast<soci::sqlite3_session_backend*>(sql_.get_backend())->conn_;
}

long long Database::last_row() { return sqlite_api::sqlite3_last_insert_rowid(handle()); }

void Database::script(const std::string& statements) {
  char* message = nullptr;
  const int code =
      sqlite_api::sqlite3_exec(handle(), statements.c_str(), nullptr, nullptr, &message);
  const std::string detail = message == nullptr ? "" : message;
  sqlite_api::sqlite3_free(message);
  if (code != SQLITE_OK) throw_for_code(path_, code, detail);
}

void Database::throw_error(const soci::soci_error& error) const {
  const auto* sqlite_error = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  const int code = sqlite_error == nullptr ? SQLITE_ERROR : sqlite_error->result();
  throw_for_code(path_, code, error.get_error_message());
}

Transaction::Transaction(Database& db, Kind kind) : db_(db) {
  if (kind == Kind::kWrite && db.read_only()) {
    throw environment_error(fmt::format("{}: is open for reading only", db.path()));
  }
  db_.script(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite has already rolled back by itself after some errors, such as a full disk.
  if (!open_ || sqlite_api::sqlite3_get_autocommit(db_.handle()) != 0) return;
  sqlite_api::sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  db_.script("COMMIT");
  open_ = false;
}

Error renamed(const Error& error, const std::string& from, const std::string& to) {
  std::string message = error.what();
  for (size_t at = 0; (at = message.find(from, at)) != std::string::npos; at += to.size()) {
    message.replace(at, from.size(), to);
  }
  return Error(error.code(), message);
}

void backup_database(Database& db, const std::string& to_path) {
  const std::string target = real_path(to_path);
  check_folder(target);
  if (file_exists(target)) {
    throw usage_error(fmt::format("{}: exists already; name a file that doesn't", target));
  }
  check_writable(target);
  remove_unfinished(target);
  const std::string temporary = unfinished_name(target);
  bool is_new = false;
  try {
    db.guard([&] { execute(db, "VACUUM INTO :path", temporary); });
    is_new = publish_file(temporary, target);
  } catch (const Error& error) {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) unlink((temporary + part).c_str());
    // SQLite names the database that it copies, whichever of the two has no space left.
    const bool of_source = error.code() != ExitCode::kEnvironment;
    throw renamed(of_source ? error : renamed(error, db.path(), target), temporary, target);
  }
  if (!is_new) {
    throw usage_error(fmt::format("{}: exists already; name a file that doesn't", target));
  }
}

}  // namespace nsop::store
