// The schema as numbered migrations; user_version is the number of the last one applied.
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

// 1, 2, ... kSchemaVersion.
std::span<const Migration> all_migrations();

// The schema version of a database (PRAGMA user_version).
int schema_version(Database& db);

// Applies what is missing in one transaction each, with a line in the ledger `schema_migration`.
// Another process that migrates at the same time is waited for.
void migrate(Database& db, std::span<const Migration> migrations);

// migrate(), after a backup copy `PATH.schemaN-UUID.backup` beside the database if there is
// anything to do.
void upgrade(Database& db, std::span<const Migration> migrations);

// Makes a new database at `path` with all migrations applied: whole or not at all. Does nothing if
// another process was quicker.
void create_database(const std::string& path);

}  // namespace nsop::store
