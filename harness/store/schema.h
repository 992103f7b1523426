// The schema as numbered migrations, one list for each kind of database.
#pragma once

#include <span>
#include <string>

#include "harness/store/db.h"

namespace nsop::store {

struct Migration {
  int version;
  const char* name;
  const char* sql;  // never changed once released: its SHA-256 is in the ledger of every database
  void (*move)(Database&) = nullptr;  // what SQL can't: between the two texts
  const char* after = "";
};

// SHA-256 of its texts.
std::string digest_of(const Migration& migration);

// Of SQLite: 1, 2, ... kSchemaVersion.
std::span<const Migration> all_migrations();
// Of PostgreSQL: 7, which is what SQLite's is, 8, ... kServerSchemaVersion.
std::span<const Migration> postgres_migrations();

// The number of the last one applied; 0: there is no schema.
int schema_version(Database& db);

// Applies what is missing in one transaction each, with a line in the ledger `schema_migration`.
// Another process that migrates at the same time is waited for.
void migrate(Database& db, std::span<const Migration> migrations);

// migrate(), in SQLite after a backup copy `PATH.schemaN-UUID.backup` beside the database if there
// is anything to do.
void upgrade(Database& db, std::span<const Migration> migrations);

// Makes a new SQLite database at `path` with all migrations applied: whole or not at all. Does
// nothing if another process was quicker.
void create_database(const std::string& path);

}  // namespace nsop::store
