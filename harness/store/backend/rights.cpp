#include "harness/store/backend/rights.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "harness/core/error.h"
#include "harness/store/backend/address.h"
#include "harness/store/db.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

constexpr std::array kGroups = {"nsop_reader", "nsop_contributor", "nsop_writer", "nsop_admin"};
constexpr std::array kWords = {"reader", "contributor", "writer", "admin"};

// Row level security asks for a run that a contributor may add or end; the group of writers has no
// such limit. It doesn't hold for the owner of the tables.
constexpr const char* kRules = R"sql(
GRANT nsop_reader TO nsop_contributor;
GRANT nsop_contributor TO nsop_writer;
GRANT nsop_writer TO nsop_admin;
REVOKE ALL ON SCHEMA nsop FROM PUBLIC;
GRANT USAGE ON SCHEMA nsop TO nsop_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA nsop TO nsop_reader;
GRANT INSERT ON host, build, run, row_key, shape, inputs, invocation, run_build, run_summary,
  run_row TO nsop_contributor;
GRANT UPDATE (state, ended_utc, sha256) ON run TO nsop_contributor;
GRANT UPDATE (started_utc, body) ON run TO nsop_writer;
GRANT UPDATE (ok, not_ok) ON run_build TO nsop_contributor;
GRANT DELETE ON run_row, run_summary TO nsop_contributor;
GRANT INSERT ON alert_event, baseline_event TO nsop_writer;
GRANT INSERT, UPDATE, DELETE ON baseline TO nsop_writer;
GRANT INSERT ON removed_run, pruned_run TO nsop_admin;
GRANT DELETE ON run, invocation, run_build, shape, inputs TO nsop_admin;

ALTER TABLE run ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS seen ON run;
DROP POLICY IF EXISTS added ON run;
DROP POLICY IF EXISTS ended ON run;
DROP POLICY IF EXISTS removed ON run;
CREATE POLICY seen ON run FOR SELECT USING (true);
CREATE POLICY added ON run FOR INSERT
  WITH CHECK (trust = 'pr' OR pg_has_role(current_user, 'nsop_writer', 'member'));
CREATE POLICY ended ON run FOR UPDATE
  USING (trust = 'pr' OR pg_has_role(current_user, 'nsop_writer', 'member'))
  WITH CHECK (trust = 'pr' OR pg_has_role(current_user, 'nsop_writer', 'member'));
CREATE POLICY removed ON run FOR DELETE
  USING (pg_has_role(current_user, 'nsop_admin', 'member'));
)sql";

// What belongs to a run follows its run.
constexpr std::array kOfRuns = {"invocation", "run_build", "run_summary", "run_row"};

std::string rule_of(const std::string& table) {
  const std::string own =
      "EXISTS (SELECT FROM nsop.run r WHERE r.seq = run AND (r.trust = 'pr' OR "
      "pg_has_role(current_user, 'nsop_writer', 'member')))";
  return fmt::format(
      "ALTER TABLE {0} ENABLE ROW LEVEL SECURITY; DROP POLICY IF EXISTS seen ON {0}; DROP POLICY "
      "IF EXISTS changed ON {0}; CREATE POLICY seen ON {0} FOR SELECT USING (true); CREATE POLICY "
      "changed ON {0} USING ({1}) WITH CHECK ({1});",
      table, own);
}

std::string quoted_name(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

bool is_role(Database& db, const std::string& name) {
  return first_value<long long>(db, "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = :r", name)
      .has_value();
}

}  // namespace

Rights rights_from_text(const std::string& text) {
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (text == kWords[i]) return static_cast<Rights>(i);
  }
  throw usage_error(fmt::format("'{}': expected reader, contributor, writer or admin", text));
}

void grant_rights(const std::string& address, Rights rights, const std::string& role) {
  if (!is_server(address)) {
    throw usage_error(fmt::format(
        "{}: is a file: its permissions say who may read and write it; --db postgresql://… names a "
        "server",
        address));
  }
  Database db(address, false);
  db.guard([&] {
    Transaction transaction(db);
    db.backend().lock("schema", false);
    if (!is_role(db, role)) {
      throw usage_error(fmt::format("{}: no role '{}'; `createuser` makes one", db.path(), role));
    }
    for (const char* group : kGroups) {
      if (!is_role(db, group)) db.script(fmt::format("CREATE ROLE {} NOLOGIN", group));
    }
    db.script(kRules);
    for (const char* table : kOfRuns) db.script(rule_of(table));
    for (const char* group : kGroups) {
      db.script(fmt::format("REVOKE {} FROM {}", group, quoted_name(role)));
    }
    db.script(
        fmt::format("GRANT {} TO {}", kGroups.at(static_cast<size_t>(rights)), quoted_name(role)));
    transaction.commit();
  });
}

}  // namespace nsop::store
