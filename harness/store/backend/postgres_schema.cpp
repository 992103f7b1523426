// The text of every migration of a PostgreSQL database (schema.h); it begins with schema 7 of
// SQLite, of which it has the tables and columns. A released text is never edited: add another one.
#include <array>

#include "harness/store/schema.h"
#include "harness/store/store.h"

namespace nsop::store {
namespace {

// Texts are compared byte for byte, as SQLite does (COLLATE "C"). A complete run is final: nothing
// of it changes, and it goes only after its removal is on record.
constexpr const char* kPostgresFirst = R"sql(
CREATE SCHEMA IF NOT EXISTS nsop;

CREATE TABLE schema_migration (
  version BIGINT PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  applied_utc TEXT COLLATE "C" NOT NULL
);
CREATE TABLE schema_object (  -- what the last migration left, for verify
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, name)
);

CREATE TABLE host (
  id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
  cpu_model TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL CHECK (body LIKE '{%}')
);

CREATE TABLE build (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
  commit_id TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL CHECK (body LIKE '{%}')
);
CREATE INDEX build_commit ON build (commit_id);

CREATE TABLE run (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
  host_id TEXT COLLATE "C" NOT NULL REFERENCES host (id),
  origin TEXT COLLATE "C" NOT NULL
    CHECK (origin IN ('measured', 'gate', 'confirm', 'imported', 'published')),
  trust TEXT COLLATE "C" NOT NULL CHECK (trust IN ('local', 'ci', 'pr', 'imported')),
  profile TEXT COLLATE "C" NOT NULL,
  started_utc TEXT COLLATE "C" NOT NULL,
  ended_utc TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('running', 'complete', 'aborted')),
  sha256 TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL CHECK (body LIKE '{%}'),
  CONSTRAINT run_sealed CHECK (length(sha256) = CASE state WHEN 'running' THEN 0 ELSE 64 END)
);
CREATE INDEX run_line ON run (host_id, profile, started_utc);

CREATE TABLE row_key (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  case_text TEXT COLLATE "C" NOT NULL CHECK (octet_length(case_text) BETWEEN 1 AND 512),
  variant TEXT COLLATE "C" NOT NULL CHECK (octet_length(variant) BETWEEN 1 AND 512),
  target TEXT COLLATE "C" NOT NULL CHECK (octet_length(target) <= 512),
  threads BIGINT NOT NULL CHECK (threads >= 1),
  UNIQUE (case_text, variant, target, threads)
);

CREATE TABLE shape (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(sha256) = 64),
  body TEXT COLLATE "C" NOT NULL CHECK (body LIKE '{%}')
);

CREATE TABLE invocation (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
  run BIGINT NOT NULL REFERENCES run (seq),
  session BIGINT NOT NULL CHECK (session >= 0),
  round BIGINT NOT NULL CHECK (round >= 0),
  slot BIGINT NOT NULL CHECK (slot >= 0),
  phase TEXT COLLATE "C" NOT NULL CHECK (phase IN ('time', 'count')),
  build BIGINT NOT NULL REFERENCES build (seq),
  row BIGINT NOT NULL REFERENCES row_key (seq),
  status TEXT COLLATE "C" NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  at_utc TEXT COLLATE "C" NOT NULL,
  process_age_s DOUBLE PRECISION NOT NULL,
  process_cpu_ns_per_op DOUBLE PRECISION CHECK (process_cpu_ns_per_op >= 0),
  wall_ns_per_op DOUBLE PRECISION CHECK (wall_ns_per_op >= 0),
  allocs_per_op DOUBLE PRECISION CHECK (allocs_per_op >= 0),
  bytes_per_op DOUBLE PRECISION CHECK (bytes_per_op >= 0),
  shape BIGINT REFERENCES shape (seq),
  body TEXT COLLATE "C" CHECK (body LIKE '{%}'),
  samples TEXT COLLATE "C" CHECK (samples LIKE '{%}' OR samples LIKE '[%]'),
  body_hash TEXT COLLATE "C" NOT NULL CHECK (length(body_hash) = 16),
  first_ns BIGINT CHECK (first_ns > 0),
  CONSTRAINT invocation_form CHECK ((shape IS NULL) <> (body IS NULL)),
  UNIQUE (run, session, round, slot, phase, build, row)
);

CREATE TABLE run_build (
  run BIGINT NOT NULL REFERENCES run (seq),
  build BIGINT NOT NULL REFERENCES build (seq),
  ok BIGINT NOT NULL CHECK (ok >= 0),
  not_ok BIGINT NOT NULL CHECK (not_ok >= 0),
  PRIMARY KEY (run, build)
);

CREATE TABLE run_summary (
  run BIGINT PRIMARY KEY REFERENCES run (seq),
  version BIGINT NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64)
);

CREATE TABLE inputs (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE run_row (
  row BIGINT NOT NULL REFERENCES row_key (seq),
  run BIGINT NOT NULL REFERENCES run (seq),
  build BIGINT NOT NULL REFERENCES build (seq),
  status TEXT COLLATE "C" NOT NULL
    CHECK (status IN ('ok', 'wrong', 'unsupported', 'error', 'timeout', 'lost')),
  inputs BIGINT NOT NULL REFERENCES inputs (seq),
  invocations BIGINT NOT NULL CHECK (invocations >= 0),
  ns DOUBLE PRECISION NOT NULL CHECK (ns >= 0),
  wall_ns DOUBLE PRECISION NOT NULL CHECK (wall_ns >= 0),
  allocs DOUBLE PRECISION NOT NULL CHECK (allocs >= 0 OR allocs = -1),
  bytes DOUBLE PRECISION NOT NULL CHECK (bytes >= 0 OR bytes = -1),
  excess DOUBLE PRECISION NOT NULL CHECK (excess >= 0 OR excess = -1),
  first_ns DOUBLE PRECISION NOT NULL CHECK (first_ns >= 0 OR first_ns = -1),
  PRIMARY KEY (row, run)
);
CREATE INDEX run_row_run ON run_row (run);

CREATE TABLE baseline (
  name TEXT COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 512),
  host_id TEXT COLLATE "C" NOT NULL REFERENCES host (id),
  run_id TEXT COLLATE "C" NOT NULL REFERENCES run (id),
  reason TEXT COLLATE "C" NOT NULL,
  set_utc TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (name, host_id)
);

CREATE TABLE baseline_event (
  seq BIGINT PRIMARY KEY,
  action TEXT COLLATE "C" NOT NULL CHECK (action IN ('set', 'move', 'remove')),
  name TEXT COLLATE "C" NOT NULL,
  host_id TEXT COLLATE "C" NOT NULL REFERENCES host (id),
  run_id TEXT COLLATE "C" NOT NULL REFERENCES run (id),
  reason TEXT COLLATE "C" NOT NULL,
  at_utc TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL
);

CREATE TABLE alert_event (
  seq BIGINT PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
  alert_id TEXT COLLATE "C" NOT NULL CHECK (length(alert_id) BETWEEN 1 AND 64),
  host_id TEXT COLLATE "C" NOT NULL CHECK (length(host_id) BETWEEN 1 AND 128),
  action TEXT COLLATE "C" NOT NULL CHECK (length(action) BETWEEN 1 AND 32),
  at_utc TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL CHECK (body LIKE '{%}'),
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64)
);
CREATE INDEX alert_event_time ON alert_event (at_utc, seq);

CREATE TABLE removed_run (
  seq BIGINT PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL CHECK (length(run_id) BETWEEN 1 AND 64),
  host_id TEXT COLLATE "C" NOT NULL REFERENCES host (id),
  origin TEXT COLLATE "C" NOT NULL,
  started_utc TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  invocations BIGINT NOT NULL CHECK (invocations >= 0),
  reason TEXT COLLATE "C" NOT NULL CHECK (octet_length(reason) BETWEEN 1 AND 512),
  at_utc TEXT COLLATE "C" NOT NULL,
  event_sha256 TEXT COLLATE "C" NOT NULL
);

CREATE FUNCTION is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only ever added to', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER alert_event_is_final BEFORE UPDATE OR DELETE ON alert_event
  FOR EACH ROW EXECUTE FUNCTION is_kept();
CREATE TRIGGER baseline_event_is_final BEFORE UPDATE OR DELETE ON baseline_event
  FOR EACH ROW EXECUTE FUNCTION is_kept();
CREATE TRIGGER removed_run_is_final BEFORE UPDATE OR DELETE ON removed_run
  FOR EACH ROW EXECUTE FUNCTION is_kept();

CREATE FUNCTION run_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'complete' THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM nsop.removed_run
                                  WHERE run_id = OLD.id AND sha256 = OLD.sha256) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'run % is complete: it never changes', OLD.id USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER run_is_final BEFORE UPDATE OR DELETE ON run
  FOR EACH ROW EXECUTE FUNCTION run_is_final();

CREATE FUNCTION invocation_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_run nsop.run;
BEGIN
  SELECT * INTO of_run FROM nsop.run
    WHERE seq = CASE TG_OP WHEN 'INSERT' THEN NEW.run ELSE OLD.run END;
  IF TG_OP = 'INSERT' AND of_run.state = 'running' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM nsop.removed_run
                                  WHERE run_id = of_run.id AND sha256 = of_run.sha256) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'run % is %: its invocations never change', of_run.id, of_run.state
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER invocation_is_final BEFORE INSERT OR UPDATE OR DELETE ON invocation
  FOR EACH ROW EXECUTE FUNCTION invocation_is_final();
)sql";

// Runs of which one repetition of each invocation is left. A run that is on record as pruned with
// the seal that it has changes once: then it has another one.
constexpr const char* kPostgresPrunings = R"sql(
CREATE TABLE pruned_run (
  seq BIGINT PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL CHECK (length(run_id) BETWEEN 1 AND 64),
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  thinned_sha256 TEXT COLLATE "C" NOT NULL CHECK (length(thinned_sha256) = 64),
  invocations BIGINT NOT NULL CHECK (invocations >= 0),
  at_utc TEXT COLLATE "C" NOT NULL,
  event_sha256 TEXT COLLATE "C" NOT NULL CHECK (length(event_sha256) = 64)
);
CREATE INDEX pruned_run_seal ON pruned_run (run_id, sha256);
CREATE TRIGGER pruned_run_is_final BEFORE UPDATE OR DELETE ON pruned_run
  FOR EACH ROW EXECUTE FUNCTION is_kept();

CREATE OR REPLACE FUNCTION run_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'complete' THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM nsop.removed_run
                                  WHERE run_id = OLD.id AND sha256 = OLD.sha256) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM nsop.pruned_run
                                  WHERE run_id = OLD.id AND sha256 = OLD.sha256) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'run % is complete: it never changes', OLD.id USING ERRCODE = 'check_violation';
END $$;

CREATE OR REPLACE FUNCTION invocation_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_run nsop.run;
BEGIN
  SELECT * INTO of_run FROM nsop.run
    WHERE seq = CASE TG_OP WHEN 'INSERT' THEN NEW.run ELSE OLD.run END;
  IF TG_OP = 'INSERT' AND of_run.state = 'running' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND (EXISTS (SELECT FROM nsop.removed_run
                                   WHERE run_id = of_run.id AND sha256 = of_run.sha256)
                           OR EXISTS (SELECT FROM nsop.pruned_run
                                      WHERE run_id = of_run.id AND sha256 = of_run.sha256)) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'run % is %: its invocations never change', of_run.id, of_run.state
    USING ERRCODE = 'check_violation';
END $$;

DO $$  -- roles that were given rights before
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'nsop_reader') THEN
    GRANT SELECT ON nsop.pruned_run TO nsop_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'nsop_admin') THEN
    GRANT INSERT ON nsop.pruned_run TO nsop_admin;
  END IF;
END $$;
)sql";

// Rows lie in the order in which runs come: what one row has of 2,000 runs lies on as many pages.
// An index that has all columns keeps it together, as the file's table does.
constexpr const char* kPostgresRowsTogether = R"sql(
ALTER TABLE run_row DROP CONSTRAINT run_row_pkey,
  ADD CONSTRAINT run_row_pkey PRIMARY KEY (row, run)
    INCLUDE (build, status, inputs, invocations, ns, wall_ns, excess, first_ns, allocs, bytes);
)sql";

constexpr std::array kPostgresMigrations = {Migration{7, "first", kPostgresFirst},
                                            Migration{8, "prunings", kPostgresPrunings},
                                            Migration{9, "rows together", kPostgresRowsTogether}};
static_assert(kPostgresMigrations.back().version == kServerSchemaVersion);

}  // namespace

std::span<const Migration> postgres_migrations() { return kPostgresMigrations; }

}  // namespace nsop::store
