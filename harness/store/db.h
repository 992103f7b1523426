// The one place that opens databases, runs transactions and turns database errors into Error.
#pragma once

#include <soci/soci.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/core/error.h"
#include "harness/store/backend/backend.h"

namespace nsop::store {

// An open connection. Everything that touches `sql()` runs inside guard().
class Database {
 public:
  // Opens an existing or new nsop database, a file or a server's (is_server()), and brings its
  // schema up to date; read-only makes and migrates nothing and refuses every write. Throws Error,
  // see store.h.
  Database(const std::string& address, bool read_only);
  // Opens it with nothing but the connection's settings; no check, no migration.
  struct Raw {
    std::string mode;  // of the SQLite URI of a file: `mode=rwc`
  };
  Database(const std::string& address, const Raw& raw);

  soci::session& sql() { return sql_; }
  Backend& backend() { return *backend_; }
  const Backend& backend() const { return *backend_; }
  const std::string& path() const { return path_; }  // as messages name it: without a password
  bool read_only() const { return read_only_; }

  // Runs several statements without binds, such as a migration.
  void script(const std::string& statements) { backend_->script(statements); }

  // Calls `f`; database and JSON exceptions become Error.
  template <typename F>
  auto guard(F&& f) {
    try {
      return f();
    } catch (const soci::soci_error& error) {
      throw backend_->error_of(error);
    } catch (const nlohmann::json::exception& error) {
      throw bad_data(path_ + ": a stored row can't be read: " + error.what() +
                     "; run `nsop db verify`");
    } catch (const std::bad_variant_access&) {
      throw bad_data(path_ + ": a stored row has a value of another type; run `nsop db verify`");
    }
  }

 private:
  void check_schema();

  std::string path_;
  bool read_only_ = false;
  soci::session sql_;
  std::unique_ptr<Backend> backend_;
};

// A writer, or a read snapshot; rolls back unless committed.
class Transaction {
 public:
  using Kind = TransactionKind;
  explicit Transaction(Database& db, Kind kind = Kind::kWrite);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

// Absolute, links followed as far as they lead.
std::string real_path(const std::string& path);

// Milliseconds that a writer waits for another one's lock: 60000, or NSOP_DB_TIMEOUT_MS.
int lock_timeout_ms();

// The error of a writer that waited so long.
Error locked_error(const std::string& path);

// The error with one file name in place of another: a temporary file means nothing to a reader.
Error renamed(const Error& error, const std::string& from, const std::string& to);

// Has `fill` write a copy of the database `source` and moves it to `to_path`, which must not exist
// (usage error): whole or not at all. Messages name `to_path`.
void write_backup(const std::string& source, const std::string& to_path,
                  const std::function<void(const std::string& temporary)>& fill);

}  // namespace nsop::store
