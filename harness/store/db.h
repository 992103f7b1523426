// The one place that opens databases, runs transactions and turns database errors into Error.
#pragma once

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <nlohmann/json.hpp>
#include <string>

#include "harness/core/error.h"

namespace nsop::store {

// An open connection. Everything that touches `sql()` runs inside guard().
class Database {
 public:
  // Opens an existing or new nsop database and brings its schema up to date; read-only makes and
  // migrates nothing and refuses every write. Throws Error, see store.h.
  Database(const std::string& path, bool read_only);
  // Opens a file with nothing but the connection's settings; no check, no migration.
  struct Raw {
    std::string mode;  // of an SQLite URI: `mode=rwc`
  };
  Database(const std::string& path, const Raw& raw);

  soci::session& sql() { return sql_; }
  const std::string& path() const { return path_; }
  bool read_only() const { return read_only_; }
  sqlite_api::sqlite3* handle();
  long long last_row();  // number of the row inserted last

  // Runs several statements without binds, such as a migration.
  void script(const std::string& statements);

  // Calls `f`; database and JSON exceptions become Error.
  template <typename F>
  auto guard(F&& f) {
    try {
      return f();
    } catch (const soci::soci_error& error) {
      throw_error(error);
    } catch (const nlohmann::json::exception& error) {
      throw bad_data(path_ + ": a stored row can't be read: " + error.what() +
                     "; run `nsop db verify`");
    }
  }

 private:
  [[noreturn]] void throw_error(const soci::soci_error& error) const;
  void open(const std::string& mode);
  void open_checked();
  void check_schema();

  std::string path_;
  bool read_only_ = false;
  soci::session sql_;
};

// BEGIN IMMEDIATE, or a read snapshot; rolls back unless committed.
class Transaction {
 public:
  enum class Kind { kWrite, kRead };
  explicit Transaction(Database& db, Kind kind = Kind::kWrite);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

// Milliseconds that a writer waits for another one's lock: 60000, or NSOP_DB_TIMEOUT_MS.
int lock_timeout_ms();

// The error with one file name in place of another: a temporary file means nothing to a reader.
Error renamed(const Error& error, const std::string& from, const std::string& to);

// Writes a consistent copy to `to_path`, which must not exist (usage error): whole or not at all.
void backup_database(Database& db, const std::string& to_path);

}  // namespace nsop::store
