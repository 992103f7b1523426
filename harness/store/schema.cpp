#include "harness/store/schema.h"

#include <fmt/format.h>
#include <unistd.h>

#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/query.h"
#include "harness/store/unfinished.h"

namespace nsop::store {
namespace {

void apply(Database& db, const Migration& migration) {
  Transaction transaction(db);
  db.backend().lock("schema", false);
  if (schema_version(db) >= migration.version) return;  // another process was quicker
  db.script(migration.sql);
  if (migration.move != nullptr) migration.move(db);
  db.script(migration.after);
  execute(
      db,
      "INSERT INTO schema_migration (version, name, sha256, applied_utc) VALUES (:v, :n, :s, :t)",
      static_cast<long long>(migration.version), std::string(migration.name), digest_of(migration),
      utc_now());
  db.backend().set_schema_version(migration.version);
  transaction.commit();
}

void fill_new(const std::string& path) {
  Database db(path, Database::Raw{"mode=rwc"});
  db.guard([&] {
    db.script(fmt::format("PRAGMA application_id = {}", kApplicationId));
    migrate(db, all_migrations());
    // Only now: the header of a database of ours carries its identity in the main file from birth.
    db.script("PRAGMA journal_mode = WAL");
  });
}

}  // namespace

std::string digest_of(const Migration& migration) {
  return sha256_hex(std::string(migration.sql) + migration.after);
}

int schema_version(Database& db) { return db.backend().schema_version(); }

void migrate(Database& db, std::span<const Migration> migrations) {
  for (const Migration& migration : migrations) {
    if (schema_version(db) < migration.version) apply(db, migration);
  }
}

void upgrade(Database& db, std::span<const Migration> migrations) {
  const int version = schema_version(db);
  if (version >= migrations.back().version) return;
  db.backend().before_upgrade(version);
  migrate(db, migrations);
  db.backend().reclaim();  // what moved to smaller tables left its room behind
}

void create_database(const std::string& path) {
  const std::string temporary = unfinished_name(path);
  try {
    fill_new(temporary);
    publish_file(temporary, path);
  } catch (const Error& error) {
    unlink(temporary.c_str());
    unlink((temporary + "-journal").c_str());
    throw renamed(error, temporary, path);
  }
}

}  // namespace nsop::store
