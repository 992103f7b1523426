-- A database as schema version 7 wrote it (a dump). Kept for ever, never edited.
PRAGMA application_id = 1314082640;
PRAGMA user_version = 7;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO alert_event VALUES(1,'e1','a1b2c3d4e5f6','host-a','open','2026-01-02T00:00:00Z','{"reason":"slower"}','3b75d77c488edbb6b992a2473e1248d05e4bd59c96f9e485574478c7577d5b99');
CREATE TABLE baseline (
  name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512),
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  PRIMARY KEY (name, host_id)
) STRICT;
INSERT INTO baseline VALUES('main','host-a','run-1','first','2026-01-01T00:20:00Z');
CREATE TABLE baseline_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  action TEXT NOT NULL CHECK (action IN ('set', 'move', 'remove')),
  name TEXT NOT NULL,
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  at_utc TEXT NOT NULL
, sha256 TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO baseline_event VALUES(1,'set','main','host-a','run-1','first','2026-01-01T00:20:00Z','5f19fead7612264fed329ed066c37cafc8c82e1649dfbb2ae5f17694e8f74cad');
CREATE TABLE build (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
  commit_id TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
INSERT INTO build VALUES(1,'build-a','c0ffee1234','{"id":"build-a","commit":"c0ffee1234","dirty":false,"compiler":"g++ 12.2.0","flags":"-O2","build_type":"","libc":"","engine":"","link_seed":"","binary_sha256":"","reference_sha256":""}');
CREATE TABLE host (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
  cpu_model TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
INSERT INTO host VALUES('host-a','EPYC "Test"','{"id":"host-a","cpu_vendor":"AuthenticAMD","cpu_model":"EPYC \"Test\"","family":25,"model":0,"stepping":0,"sockets":0,"cores":2,"threads":2,"cache_bytes":{"L1d":32768,"L2":1048576},"isa":["avx2","fma"],"hypervisor":""}');
CREATE TABLE inputs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO inputs VALUES(1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
CREATE TABLE IF NOT EXISTS "invocation" (
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
  body_hash TEXT NOT NULL CHECK (length(body_hash) = 16), first_ns INTEGER CHECK (first_ns > 0),
  CHECK ((shape IS NULL) <> (body IS NULL)),
  UNIQUE (run, session, round, slot, phase, build, row)
) STRICT;
INSERT INTO invocation VALUES(1,'run-1-i0',1,0,0,0,'time',1,1,'ok','2026-01-01T00:00:01Z',0.0,1.9899999999999999911,2.0,NULL,NULL,1,NULL,'[3,1000,[2000,1,1],[-10,-1,-1],-10,0,1,0]','79be77b63e202ed3',NULL);
INSERT INTO invocation VALUES(2,'run-1-i1',1,0,0,1,'time',1,1,'ok','2026-01-01T00:00:01Z',0.0,1.9899999999999999911,2.0009999999999998898,NULL,NULL,1,NULL,'[3,1000,[2001,1,1],[-11,-1,-1],-10,0,1,0]','556cfd6a11ae7939',NULL);
INSERT INTO invocation VALUES(3,'run-1-i2',1,0,0,2,'time',1,1,'ok','2026-01-01T00:00:01Z',0.0,1.9899999999999999911,2.0019999999999997797,NULL,NULL,1,NULL,'[3,1000,[2002,1,1],[-12,-1,-1],-10,0,1,0]','f75b2a7f3f7194cc',NULL);
INSERT INTO invocation VALUES(4,'run-2-i0',2,0,0,0,'count',1,1,'ok','2026-01-01T00:00:01Z',0.0,NULL,NULL,2.0,64.499999999999999998,2,NULL,'{}','c2f59ea08f0b19c4',NULL);
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
, event_sha256 TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE row_key (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  case_text TEXT NOT NULL CHECK (length(CAST(case_text AS BLOB)) BETWEEN 1 AND 512),
  variant TEXT NOT NULL CHECK (length(CAST(variant AS BLOB)) BETWEEN 1 AND 512),
  target TEXT NOT NULL CHECK (length(CAST(target AS BLOB)) <= 512),
  threads INTEGER NOT NULL CHECK (threads >= 1),
  UNIQUE (case_text, variant, target, threads)
) STRICT;
INSERT INTO row_key VALUES(1,'relu pass=forward n=10 range=-3:3','hwy','AVX2',1);
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
INSERT INTO run VALUES(1,'run-1','host-a','measured','local','quick','2026-01-01T00:00:00Z','2026-01-01T00:10:00Z','complete','139fbd2bc88692680bad9f4ff04be5813174bb8f8847c9f86c8467ec0873acf0','{"id":"run-1","host_id":"host-a","conditions":{"kernel":"","os":"","governor":"performance","turbo":"","aslr":"","libc":"","microcode":"","load1":0.0,"steal_percent":0.0,"memory_bytes":0,"memory_available_bytes":0,"allowed_cpus":[0,1],"glibc_tunables":""},"origin":"measured","trust":"local","profile":"quick","seed":18446744073709551615,"facts":{"relu pass=forward n=10 range=-3:3":{"flops":10.0,"macs":0.0,"bytes":80.0,"working_set_bytes":80.0}},"plan":"{\"rounds\":6}","invocations_planned":3,"started_utc":"2026-01-01T00:00:00Z","tool_version":"0.1.0"}');
INSERT INTO run VALUES(2,'run-2','host-a','measured','local','quick','2026-01-02T00:00:00Z','','running','','{"id":"run-2","host_id":"host-a","conditions":{"kernel":"","os":"","governor":"performance","turbo":"","aslr":"","libc":"","microcode":"","load1":0.0,"steal_percent":0.0,"memory_bytes":0,"memory_available_bytes":0,"allowed_cpus":[0,1],"glibc_tunables":""},"origin":"measured","trust":"local","profile":"quick","seed":18446744073709551615,"facts":{"relu pass=forward n=10 range=-3:3":{"flops":10.0,"macs":0.0,"bytes":80.0,"working_set_bytes":80.0}},"plan":"{\"rounds\":6}","invocations_planned":3,"started_utc":"2026-01-02T00:00:00Z","tool_version":"0.1.0"}');
CREATE TABLE run_build (
  run INTEGER NOT NULL REFERENCES run (seq),
  build INTEGER NOT NULL REFERENCES build (seq),
  ok INTEGER NOT NULL CHECK (ok >= 0),
  not_ok INTEGER NOT NULL CHECK (not_ok >= 0),
  PRIMARY KEY (run, build)
) STRICT, WITHOUT ROWID;
INSERT INTO run_build VALUES(1,1,3,0);
INSERT INTO run_build VALUES(2,1,1,0);
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
  bytes REAL NOT NULL CHECK (bytes >= 0 OR bytes = -1), excess REAL NOT NULL DEFAULT -1
  CHECK (excess >= 0 OR excess = -1), first_ns REAL NOT NULL DEFAULT -1
  CHECK (first_ns >= 0 OR first_ns = -1),
  PRIMARY KEY (row, run)
) STRICT, WITHOUT ROWID;
INSERT INTO run_row VALUES(1,1,1,'ok',1,3,1.9899999999999999911,2.0009999999999998898,-1.0,-1.0,0.0,-1.0);
CREATE TABLE run_summary (
  run INTEGER PRIMARY KEY REFERENCES run (seq),
  version INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;
INSERT INTO run_summary VALUES(1,2,'139fbd2bc88692680bad9f4ff04be5813174bb8f8847c9f86c8467ec0873acf0');
CREATE TABLE schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  applied_utc TEXT NOT NULL
) STRICT;
INSERT INTO schema_migration VALUES(1,'first','66118443c102a04b02648442d5433bba1550a4578488f0bfd055ea5b2dec59ef','2026-11-21T02:41:20Z');
INSERT INTO schema_migration VALUES(2,'alerts','ac86719fff21dbf9ea3f50f517aa16f3068e2aefd4c9045e44f85c8f5b3fd15b','2026-11-21T09:02:00Z');
INSERT INTO schema_migration VALUES(3,'removals','da25f1745ca28c10b1b2150a0202a117c4a3a54c3156c706a6b94b1f2b769088','2026-11-23T15:28:36Z');
INSERT INTO schema_migration VALUES(4,'summaries','307cf1e5c7f232025defa63b0d663ddd53776297475f312883311dc21f0000f1','2026-11-23T15:28:36Z');
INSERT INTO schema_migration VALUES(5,'compact','ceb865560cb6b467c0eec0e57007620eb26b6ecb4a4ecdc4d531188905b062a8','2026-11-25T02:44:08Z');
INSERT INTO schema_migration VALUES(6,'first operation','d80580d46e07d54172e46e51831d86c7795304f40fdd6b8750f83f579dad090f','2026-11-25T21:32:53Z');
INSERT INTO schema_migration VALUES(7,'whole distribution','1b737702aafce1351d7dac0158abaec45ae5c96f10850898988d70fafaab47d3','2026-11-28T14:34:13Z');
CREATE TABLE shape (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE CHECK (length(sha256) = 64),
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
INSERT INTO shape VALUES(1,'977bd573a02236fb67c8a802374680d221ab84cc8a069944076809a18e7fdfae','{"reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":null,"warnings":[],"workspace_bytes":0}');
INSERT INTO shape VALUES(2,'03b51d7fc2a583b4c68b1703faef0535903b37c3c96873e52154a53babfd4464','{"reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":{"allocs_per_op":2.0,"bytes_per_op":64.5,"one_time_allocs":3,"one_time_bytes":100,"peak_live_bytes":1000,"steady":true},"warnings":[],"workspace_bytes":0}');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('build',2);
INSERT INTO sqlite_sequence VALUES('run',2);
INSERT INTO sqlite_sequence VALUES('row_key',4);
INSERT INTO sqlite_sequence VALUES('baseline_event',1);
INSERT INTO sqlite_sequence VALUES('alert_event',1);
INSERT INTO sqlite_sequence VALUES('shape',2);
INSERT INTO sqlite_sequence VALUES('invocation',4);
INSERT INTO sqlite_sequence VALUES('inputs',1);
CREATE INDEX build_commit ON build (commit_id);
CREATE INDEX run_line ON run (host_id, profile, started_utc);
CREATE INDEX alert_event_time ON alert_event (at_utc, seq);
CREATE INDEX run_row_run ON run_row (run);
CREATE TRIGGER alert_event_is_kept BEFORE DELETE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never deleted');
END;
CREATE TRIGGER alert_event_is_final BEFORE UPDATE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never changed');
END;
CREATE TRIGGER removed_run_is_kept BEFORE DELETE ON removed_run BEGIN
  SELECT RAISE(ABORT, 'removals are never deleted');
END;
CREATE TRIGGER baseline_event_is_kept BEFORE DELETE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never deleted');
END;
CREATE TRIGGER removed_run_is_final BEFORE UPDATE ON removed_run BEGIN
  SELECT RAISE(ABORT, 'removals are never changed');
END;
CREATE TRIGGER baseline_event_is_final BEFORE UPDATE ON baseline_event BEGIN
  SELECT RAISE(ABORT, 'events of baselines are never changed');
END;
COMMIT;
