"""nsop with its history on a PostgreSQL server instead of in a file."""

import json
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.exchange_support import lines_of, renamed
from harness.cli.testing.repository_support import BIN, RELU, TANH
from harness.cli.testing.server_support import Server, as_user
from harness.cli.tests.conftest import one_line

SECRET = "s3cr'et@7"
ENCODED = "s3cr%27et%407"
WRITERS = 16


@pytest.fixture(scope="module")
def server():
    own = Server()
    yield own
    own.stop()


@pytest.fixture
def db(server):
    return server.database()


@pytest.fixture
def measured(nsop):
    """A file with two runs, the second a baseline."""
    for cases in ((RELU,), (RELU, TANH)):
        nsop("run", *cases, "--variant", "hwy", "--rounds", "6")
    nsop("baseline", "set", "main", "@last", "--reason", "a start")
    return nsop


def runs_of(address):
    """The ids of its runs, as the database itself says."""
    if not str(address).startswith("postgresql:"):
        with sqlite3.connect(address) as file:
            return sorted(run for (run,) in file.execute("SELECT id FROM run"))
    command = ["psql", "-X", "-A", "-t", "-c", "SELECT id FROM nsop.run", address]
    return sorted(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    )


def exports(nsop, address=None):
    address = address or nsop.environment["NSOP_DB"]
    return {run: nsop("export", run, "--db", address).stdout for run in runs_of(address)}


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
    assert len(runs_of(db)) == 1


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


def test_a_copy_that_was_interrupted_goes_on(measured, server, db):
    own = measured.environment["NSOP_DB"]
    text = measured("export", "@last").stdout
    lines = [line for line in lines_of(text) if line["type"] != "end"]
    for number in range(40):
        _, other = renamed(lines, 0, number)
        measured("import", "-", input=other)
    command = [BIN / "nsop", "db", "copy", own, db]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'nsop'"
    deadline = time.monotonic() + 60
    while server.sql(tables, db) == "0" or server.sql("SELECT COUNT(*) FROM nsop.run", db) == "0":
        assert time.monotonic() < deadline and child.poll() in (None, 0)
    child.kill()
    child.wait()
    before = int(server.sql("SELECT COUNT(*) FROM nsop.run", db))
    rest = json.loads(measured("db", "copy", own, db, "--json").stdout)
    assert rest["known"] == before and rest["runs"] + rest["known"] == 42
    assert exports(measured) == exports(measured, db)


def test_what_can_not_be_copied_is_one_line(measured, db, tmp_path):
    own = measured.environment["NSOP_DB"]
    assert "copied to itself" in one_line(measured("db", "copy", own, own, code=2))
    assert "no such database" in one_line(measured("db", "copy", tmp_path / "none.db", db, code=2))
    measured("db", "copy", own, db)
    measured("baseline", "set", "main", "@last~1", "--reason", "here", "--db", own)
    measured("baseline", "set", "main", "@last~1", "--reason", "there", "--db", db)
    assert "went different ways" in one_line(measured("db", "copy", own, db, code=4))


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


def test_another_schema_is_refused(measured, server, db):
    measured("db", "copy", measured.environment["NSOP_DB"], db)
    server.sql("UPDATE nsop.schema_migration SET version = 99", db)
    said = one_line(measured("list", "runs", "--db", db, code=4))
    assert "has schema 99" in said and "newer nsop" in said


def test_eight_processes_make_one_schema(measured, db, server):
    command = [BIN / "nsop", "db", "copy", measured.environment["NSOP_DB"], db]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: subprocess.run(command, capture_output=True), range(8)))
    assert [one.returncode for one in done] == [0] * 8, done
    assert server.sql("SELECT COUNT(*) FROM nsop.schema_migration", db) == "1"
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
    assert len(runs_of(at["reader"])) == 2
    assert "may not" in one_line(measured(*quick, "--db", at["reader"], code=5))
    assert "may not" in one_line(measured(*quick, "--db", at["contributor"], code=5))
    measured(*quick, "--trust", "pr", "--db", at["contributor"])
    measured(*quick, "--db", at["writer"])
    measured("baseline", "set", "main", "@last", "--reason", "newer", "--db", at["writer"])
    removal = ["db", "remove-run", "@last~1", "--reason", "wrong clock"]
    for rights in ("reader", "contributor", "writer"):
        assert "may not" in one_line(measured(*removal, "--db", at[rights], code=5))
    measured(*removal, "--db", at["admin"])
    assert len(runs_of(db)) == 3
    measured("db", "verify", "--db", at["reader"])
    measured("db", "grant", "reader", "a_admin", "--db", db)
    assert "may not" in one_line(
        measured("db", "remove-run", "@last~2", "--reason", "x", "--db", at["admin"], code=5)
    )


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


@pytest.mark.faults
@pytest.mark.slow
def test_a_server_that_dies_loses_nothing_and_leaves_nothing_half(measured):
    own = Server()
    try:
        db = own.database()
        text = measured("export", "@last").stdout
        lines = [line for line in lines_of(text) if line["type"] != "end"]
        measured("import", "-", "--db", db, input=text)
        killed = 0
        for turn in range(6):
            run, other = renamed(lines, 1, turn)
            child = subprocess.Popen(
                [BIN / "nsop", "import", "-", "--db", db],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            child.stdin.write(other)
            child.stdin.close()
            time.sleep(0.02 * turn)
            own.kill()
            assert child.wait(60) in (0, 5)
            stderr = child.stderr.read()
            if child.returncode == 5:
                killed += 1
                assert len(stderr.strip().splitlines()) == 1, stderr
            own.again()
            measured("db", "verify", "--db", db)
            there = run in runs_of(db)
            assert there or child.returncode == 5
            if there:
                assert measured("export", run, "--db", db).stdout == other
            measured("import", "-", "--db", db, input=other)
            assert measured("export", run, "--db", db).stdout == other
        assert killed > 0
        print(f"server killed in an import: {killed} times, nothing lost, nothing half")
    finally:
        own.stop()


@pytest.mark.faults
@pytest.mark.slow
def test_sixteen_writers_at_once_all_store_what_they_have(measured, server, db):
    text = measured("export", "@last").stdout
    lines = [line for line in lines_of(text) if line["type"] != "end"]
    measured("import", "-", "--db", db, input=text)

    def turns(writer):
        kept = []
        for turn in range(4):
            run, other = renamed(lines, writer, turn)
            measured("import", "-", "--db", db, input=other)
            reason = f"turn {turn}"
            measured("baseline", "set", f"w{writer}", run, "--reason", reason, "--db", db)
            assert measured("export", run, "--db", db).stdout == other
            extra, other = renamed(lines, writer, turn + 100)
            measured("import", "-", "--db", db, input=other)
            measured("db", "remove-run", extra, "--reason", "one too many", "--db", db)
            kept.append(run)
        return kept

    with ThreadPoolExecutor(WRITERS) as pool:
        kept = [run for runs in pool.map(turns, range(WRITERS)) for run in runs]
    assert set(kept) < set(runs_of(db)) and len(kept) == 4 * WRITERS
    measured("db", "verify", "--db", db)
    assert server.sql("SELECT COUNT(*) FROM nsop.baseline_event", db) == str(4 * WRITERS)
    assert server.sql("SELECT COUNT(*) FROM nsop.removed_run", db) == str(4 * WRITERS)
    print(f"{WRITERS} writers of a server: {len(kept)} runs, none lost")
