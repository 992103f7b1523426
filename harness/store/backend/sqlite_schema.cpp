// The text of every migration (schema.h). A released text is never edited: add another one.
#include <array>

#include "harness/store/rows/compaction.h"
#include "harness/store/rows/events.h"
#include "harness/store/schema.h"
#include "harness/store/store.h"

namespace nsop::store {
namespace {

// Names are at most 512 bytes. `body` is the JSON text of the noun without what other columns or
// tables hold alone (json_valid() may not be used: with trusted_schema = OFF SQLite 3.40 calls it
// unsafe); the other columns repeat parts of it for queries, and `verify` compares them.
constexpr const char* kFirst = R"sql(
CREATE TABLE schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  applied_utc TEXT NOT NULL
) STRICT;

CREATE TABLE host (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
  cpu_model TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;

CREATE TABLE build (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
  commit_id TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
CREATE INDEX build_commit ON build (commit_id);

CREATE TABLE run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
  host_id TEXT NOT NULL REFERENCES host (id),
  origin TEXT NOT NULL
    CHECK (origin IN ('measured', 'gate', 'confirm', 'imported', 'published')),
  trust TEXT NOT NULL CHECK (trust IN ('local', 'ci', 'pr', 'imported')),
  profile TEXT NOT NULL,
  started_utc TEXT NOT NULL,
  ended_utc TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'aborted')),
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}'),
  CHECK (length(sha256) = CASE state WHEN 'running' THEN 0 ELSE 64 END)
) STRICT;
CREATE INDEX run_line ON run (host_id, profile, started_utc);

CREATE TABLE row_key (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  case_text TEXT NOT NULL CHECK (length(CAST(case_text AS BLOB)) BETWEEN 1 AND 512),
  variant TEXT NOT NULL CHECK (length(CAST(variant AS BLOB)) BETWEEN 1 AND 512),
  target TEXT NOT NULL CHECK (length(CAST(target AS BLOB)) <= 512),
  threads INTEGER NOT NULL CHECK (threads >= 1),
  UNIQUE (case_text, variant, target, threads)
) STRICT;

CREATE TABLE invocation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
  run INTEGER NOT NULL REFERENCES run (seq),
  session INTEGER NOT NULL CHECK (session >= 0),
  round INTEGER NOT NULL CHECK (round >= 0),
  slot INTEGER NOT NULL CHECK (slot >= 0),
  phase TEXT NOT NULL CHECK (phase IN ('time', 'count')),
  build INTEGER NOT NULL REFERENCES build (seq),
  row INTEGER NOT NULL REFERENCES row_key (seq),
  status TEXT NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  inputs_sha256 TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}'),
  samples TEXT CHECK (samples GLOB '{*}'),  -- repetitions by field; NULL: pruned
  samples_sha256 TEXT NOT NULL CHECK (length(samples_sha256) = 64),
  UNIQUE (run, session, round, slot, phase, build, row)
) STRICT;
CREATE INDEX invocation_history ON invocation (row, run);

CREATE TABLE metric (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512),
  unit TEXT NOT NULL,
  better TEXT NOT NULL CHECK (better IN ('less', 'more')),
  kind TEXT NOT NULL CHECK (kind IN ('exact', 'sampled')),
  clock TEXT NOT NULL CHECK (clock IN ('cpu', 'wall', 'device', 'count'))
) STRICT;

CREATE TABLE metric_value (
  invocation INTEGER NOT NULL REFERENCES invocation (seq),
  metric INTEGER NOT NULL REFERENCES metric (seq),
  value REAL NOT NULL CHECK (value >= 0 AND value < 1e19),
  PRIMARY KEY (invocation, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_build (
  run INTEGER NOT NULL REFERENCES run (seq),
  build INTEGER NOT NULL REFERENCES build (seq),
  ok INTEGER NOT NULL CHECK (ok >= 0),
  not_ok INTEGER NOT NULL CHECK (not_ok >= 0),
  PRIMARY KEY (run, build)
) STRICT, WITHOUT ROWID;

CREATE TABLE baseline (
  name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512),
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  PRIMARY KEY (name, host_id)
) STRICT;

CREATE TABLE baseline_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  action TEXT NOT NULL CHECK (action IN ('set', 'move', 'remove')),
  name TEXT NOT NULL,
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  at_utc TEXT NOT NULL
) STRICT;
)sql";

// What happened to alerts: only ever added to. Hosts need no row: events may come from a data
// branch that several machines share.
constexpr const char* kAlerts = R"sql(
CREATE TABLE alert_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
  alert_id TEXT NOT NULL CHECK (length(alert_id) BETWEEN 1 AND 64),
  host_id TEXT NOT NULL CHECK (length(host_id) BETWEEN 1 AND 128),
  action TEXT NOT NULL CHECK (length(action) BETWEEN 1 AND 32),
  at_utc TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}'),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;
CREATE INDEX alert_event_time ON alert_event (at_utc, seq);
CREATE TRIGGER alert_event_is_kept BEFORE DELETE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never deleted');
END;
CREATE TRIGGER alert_event_is_final BEFORE UPDATE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never changed');
END;
)sql";

// Runs that were taken out, and why; what happened to baselines is final, too.
constexpr const char* kRemovals = R"sql(
CREATE TABLE removed_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL CHECK (length(run_id) BETWEEN 1 AND 64),
  host_id TEXT NOT NULL REFERENCES host (id),
  origin TEXT NOT NULL,
  started_utc TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  invocations INTEGER NOT NULL CHECK (invocations >= 0),
  reason TEXT NOT NULL CHECK (length(CAST(reason AS BLOB)) BETWEEN 1 AND 512),
  at_utc TEXT NOT NULL
) STRICT;
CREATE TRIGGER removed_run_is_kept BEFORE DELETE ON removed_run BEGIN
  SELECT RAISE(ABORT, 'removals are never deleted');
END;
CREATE TRIGGER removed_run_is_final BEFORE UPDATE ON removed_run BEGIN
  SELECT RAISE(ABORT, 'removals are never changed');
END;
CREATE TRIGGER baseline_event_is_kept BEFORE DELETE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never deleted');
END;
CREATE TRIGGER baseline_event_is_final BEFORE UPDATE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never changed');
END;
)sql";

// What complete runs say of their rows, for what looks back; made of the seal that it names.
constexpr const char* kSummaries = R"sql(
CREATE TABLE run_summary (
  run INTEGER PRIMARY KEY REFERENCES run (seq),
  version INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;

CREATE TABLE run_row (
  row INTEGER NOT NULL REFERENCES row_key (seq),
  run INTEGER NOT NULL REFERENCES run (seq),
  build INTEGER NOT NULL REFERENCES build (seq),
  status TEXT NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  inputs_sha256 TEXT NOT NULL,
  invocations INTEGER NOT NULL CHECK (invocations >= 0),
  ns REAL NOT NULL CHECK (ns >= 0),
  wall_ns REAL NOT NULL CHECK (wall_ns >= 0),
  allocs REAL NOT NULL CHECK (allocs >= 0 OR allocs = -1),
  bytes REAL NOT NULL CHECK (bytes >= 0 OR bytes = -1),
  PRIMARY KEY (row, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_row_run ON run_row (run);
)sql";

// What invocations share is stored once; columns and packed samples give the rest (packing.h), and
// metrics that no column holds follow from the samples. Events of baselines and removals get their
// digests.
constexpr const char* kCompact = R"sql(
CREATE TABLE shape (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE CHECK (length(sha256) = 64),
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;

CREATE TABLE compact_invocation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
  run INTEGER NOT NULL REFERENCES run (seq),
  session INTEGER NOT NULL CHECK (session >= 0),
  round INTEGER NOT NULL CHECK (round >= 0),
  slot INTEGER NOT NULL CHECK (slot >= 0),
  phase TEXT NOT NULL CHECK (phase IN ('time', 'count')),
  build INTEGER NOT NULL REFERENCES build (seq),
  row INTEGER NOT NULL REFERENCES row_key (seq),
  status TEXT NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  at_utc TEXT NOT NULL,
  process_age_s REAL NOT NULL,
  process_cpu_ns_per_op REAL CHECK (process_cpu_ns_per_op >= 0),
  wall_ns_per_op REAL CHECK (wall_ns_per_op >= 0),
  allocs_per_op REAL CHECK (allocs_per_op >= 0),
  bytes_per_op REAL CHECK (bytes_per_op >= 0),
  shape INTEGER REFERENCES shape (seq),
  body TEXT CHECK (body GLOB '{*}'),
  samples TEXT CHECK (samples GLOB '{*}' OR samples GLOB '[[]*]'),
  body_hash TEXT NOT NULL CHECK (length(body_hash) = 16),
  CHECK ((shape IS NULL) <> (body IS NULL)),
  UNIQUE (run, session, round, slot, phase, build, row)
) STRICT;

DROP TRIGGER baseline_event_is_final;
DROP TRIGGER removed_run_is_final;
ALTER TABLE baseline_event ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE removed_run ADD COLUMN event_sha256 TEXT NOT NULL DEFAULT '';
)sql";

constexpr const char* kCompacted = R"sql(
CREATE TRIGGER removed_run_is_final BEFORE UPDATE ON removed_run BEGIN
  SELECT RAISE(ABORT, 'removals are never changed');
END;
CREATE TRIGGER baseline_event_is_final BEFORE UPDATE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never changed');
END;

DROP TABLE metric_value;
DROP TABLE metric;
DROP TABLE invocation;
ALTER TABLE compact_invocation RENAME TO invocation;

DROP TABLE run_row;
DELETE FROM run_summary;
CREATE TABLE inputs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE run_row (
  row INTEGER NOT NULL REFERENCES row_key (seq),
  run INTEGER NOT NULL REFERENCES run (seq),
  build INTEGER NOT NULL REFERENCES build (seq),
  status TEXT NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  inputs INTEGER NOT NULL REFERENCES inputs (seq),
  invocations INTEGER NOT NULL CHECK (invocations >= 0),
  ns REAL NOT NULL CHECK (ns >= 0),
  wall_ns REAL NOT NULL CHECK (wall_ns >= 0),
  allocs REAL NOT NULL CHECK (allocs >= 0 OR allocs = -1),
  bytes REAL NOT NULL CHECK (bytes >= 0 OR bytes = -1),
  PRIMARY KEY (row, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_row_run ON run_row (run);
)sql";

void move_to_compact(Database& db) {
  compact_invocations(db);
  seal_events(db);
}

// What the first operation of a process took.
constexpr const char* kFirstOperation = R"sql(
ALTER TABLE invocation ADD COLUMN first_ns INTEGER CHECK (first_ns > 0);
)sql";

// What summaries say of repetitions beside the fastest, and of first operations; -1: not known.
// Older summaries are made anew: another version is raised with this one.
constexpr const char* kWholeDistribution = R"sql(
ALTER TABLE run_row ADD COLUMN excess REAL NOT NULL DEFAULT -1
  CHECK (excess >= 0 OR excess = -1);
ALTER TABLE run_row ADD COLUMN first_ns REAL NOT NULL DEFAULT -1
  CHECK (first_ns >= 0 OR first_ns = -1);
)sql";

// Runs of which one repetition of each invocation is left.
constexpr const char* kPrunings = R"sql(
CREATE TABLE pruned_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL CHECK (length(run_id) BETWEEN 1 AND 64),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  thinned_sha256 TEXT NOT NULL CHECK (length(thinned_sha256) = 64),
  invocations INTEGER NOT NULL CHECK (invocations >= 0),
  at_utc TEXT NOT NULL,
  event_sha256 TEXT NOT NULL CHECK (length(event_sha256) = 64)
) STRICT;
CREATE INDEX pruned_run_seal ON pruned_run (run_id, sha256);
CREATE TRIGGER pruned_run_is_kept BEFORE DELETE ON pruned_run BEGIN
  SELECT RAISE(ABORT, 'prunings are never deleted');
END;
CREATE TRIGGER pruned_run_is_final BEFORE UPDATE ON pruned_run BEGIN
  SELECT RAISE(ABORT, 'prunings are never changed');
END;
)sql";

constexpr std::array kMigrations = {Migration{1, "first", kFirst},
                                    Migration{2, "alerts", kAlerts},
                                    Migration{3, "removals", kRemovals},
                                    Migration{4, "summaries", kSummaries},
                                    Migration{5, "compact", kCompact, move_to_compact, kCompacted},
                                    Migration{6, "first operation", kFirstOperation},
                                    Migration{7, "whole distribution", kWholeDistribution},
                                    Migration{8, "prunings", kPrunings}};
static_assert(kMigrations.back().version == kSchemaVersion);

}  // namespace

std::span<const Migration> all_migrations() { return kMigrations; }

}  // namespace nsop::store
