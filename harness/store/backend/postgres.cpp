// PostgreSQL: a server that many machines share. Tables are in the schema `nsop`; writers of one
// run wait for each other, writers of others don't (backend.h).
#include <fmt/format.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/core/error.h"
#include "harness/store/backend/address.h"
#include "harness/store/backend/backend.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/backend/postgres_bulk.h"
#include "harness/store/copy.h"
#include "harness/store/db.h"
#include "harness/store/query.h"
#include "harness/store/schema.h"

namespace nsop::store {
namespace {

constexpr int kOldest = 130000;     // server_version_num
constexpr int kLocks = 0x4E534F50;  // "NSOP": the first half of our advisory locks' keys
constexpr const char* kObjects =
    "SELECT o.kind, o.name FROM ("
    "SELECT 'column' AS kind, format('%s.%s %s%s', table_name, column_name, data_type, "
    "CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) AS name "
    "FROM information_schema.columns WHERE table_schema = 'nsop' "
    "UNION ALL SELECT 'constraint', format('%s.%s', r.relname, c.conname) FROM "
    "pg_catalog.pg_constraint c JOIN pg_catalog.pg_class r ON r.oid = c.conrelid JOIN "
    "pg_catalog.pg_namespace n ON n.oid = r.relnamespace WHERE n.nspname = 'nsop' "
    "UNION ALL SELECT 'index', indexname FROM pg_catalog.pg_indexes WHERE schemaname = 'nsop' "
    "UNION ALL SELECT 'trigger', format('%s.%s', r.relname, t.tgname) FROM pg_catalog.pg_trigger t "
    "JOIN pg_catalog.pg_class r ON r.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = "
    "r.relnamespace WHERE n.nspname = 'nsop' AND NOT t.tgisinternal AND t.tgenabled = 'O' "
    "UNION ALL SELECT 'function', p.proname FROM pg_catalog.pg_proc p JOIN "
    "pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'nsop') o "
    "ORDER BY o.kind COLLATE \"C\", o.name COLLATE \"C\"";

using Object = std::tuple<std::string, std::string>;

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: two names of one key wait for each other, no
// more.
int32_t key_of(const std::string& name) {
  uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<int32_t>(hash);
}

class Postgres : public Backend {
 public:
  Postgres(Database& db, std::string address) : db_(db), address_(std::move(address)) {}

  void open(bool read_only) override {
    connect();
    check_server();
    if (read_only) {
      opened_version_ = version_to_read();
      if (opened_version_ == 0) {
        throw usage_error(fmt::format(
            "{}: no database yet; fill one with `nsop run` or `nsop import`", db_.path()));
      }
      script("SET default_transaction_read_only = on");
      return;
    }
    if (schema_version() == 0) migrate(db_, migrations());
  }

  void connect() {
    const std::string settings = connection_string(address_);
    try {
      db_.sql().open(soci::postgresql, settings);
    } catch (const soci::soci_error& error) {
      throw unreachable(without_settings(error.get_error_message()));
    }
    PQsetNoticeProcessor(
        connection(), [](void*, const char*) {}, nullptr);  // errors say enough
    script(fmt::format(
        "SET lock_timeout = {}; SET client_min_messages = warning; SET search_path = nsop; SET "
        "standard_conforming_strings = on; SET extra_float_digits = 1; SET TIME ZONE 'UTC'",
        lock_timeout_ms()));
  }

  void script(const std::string& statements) override {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
        PQexec(connection(), statements.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
      return;
    }
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    throw error_for_state(state == nullptr ? "" : state, PQerrorMessage(connection()));
  }

  void begin(TransactionKind kind) override {
    if (kind == TransactionKind::kRead) {
      return script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    }
    committing_ = false;
    // READ COMMITTED: after a lock, a statement must see what its holder before has committed.
    script(kind == TransactionKind::kAppend ? "BEGIN; SET LOCAL synchronous_commit = off"
                                            : "BEGIN");
  }

  void commit() override {
    committing_ = true;
    script("COMMIT");
    committing_ = false;
  }

  void rollback() noexcept override {
    const PGTransactionStatusType status = PQtransactionStatus(connection());
    if (status != PQTRANS_INTRANS && status != PQTRANS_INERROR) return;
    PQclear(PQexec(connection(), "ROLLBACK"));
  }

  void lock(const std::string& name, bool shared) override {
    script(fmt::format("SELECT pg_advisory_xact_lock{}({}, {})", shared ? "_shared" : "", kLocks,
                       key_of(name)));
  }

  std::unique_ptr<BulkInsert> bulk_insert(const std::string& table,
                                          const std::string& columns) override {
    return postgres_bulk(connection(), *this, table, columns,
                         [this](const std::string& state, const std::string& message) {
                           return error_for_state(state, message);
                         });
  }

  std::unique_ptr<BulkQuery> bulk_query(const std::string& text, Expected rows) override {
    return postgres_query(connection(), text, rows,
                          [this](const std::string& state, const std::string& message) {
                            return error_for_state(state, message);
                          });
  }

  bool lies_by_key() const override { return false; }  // as they were added

  std::span<const Migration> migrations() const override { return postgres_migrations(); }

  int schema_version() override {
    if (opened_version_) return *std::exchange(opened_version_, std::nullopt);
    const bool there =
        first_value<long long>(db_,
                               "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                               "ON n.oid = c.relnamespace WHERE n.nspname = 'nsop' AND c.relname = "
                               "'schema_migration' AND c.relkind = 'r'")
            .has_value();
    if (!there) return 0;
    return static_cast<int>(
        first_value<long long>(db_, "SELECT COALESCE(MAX(version), 0) FROM nsop.schema_migration")
            .value_or(0));
  }

  // The ledger tells the version. What is there now is what should be there later.
  void set_schema_version(int) override {
    script("DELETE FROM schema_object");
    for (const auto& [kind, name] : all<Object>(db_, kObjects)) {
      execute(db_, "INSERT INTO schema_object (kind, name) VALUES (:k, :n)", kind, name);
    }
  }

  void before_upgrade(int) override {}  // a migration is one transaction, tables included
  void opened_for_writing() override {}
  void reclaim() override {}  // the server does, in its own time

  std::vector<std::string> problems() override {
    const auto wanted =
        all<Object>(db_, "SELECT kind, name FROM schema_object ORDER BY kind, name");
    const auto there = all<Object>(db_, kObjects);
    std::vector<std::string> found;
    const auto tell = [&](const std::vector<Object>& of, const std::vector<Object>& but,
                          const char* what) {
      const std::set<Object> others(but.begin(), but.end());
      for (const Object& one : of) {
        if (others.contains(one)) continue;
        found.push_back(fmt::format("{} {}: {}", std::get<0>(one), std::get<1>(one), what));
      }
    };
    tell(wanted, there, "is missing or not what the migrations made");
    tell(there, wanted, "was not made by a migration");
    for (std::string& orphan : orphans()) found.push_back(std::move(orphan));
    return found;
  }

  void backup(const std::string& to_path) override { copy_to_file(db_, to_path); }

  void check_text(std::string_view text) const override {
    if (text.find('\0') == std::string_view::npos) return;
    throw bad_data(fmt::format("{}: PostgreSQL stores no text with a NUL character", db_.path()));
  }

  Error error_of(const soci::soci_error& error) const override {
    const auto* own = dynamic_cast<const soci::postgresql_soci_error*>(&error);
    if (own == nullptr && PQstatus(connection()) == CONNECTION_OK) {  // SOCI's own, e.g. of a type
      return unexpected(error.get_error_message());
    }
    return error_for_state(own == nullptr ? "" : own->sqlstate(), error.get_error_message());
  }

 private:
  // The server guards references, but for its superuser.
  std::vector<std::string> orphans() {
    using Reference = std::tuple<std::string, std::string, std::string, std::string>;
    std::vector<std::string> found;
    for (const auto& [table, column, parent, key] : all<Reference>(
             db_,
             "SELECT r.relname, a.attname, p.relname, k.attname FROM pg_catalog.pg_constraint c "
             "JOIN pg_catalog.pg_class r ON r.oid = c.conrelid JOIN pg_catalog.pg_class p ON p.oid "
             "= c.confrelid JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = "
             "c.conkey[1] JOIN pg_catalog.pg_attribute k ON k.attrelid = p.oid AND k.attnum = "
             "c.confkey[1] JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace WHERE "
             "n.nspname "
             "= 'nsop' AND c.contype = 'f' ORDER BY 1, 2")) {
      const auto lost = first_value<long long>(
          db_, fmt::format("SELECT COUNT(*) FROM {0} c WHERE c.{1} IS NOT NULL AND NOT EXISTS "
                           "(SELECT FROM {2} p WHERE p.{3} = c.{1})",
                           table, column, parent, key));
      if (lost.value_or(0) == 0) continue;
      found.push_back(fmt::format("orphan: a row of {} has lost its {}", table, parent));
    }
    return found;
  }

  __attribute__((no_sanitize("vptr"))) PGconn* connection() const {
    return static_cast<soci::postgresql_session_backend*>(db_.sql().get_backend())->conn_;
  }

  // SOCI quotes what it was told to connect with.
  std::string without_settings(const std::string& text) const {
    const size_t at = text.find("onnection to server");
    return without_secrets(at == std::string::npos ? text : "c" + text.substr(at), address_);
  }

  // In one question, if all is well: there is no transaction that its failure would end.
  int version_to_read() {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> found(
        PQexec(connection(), "SELECT MAX(version) FROM nsop.schema_migration"), PQclear);
    if (PQresultStatus(found.get()) != PGRES_TUPLES_OK) return schema_version();
    return std::atoi(PQgetvalue(found.get(), 0, 0));
  }

  void check_server() {
    const int version = PQserverVersion(connection());
    if (version < kOldest) {
      throw environment_error(fmt::format("{}: is PostgreSQL {}.{}, nsop needs {} or newer",
                                          db_.path(), version / 10000, version / 100 % 100,
                                          kOldest / 10000));
    }
    const char* encoding = PQparameterStatus(connection(), "server_encoding");
    if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
      throw environment_error(
          fmt::format("{}: the database's encoding is {}; make one with `createdb -E UTF8 -T "
                      "template0`",
                      db_.path(), encoding == nullptr ? "unknown" : encoding));
    }
  }

  Error unreachable(const std::string& detail) const {
    const auto says = [&](std::string_view words) {
      return detail.find(words) != std::string::npos;
    };
    if (says("authentication failed") || says("no pg_hba.conf entry") || says("no password")) {
      return environment_error(fmt::format(
          "{}: the server refuses the user ({}); check the user, PGPASSFILE and pg_hba.conf",
          db_.path(), detail));
    }
    if (says("FATAL:  database")) {
      return environment_error(
          fmt::format("{}: no such database ({}); `createdb` makes one", db_.path(), detail));
    }
    if (says("FATAL:  role")) {
      return environment_error(
          fmt::format("{}: no such user ({}); `createuser` makes one", db_.path(), detail));
    }
    return environment_error(
        fmt::format("{}: the server can't be reached ({}); start it, or check the address",
                    db_.path(), detail));
  }

  Error unexpected(const std::string& detail) const {
    return bad_data(
        fmt::format("{}: the database doesn't answer as expected ({}); run `nsop db verify`",
                    db_.path(), detail));
  }

  // https://www.postgresql.org/docs/15/errcodes-appendix.html; a server's error has a state, one
  // without is libpq's own: the connection is lost, although it may not know it yet.
  Error error_for_state(const std::string& state, const std::string& message) const {
    const size_t said = message.find("ERROR:  ");  // SOCI says more before it
    const std::string detail =
        without_secrets(said == std::string::npos ? message : message.substr(said + 8), address_);
    const std::string& path = db_.path();
    const auto is = [&](std::string_view start) { return state.starts_with(start); };
    if (is("55P03") || is("40") || is("57014")) return locked_error(path);
    const bool has_state = state.find_first_not_of(' ') != std::string::npos;
    if (!has_state || is("57P") || is("08") || PQstatus(connection()) == CONNECTION_BAD) {
      const char* const stored = committing_ ? "it isn't known whether this step was stored"
                                             : "nothing of this step was stored";
      return environment_error(fmt::format(
          "{}: the server went away ({}), {}; go on when it is back", path, detail, stored));
    }
    if (is("53100")) {
      return environment_error(fmt::format(
          "{}: the server's disk is full, nothing of this step was stored; free space and go on",
          path));
    }
    if (is("53") || is("58") || is("54")) {
      return environment_error(
          fmt::format("{}: the server can't do it ({}), nothing of this step was stored; see its "
                      "log",
                      path, detail));
    }
    if (is("42501") || is("25006") || is("28")) {
      return environment_error(fmt::format(
          "{}: this user may not do that ({}); `nsop db grant` gives rights", path, detail));
    }
    if (is("XX")) {
      return bad_data(
          fmt::format("{}: the database is damaged ({}); restore a backup", path, detail));
    }
    if (is("23")) {
      return bad_data(fmt::format("{}: the database refused a value ({})", path, detail));
    }
    return unexpected(detail);
  }

  Database& db_;
  std::string address_;
  std::optional<int> opened_version_;  // for whoever asks first after opening
  bool committing_ = false;  // an answer is awaited that says whether a transaction is stored
};

class RawPostgres : public Postgres {
 public:
  using Postgres::Postgres;
  void open(bool) override { connect(); }
};

}  // namespace

std::unique_ptr<Backend> raw_postgres_backend(Database& db, const std::string& address) {
  return std::make_unique<RawPostgres>(db, address);
}

std::unique_ptr<Backend> postgres_backend(Database& db, const std::string& address) {
  return std::make_unique<Postgres>(db, address);
}

}  // namespace nsop::store
