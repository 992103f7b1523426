// What differs between the databases behind the store. The SQL of the other files is portable.
#pragma once

#include <soci/soci.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/store/backend/bulk.h"

namespace nsop::store {

class Database;
struct Migration;

// kAppend: a commit survives this process, but doesn't wait for the disk.
enum class TransactionKind { kRead, kWrite, kAppend };

class Backend {
 public:
  virtual ~Backend() = default;

  // Connects; read-write makes the database or its schema where there is none. Throws Error.
  virtual void open(bool read_only) = 0;
  // Statements without binds, such as a migration.
  virtual void script(const std::string& statements) = 0;

  // kRead: a snapshot.
  virtual void begin(TransactionKind kind) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;  // no effect outside a transaction
  // Until the transaction ends, no other has the lock of this name; with `shared`, none that is not
  // shared. To have several, ask in the order contents, run, texts, events.
  virtual void lock(const std::string& name, bool shared) = 0;

  // `columns`: as SQL lists them, `id, run, session`.
  virtual std::unique_ptr<BulkInsert> bulk_insert(const std::string& table,
                                                  const std::string& columns) = 0;
  // Of a query whose columns are whole numbers, doubles and texts; `$1`, `$2`, ..., in this order
  // in the text, stand for the values that it is asked with. Throws Error.
  virtual std::unique_ptr<BulkQuery> bulk_query(const std::string& text, Expected rows) = 0;
  // Does the database keep rows in the order of their table's primary key?
  virtual bool lies_by_key() const = 0;

  virtual std::span<const Migration> migrations() const = 0;
  virtual int schema_version() = 0;  // 0: there is no schema
  virtual void set_schema_version(int version) = 0;
  virtual void before_upgrade(int version) = 0;  // from `version`
  virtual void opened_for_writing() = 0;         // after the schema is up to date
  // Gives room that nothing needs any more back to the disk, if it can. Never in a transaction.
  virtual void reclaim() = 0;

  // What is wrong with files, references, tables, indices and triggers.
  virtual std::vector<std::string> problems() = 0;
  // Writes a consistent copy to a file, which must not exist (usage error): whole or not at all.
  virtual void backup(const std::string& to_path) = 0;

  // Throws Error (bad data) for a text that the database would change.
  virtual void check_text(std::string_view text) const = 0;
  virtual Error error_of(const soci::soci_error& error) const = 0;
};

std::unique_ptr<Backend> sqlite_backend(Database& db);
// A file with nothing but the connection's settings; `mode` of an SQLite URI: `mode=rwc`.
std::unique_ptr<Backend> raw_sqlite_backend(Database& db, const std::string& mode);
// `address` may hold a password, which no error says.
std::unique_ptr<Backend> postgres_backend(Database& db, const std::string& address);
// Whatever the database holds.
std::unique_ptr<Backend> raw_postgres_backend(Database& db, const std::string& address);

}  // namespace nsop::store
