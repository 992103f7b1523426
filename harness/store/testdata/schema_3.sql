-- A database as schema version 3 wrote it (a dump). Kept for ever, never edited.
PRAGMA application_id = 1314082640;
PRAGMA user_version = 3;
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
INSERT INTO "alert_event" VALUES(1,'e1','a1b2c3d4e5f6','host-a','open','2026-01-02T00:00:00Z','{"reason":"slower"}','3b75d77c488edbb6b992a2473e1248d05e4bd59c96f9e485574478c7577d5b99');
CREATE TABLE baseline (
  name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512),
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  PRIMARY KEY (name, host_id)
) STRICT;
INSERT INTO "baseline" VALUES('main','host-a','run-1','first','2026-01-01T00:20:00Z');
CREATE TABLE baseline_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  action TEXT NOT NULL CHECK (action IN ('set', 'move', 'remove')),
  name TEXT NOT NULL,
  host_id TEXT NOT NULL REFERENCES host (id),
  run_id TEXT NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  at_utc TEXT NOT NULL
) STRICT;
INSERT INTO "baseline_event" VALUES(1,'set','main','host-a','run-1','first','2026-01-01T00:20:00Z');
CREATE TABLE build (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
  commit_id TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
INSERT INTO "build" VALUES(1,'build-a','c0ffee1234','{"id":"build-a","commit":"c0ffee1234","dirty":false,"compiler":"g++ 12.2.0","flags":"-O2","build_type":"","libc":"","engine":"","link_seed":"","binary_sha256":"","reference_sha256":""}');
CREATE TABLE host (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
  cpu_model TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}')
) STRICT;
INSERT INTO "host" VALUES('host-a','EPYC "Test"','{"id":"host-a","cpu_vendor":"AuthenticAMD","cpu_model":"EPYC \"Test\"","family":25,"model":0,"stepping":0,"sockets":0,"cores":2,"threads":2,"cache_bytes":{"L1d":32768,"L2":1048576},"isa":["avx2","fma"],"hypervisor":""}');
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
INSERT INTO "invocation" VALUES(1,'run-1-i0',1,0,0,0,'time',1,1,'ok','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"id":"run-1-i0","run_id":"run-1","phase":"time","session":0,"round":0,"slot":0,"build_id":"build-a","row":{"case":"relu pass=forward n=10 range=-3:3","variant":"hwy","target":"AVX2","threads":1},"status":"ok","reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":null,"warnings":[],"workspace_bytes":0,"process_age_s":0.0,"at_utc":"2026-01-01T00:00:01Z","metrics":{"process_cpu_ns_per_op":1.99,"wall_ns_per_op":2.0},"samples_sha256":"a3565e64910a5ef8f1af30a8014c29a47499009ff3e6c614004a52f239b892d7"}','{"iterations":[1000,1000,1000],"wall_ns":[2000,2001,2002],"process_cpu_ns":[1990,1990,1990],"thread_cpu_ns":[1980,1980,1980],"involuntary_switches":[0,0,0],"minor_faults":[1,1,1],"major_faults":[0,0,0]}','a3565e64910a5ef8f1af30a8014c29a47499009ff3e6c614004a52f239b892d7');
INSERT INTO "invocation" VALUES(2,'run-1-i1',1,0,0,1,'time',1,1,'ok','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"id":"run-1-i1","run_id":"run-1","phase":"time","session":0,"round":0,"slot":1,"build_id":"build-a","row":{"case":"relu pass=forward n=10 range=-3:3","variant":"hwy","target":"AVX2","threads":1},"status":"ok","reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":null,"warnings":[],"workspace_bytes":0,"process_age_s":0.0,"at_utc":"2026-01-01T00:00:01Z","metrics":{"process_cpu_ns_per_op":1.99,"wall_ns_per_op":2.001},"samples_sha256":"d83907a23b4058440fb8f42c7d8926e1c78f87779d4611f80d07f92342b6ad9f"}','{"iterations":[1000,1000,1000],"wall_ns":[2001,2002,2003],"process_cpu_ns":[1990,1990,1990],"thread_cpu_ns":[1980,1980,1980],"involuntary_switches":[0,0,0],"minor_faults":[1,1,1],"major_faults":[0,0,0]}','d83907a23b4058440fb8f42c7d8926e1c78f87779d4611f80d07f92342b6ad9f');
INSERT INTO "invocation" VALUES(3,'run-1-i2',1,0,0,2,'time',1,1,'ok','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"id":"run-1-i2","run_id":"run-1","phase":"time","session":0,"round":0,"slot":2,"build_id":"build-a","row":{"case":"relu pass=forward n=10 range=-3:3","variant":"hwy","target":"AVX2","threads":1},"status":"ok","reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":null,"warnings":[],"workspace_bytes":0,"process_age_s":0.0,"at_utc":"2026-01-01T00:00:01Z","metrics":{"process_cpu_ns_per_op":1.99,"wall_ns_per_op":2.002},"samples_sha256":"f78ba443cff1f26e8974b835025d77fcfe0d35a9f455a0669095538fe84f5d60"}','{"iterations":[1000,1000,1000],"wall_ns":[2002,2003,2004],"process_cpu_ns":[1990,1990,1990],"thread_cpu_ns":[1980,1980,1980],"involuntary_switches":[0,0,0],"minor_faults":[1,1,1],"major_faults":[0,0,0]}','f78ba443cff1f26e8974b835025d77fcfe0d35a9f455a0669095538fe84f5d60');
INSERT INTO "invocation" VALUES(4,'run-2-i0',2,0,0,0,'count',1,1,'ok','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"id":"run-2-i0","run_id":"run-2","phase":"count","session":0,"round":0,"slot":0,"build_id":"build-a","row":{"case":"relu pass=forward n=10 range=-3:3","variant":"hwy","target":"AVX2","threads":1},"status":"ok","reason":"","chose":"","inputs_sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","check":{"ok":true,"max_abs_error":1e-07,"max_rel_error":0.0,"worst_over_tolerance":0.0,"message":""},"allocs":{"allocs_per_op":2.0,"bytes_per_op":64.5,"one_time_allocs":3,"one_time_bytes":100,"peak_live_bytes":1000,"steady":true},"warnings":[],"workspace_bytes":0,"process_age_s":0.0,"at_utc":"2026-01-01T00:00:01Z","metrics":{"allocs_per_op":2.0,"bytes_per_op":64.5,"one_time_allocs":3.0,"one_time_bytes":100.0,"peak_live_bytes":1000.0},"samples_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}','{}','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
CREATE TABLE metric (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512),
  unit TEXT NOT NULL,
  better TEXT NOT NULL CHECK (better IN ('less', 'more')),
  kind TEXT NOT NULL CHECK (kind IN ('exact', 'sampled')),
  clock TEXT NOT NULL CHECK (clock IN ('cpu', 'wall', 'device', 'count'))
) STRICT;
INSERT INTO "metric" VALUES(1,'process_cpu_ns_per_op','ns/op','less','sampled','cpu');
INSERT INTO "metric" VALUES(2,'wall_ns_per_op','ns/op','less','sampled','wall');
INSERT INTO "metric" VALUES(3,'allocs_per_op','allocs/op','less','exact','count');
INSERT INTO "metric" VALUES(4,'bytes_per_op','B/op','less','exact','count');
INSERT INTO "metric" VALUES(5,'one_time_allocs','allocs','less','exact','count');
INSERT INTO "metric" VALUES(6,'one_time_bytes','B','less','exact','count');
INSERT INTO "metric" VALUES(7,'peak_live_bytes','B','less','exact','count');
CREATE TABLE metric_value (
  invocation INTEGER NOT NULL REFERENCES invocation (seq),
  metric INTEGER NOT NULL REFERENCES metric (seq),
  value REAL NOT NULL CHECK (value >= 0 AND value < 1e19),
  PRIMARY KEY (invocation, metric)
) STRICT, WITHOUT ROWID;
INSERT INTO "metric_value" VALUES(1,1,1.99);
INSERT INTO "metric_value" VALUES(1,2,2.0);
INSERT INTO "metric_value" VALUES(2,1,1.99);
INSERT INTO "metric_value" VALUES(2,2,2.001);
INSERT INTO "metric_value" VALUES(3,1,1.99);
INSERT INTO "metric_value" VALUES(3,2,2.002);
INSERT INTO "metric_value" VALUES(4,3,2.0);
INSERT INTO "metric_value" VALUES(4,4,64.5);
INSERT INTO "metric_value" VALUES(4,5,3.0);
INSERT INTO "metric_value" VALUES(4,6,100.0);
INSERT INTO "metric_value" VALUES(4,7,1000.0);
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
INSERT INTO "removed_run" VALUES(1,'run-3','host-a','measured','2026-01-03T00:00:00Z','51ea2f133331c5d9b8fa9ccd97530b20af9cb5601a7b03efec9e1ab7f51b59d4',3,'measured on battery','2026-11-23T23:26:48Z');
CREATE TABLE row_key (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  case_text TEXT NOT NULL CHECK (length(CAST(case_text AS BLOB)) BETWEEN 1 AND 512),
  variant TEXT NOT NULL CHECK (length(CAST(variant AS BLOB)) BETWEEN 1 AND 512),
  target TEXT NOT NULL CHECK (length(CAST(target AS BLOB)) <= 512),
  threads INTEGER NOT NULL CHECK (threads >= 1),
  UNIQUE (case_text, variant, target, threads)
) STRICT;
INSERT INTO "row_key" VALUES(1,'relu pass=forward n=10 range=-3:3','hwy','AVX2',1);
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
INSERT INTO "run" VALUES(1,'run-1','host-a','measured','local','quick','2026-01-01T00:00:00Z','2026-01-01T00:10:00Z','complete','c8aa771c0266e8cf7063adc33a5b9bb2b293b1f5a2ae072d54011c745873695b','{"id":"run-1","host_id":"host-a","conditions":{"kernel":"","os":"","governor":"performance","turbo":"","aslr":"","libc":"","microcode":"","load1":0.0,"steal_percent":0.0,"memory_bytes":0,"memory_available_bytes":0,"allowed_cpus":[0,1],"glibc_tunables":""},"origin":"measured","trust":"local","profile":"quick","seed":18446744073709551615,"facts":{"relu pass=forward n=10 range=-3:3":{"flops":10.0,"macs":0.0,"bytes":80.0,"working_set_bytes":80.0,"written_bytes":40.0}},"plan":"{\"rounds\":6}","invocations_planned":3,"started_utc":"2026-01-01T00:00:00Z","tool_version":"0.1.0"}');
INSERT INTO "run" VALUES(2,'run-2','host-a','measured','local','quick','2026-01-02T00:00:00Z','','running','','{"id":"run-2","host_id":"host-a","conditions":{"kernel":"","os":"","governor":"performance","turbo":"","aslr":"","libc":"","microcode":"","load1":0.0,"steal_percent":0.0,"memory_bytes":0,"memory_available_bytes":0,"allowed_cpus":[0,1],"glibc_tunables":""},"origin":"measured","trust":"local","profile":"quick","seed":18446744073709551615,"facts":{"relu pass=forward n=10 range=-3:3":{"flops":10.0,"macs":0.0,"bytes":80.0,"working_set_bytes":80.0,"written_bytes":40.0}},"plan":"{\"rounds\":6}","invocations_planned":3,"started_utc":"2026-01-02T00:00:00Z","tool_version":"0.1.0"}');
CREATE TABLE run_build (
  run INTEGER NOT NULL REFERENCES run (seq),
  build INTEGER NOT NULL REFERENCES build (seq),
  ok INTEGER NOT NULL CHECK (ok >= 0),
  not_ok INTEGER NOT NULL CHECK (not_ok >= 0),
  PRIMARY KEY (run, build)
) STRICT, WITHOUT ROWID;
INSERT INTO "run_build" VALUES(1,1,3,0);
INSERT INTO "run_build" VALUES(2,1,1,0);
CREATE TABLE schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  applied_utc TEXT NOT NULL
) STRICT;
INSERT INTO "schema_migration" VALUES(1,'first','66118443c102a04b02648442d5433bba1550a4578488f0bfd055ea5b2dec59ef','2026-11-23T23:26:47Z');
INSERT INTO "schema_migration" VALUES(2,'alerts','ac86719fff21dbf9ea3f50f517aa16f3068e2aefd4c9045e44f85c8f5b3fd15b','2026-11-23T23:26:47Z');
INSERT INTO "schema_migration" VALUES(3,'removals','da25f1745ca28c10b1b2150a0202a117c4a3a54c3156c706a6b94b1f2b769088','2026-11-23T23:26:47Z');
CREATE INDEX build_commit ON build (commit_id);
CREATE INDEX run_line ON run (host_id, profile, started_utc);
CREATE INDEX invocation_history ON invocation (row, run);
CREATE INDEX alert_event_time ON alert_event (at_utc, seq);
CREATE TRIGGER alert_event_is_kept BEFORE DELETE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never deleted');
END;
CREATE TRIGGER alert_event_is_final BEFORE UPDATE ON alert_event BEGIN
  SELECT RAISE(ABORT, 'events of alerts are never changed');
END;
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('build',3);
INSERT INTO "sqlite_sequence" VALUES('run',3);
INSERT INTO "sqlite_sequence" VALUES('row_key',1);
INSERT INTO "sqlite_sequence" VALUES('invocation',7);
INSERT INTO "sqlite_sequence" VALUES('metric',7);
INSERT INTO "sqlite_sequence" VALUES('baseline_event',1);
INSERT INTO "sqlite_sequence" VALUES('alert_event',1);
INSERT INTO "sqlite_sequence" VALUES('removed_run',1);
COMMIT;
