"""nsop with its history on a PostgreSQL server instead of in a file."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.repository_support import BIN, RELU, TANH
from harness.cli.testing.server_support import as_user, exports, runs_of
from harness.cli.tests.conftest import one_line

SECRET = "s3cr'et@7"
ENCODED = "s3cr%27et%407"


def test_a_server_stands_wherever_a_file_does(nsop, db, tmp_path):
    at = {"env": {"NSOP_DB": db}}
    assert "no database yet" in one_line(nsop("list", "runs", code=2, **at))
    for _ in range(2):
        nsop("run", RELU, "--variant", "hwy", "--rounds", "6", **at)
    nsop("baseline", "set", "main", "@last~1", "--reason", "a start", **at)
    assert nsop("diff", "main", "@last", "--all", code=None, **at).returncode in (0, 1, 3)
    assert "2 runs" in nsop("db", "verify", **at).stdout
    nsop("site", tmp_path / "site", **at)
    assert (tmp_path / "site/index.html").exists()
    doctor = json.loads(nsop("doctor", "--json", code=None, **at).stdout)
    assert [f["level"] for f in doctor["findings"] if f["check"] == "database"] == ["ok"]
    write_open_alert(tmp_path / "nights", RELU)
    assert ALERT in nsop("alert", "show", ALERT, "--history", tmp_path / "nights", **at).stdout
    nsop("db", "backup", tmp_path / "copy.db", **at)
    assert exports(nsop, db) == exports(nsop, tmp_path / "copy.db")
    assert "main" in nsop("baseline", "list", "--db", tmp_path / "copy.db").stdout


def test_a_run_is_the_same_text_in_both(measured, db, tmp_path):
    text = measured("export", "@last").stdout
    (tmp_path / "run.ndjson").write_text(text)
    measured("import", tmp_path / "run.ndjson", "--db", db)
    assert measured("export", "@last", "--db", db).stdout == text
    measured("import", tmp_path / "run.ndjson", "--db", db)  # known: no effect
    assert len(runs_of(measured, db)) == 1


def test_a_history_moves_to_a_server_and_back(measured, db, tmp_path):
    own = measured.environment["NSOP_DB"]
    first = json.loads(measured("db", "copy", own, db, "--json").stdout)
    assert (first["runs"], first["events"]) == (2, 1)
    again = json.loads(measured("db", "copy", own, db, "--json").stdout)
    assert (again["runs"], again["known"], again["events"]) == (0, 2, 0)
    back = tmp_path / "back.db"
    measured("db", "copy", db, back)
    assert exports(measured) == exports(measured, db) == exports(measured, back)
    lists = [
        measured("baseline", "list", "--db", where).stdout.strip() for where in (own, db, back)
    ]
    assert "main" in lists[0] and len(set(lists)) == 1
    for where in (db, back):
        measured("db", "verify", "--db", where)


def test_what_can_not_be_copied_is_one_line(measured, db, tmp_path):
    own = measured.environment["NSOP_DB"]
    assert "copied to itself" in one_line(measured("db", "copy", own, own, code=2))
    assert "no such database" in one_line(measured("db", "copy", tmp_path / "none.db", db, code=2))
    measured("db", "copy", own, db)
    measured("baseline", "set", "main", "@last~1", "--reason", "here", "--db", own)
    measured("baseline", "set", "main", "@last~1", "--reason", "there", "--db", db)
    assert "went different ways" in one_line(measured("db", "copy", own, db, code=4))


@pytest.mark.faults
@pytest.mark.parametrize(
    "address, code, said",
    [
        (f"postgresql://bot:{ENCODED}@127.0.0.1:9/perf", 5, "can't be reached"),
        (f"postgresql://bot:{ENCODED}@/perf?host=/nowhere", 5, "can't be reached"),
        (f"postgresql://bot:{ENCODED}%@h/perf", 2, "can't be read"),
        (f"postgresql://bot:{ENCODED}@h/perf?nonsense=1", 2, "can't be read"),
        ("service=none-of-that-name", 5, "can't be reached"),
    ],
)
def test_a_server_that_is_away_is_one_line_without_the_password(nsop, address, code, said):
    for verb in (["list", "runs"], ["run", RELU, "--rounds", "2"], ["db", "verify"]):
        done = nsop(*verb, code=code, env={"NSOP_DB": address})
        assert said in one_line(done)
        for secret in (SECRET, ENCODED, "s3cr"):
            assert secret not in done.stdout + done.stderr
    done = nsop("doctor", code=None, env={"NSOP_DB": address})
    assert "s3cr" not in done.stdout + done.stderr


@pytest.mark.faults
def test_no_message_says_the_password(measured, server, db):
    server.sql(f"CREATE ROLE bot LOGIN PASSWORD '{SECRET.replace(chr(39), chr(39) * 2)}'")
    address = as_user(db, f"bot&password={ENCODED}")
    own = measured.environment["NSOP_DB"]
    for words, code in [
        (["list", "runs", "--db", address], 2),
        (["db", "copy", own, address], 5),
        (["db", "migrate", "--db", address], 2),
        (["db", "copy", own, address.replace("bot&", "nsop_admin&")], 0),
        (["db", "verify", "--db", address.replace("bot&", "nsop_admin&")], 0),
        (["list", "runs", "--db", address], 5),
        (["db", "migrate", "--db", address.replace("bot&", "nsop_admin&")], 0),
        (["db", "backup", "/nowhere/x.db", "--db", address.replace("bot&", "nsop_admin&")], 5),
        (["run", RELU, "--rounds", "2", "--db", address], 5),
        (["list", "runs", "--db", address.replace("///made_", "///none_")], 5),
        (["list", "runs", "--db", address.replace("bot&", "nobody&")], 5),
    ]:
        done = measured(*words, code=code)
        assert "s3cr" not in done.stdout + done.stderr, words
        assert code == 0 or one_line(done)


@pytest.mark.faults
def test_a_service_names_a_server(measured, server, db, tmp_path):
    own = measured.environment["NSOP_DB"]
    server.demand_password("by_service", SECRET, "scram-sha-256")
    services = tmp_path / "services.conf"
    name = db.split("///")[1].split("?")[0]
    section = f"host={server.folder}\ndbname={name}\nuser=by_service\n"
    services.write_text(
        f"[perf]\n{section}password={SECRET}\n[wrong]\n{section}password={SECRET}x\n"
    )
    at = {"env": {"PGSERVICEFILE": str(services)}}
    measured("db", "copy", own, "service=perf", **at)
    assert exports(measured) == exports(measured, db)
    quick = ("run", RELU, "--variant", "hwy", "--rounds", "2")
    done = measured(*quick, "--db", "service=perf", **at)
    assert len(runs_of(measured, db)) == 3 and "s3cr" not in done.stdout + done.stderr
    at["env"]["NSOP_DB"] = "service=perf"
    done = measured("db", "verify", **at)
    assert done.stdout.startswith("3 runs")
    for service, said in (("wrong", "refuses the user"), ("none", "can't be reached")):
        at["env"]["NSOP_DB"] = f"service={service}"
        line = one_line(measured("list", "runs", code=5, **at))
        assert f"service={service}: " in line and said in line and "s3cr" not in line


def test_another_schema_is_refused(measured, server, db):
    measured("db", "copy", measured.environment["NSOP_DB"], db)
    server.sql("UPDATE nsop.schema_migration SET version = 99 WHERE version > 8", db)
    said = one_line(measured("list", "runs", "--db", db, code=4))
    assert "has schema 99" in said and "newer nsop" in said


@pytest.mark.faults
def test_eight_processes_make_one_schema(measured, db, server):
    command = [BIN / "nsop", "db", "copy", measured.environment["NSOP_DB"], db]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: subprocess.run(command, capture_output=True), range(8)))
    assert [(one.returncode, one.stderr) for one in done] == [(0, b"")] * 8
    assert server.sql("SELECT COUNT(*) FROM nsop.schema_migration", db) == "3"
    assert exports(measured) == exports(measured, db)
    measured("db", "verify", "--db", db)


def test_rights_are_what_is_granted(measured, server, db):
    own = measured.environment["NSOP_DB"]
    measured("db", "copy", own, db)
    for rights in ("reader", "contributor", "writer", "admin"):
        server.sql(f"CREATE ROLE a_{rights} LOGIN")
        measured("db", "grant", rights, f"a_{rights}", "--db", db)
    at = {rights: as_user(db, f"a_{rights}") for rights in ("reader", "contributor", "writer")}
    at["admin"] = as_user(db, "a_admin")
    quick = ["run", RELU, "--variant", "hwy", "--rounds", "6"]
    assert len(runs_of(measured, at["reader"])) == 2
    assert "may not" in one_line(measured(*quick, "--db", at["reader"], code=5))
    assert "may not" in one_line(measured(*quick, "--db", at["contributor"], code=5))
    measured(*quick, "--trust", "pr", "--db", at["contributor"])
    measured(*quick, "--db", at["writer"])
    measured("baseline", "set", "main", "@last", "--reason", "newer", "--db", at["writer"])
    removal = ["db", "remove-run", "@last~1", "--reason", "wrong clock"]
    pruning = ["db", "prune", "--before", "2099-01-01"]
    for rights in ("reader", "contributor", "writer"):
        assert "may not" in one_line(measured(*removal, "--db", at[rights], code=5))
        assert "may not" in one_line(measured(*pruning, "--db", at[rights], code=5))
    assert "3 runs pruned" in measured(*pruning, "--db", at["admin"]).stdout
    measured(*removal, "--db", at["admin"])
    assert len(runs_of(measured, db)) == 3
    measured("db", "verify", "--db", at["reader"])
    measured("db", "grant", "reader", "a_admin", "--db", db)
    assert "may not" in one_line(
        measured("db", "remove-run", "@last~2", "--reason", "x", "--db", at["admin"], code=5)
    )


def test_a_dry_run_of_pruning_says_what_would_go_and_changes_nothing(measured, server, db):
    own = measured.environment["NSOP_DB"]
    measured("baseline", "remove", "main", "--reason", "to be pruned")
    measured("db", "copy", own, db)
    server.sql("CREATE ROLE a_looker LOGIN")
    measured("db", "grant", "reader", "a_looker", "--db", db)
    words = ("db", "prune", "--before", "2099-01-01")
    before = exports(measured)
    bytes_of_file = Path(own).read_bytes()
    for where in (own, as_user(db, "a_looker")):
        said = measured(*words, "--dry-run", "--db", where).stdout
        assert said.startswith("2 runs would be pruned, with "), said
        told = json.loads(measured(*words, "--dry-run", "--json", "--db", where).stdout)
        assert (told["dry_run"], told["runs"]) == (True, 2) and told["sample_bytes"] > 0
    assert exports(measured) == exports(measured, db) == before
    assert Path(own).read_bytes() == bytes_of_file
    for where in (own, db):
        assert measured(*words, "--db", where).stdout.startswith("2 runs pruned, with ")
        assert measured(*words, "--dry-run", "--db", where).stdout.startswith("0 runs would be")
    after = exports(measured)
    assert after == exports(measured, db)
    assert all(len(after[run]) < len(text) for run, text in before.items())


def test_what_is_granted_wrongly_is_one_line(measured, server, db):
    own = measured.environment["NSOP_DB"]
    assert "is a file" in one_line(measured("db", "grant", "reader", "bot", "--db", own, code=2))
    assert "no role" in one_line(measured("db", "grant", "reader", "x\"';", "--db", db, code=2))
    assert "expected reader" in one_line(measured("db", "grant", "all", "bot", "--db", db, code=2))


def test_the_database_itself_keeps_a_complete_run(measured, server, db):
    measured("db", "copy", measured.environment["NSOP_DB"], db)
    for statement in (
        "UPDATE nsop.run SET profile = 'x'",
        "DELETE FROM nsop.run",
        "UPDATE nsop.invocation SET status = 'wrong'",
        "DELETE FROM nsop.invocation",
        "UPDATE nsop.baseline_event SET reason = 'x'",
    ):
        done = subprocess.run(["psql", "-X", "-c", statement, db], capture_output=True, text=True)
        assert done.returncode != 0 and ("never change" in done.stderr or "added to" in done.stderr)
    measured("db", "verify", "--db", db)


def test_only_the_owner_and_the_superuser_can_empty_a_table_or_switch_triggers_off(
    measured, server
):
    server.sql("CREATE ROLE the_owner LOGIN CREATEROLE")
    db = server.database()
    server.sql(f"ALTER DATABASE {db.split('///')[1].split('?')[0]} OWNER TO the_owner")
    owner = as_user(db, "the_owner")
    measured("db", "copy", measured.environment["NSOP_DB"], owner)
    server.sql("CREATE ROLE with_all LOGIN")
    measured("db", "grant", "admin", "with_all", "--db", db)

    def psql(address, statement):
        command = ["psql", "-X", "-c", statement, address]
        return subprocess.run(command, capture_output=True, text=True)

    off = "ALTER TABLE nsop.run DISABLE TRIGGER run_is_final"
    empty = "TRUNCATE nsop.invocation CASCADE"
    for statement in (off, empty, "TRUNCATE nsop.run CASCADE", "DROP TABLE nsop.run CASCADE"):
        done = psql(as_user(db, "with_all"), statement)
        assert "permission denied" in done.stderr or "must be owner" in done.stderr, done.stderr
    measured("db", "verify", "--db", db)
    assert psql(owner, off).returncode == 0
    found = measured("db", "verify", "--db", db, code=4).stdout
    assert "trigger run.run_is_final: is missing" in found
    assert psql(owner, off.replace("DISABLE", "ENABLE")).returncode == 0
    measured("db", "verify", "--db", db)
    assert psql(owner, empty).returncode == 0
    found = measured("db", "verify", "--db", db, code=4).stdout
    assert all(run in found for run in runs_of(measured, db))


def test_shards_are_merged_into_a_server(nsop, db, tmp_path):
    folder = tmp_path / "parts"
    what = (RELU, TANH, "--variant", "hwy", "--rounds", "3", "--shards", "2", "--local", "1")
    done = nsop("submit", *what, "--folder", folder, "--db", db, "--json")
    (run,) = json.loads(done.stdout)["runs"]
    assert run["complete"] and run["added"] == 8
    again = json.loads(nsop("merge", folder, "--db", db, "--json").stdout)["runs"][0]
    assert again["added"] == 0 and again["known"] == 8
    nsop("merge", folder)
    exported = nsop("export", run["run"], "--db", db).stdout
    assert nsop("export", run["run"]).stdout == exported
    assert nsop("db", "verify", "--db", db).stdout.endswith("0 problems\n")
