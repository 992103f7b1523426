"""A history on a PostgreSQL server that dies, copies that are killed, many writers at once."""

import json
import random
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from harness.cli.testing.exchange_support import lines_of, renamed
from harness.cli.testing.repository_support import BIN
from harness.cli.testing.server_support import (
    FAULTY_DISK,
    Network,
    Server,
    exports,
    runs_of,
    with_full_disk,
)
from harness.cli.testing.writers_support import WRITERS, measure_at_once
from harness.cli.tests.conftest import one_line

pytestmark = pytest.mark.faults


def runs_on_server(server, db):
    """How many runs the database `db` has, 0 before it has tables."""
    tables = server.sql("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'nsop'", db)
    return int(server.sql("SELECT COUNT(*) FROM nsop.run", db)) if tables != "0" else 0


def runs_in_file(path):
    """How many runs a file has, 0 before it has tables or while it is being made."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
        try:
            return file.execute("SELECT COUNT(*) FROM run").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


@pytest.mark.slow
@pytest.mark.parametrize("target", ["server", "file"])
def test_a_copy_that_was_interrupted_goes_on(measured, server, db, tmp_path, target):
    own = measured.environment["NSOP_DB"]
    text = measured("export", "@last").stdout
    lines = [line for line in lines_of(text) if line["type"] != "end"]
    for number in range(40):
        _, other = renamed(lines, 0, number)
        measured("import", "-", input=other)
    there, copied = db, lambda: runs_on_server(server, db)
    if target == "file":
        measured("db", "copy", own, db)
        file = tmp_path / "copy.db"
        own, there, copied = db, str(file), lambda: runs_in_file(file)
    command = [BIN / "nsop", "db", "copy", own, there]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while copied() == 0:
        assert time.monotonic() < deadline and child.poll() in (None, 0)
    child.kill()
    child.wait()
    before = copied()
    rest = json.loads(measured("db", "copy", own, there, "--json").stdout)
    assert rest["known"] == before and rest["runs"] + rest["known"] == 42
    assert exports(measured) == exports(measured, there)


@pytest.mark.slow
def test_a_server_that_dies_loses_nothing_and_leaves_nothing_half(measured):
    own = Server()
    try:
        db = own.database()
        text = measured("export", "@last").stdout
        lines = [line for line in lines_of(text) if line["type"] != "end"]
        measured("import", "-", "--db", db, input=text)
        began = time.monotonic()
        measured("import", "-", "--db", db, input=renamed(lines, 1, 20)[1])
        whole, killed = time.monotonic() - began, 0
        for turn in range(20):
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
            time.sleep(random.uniform(0, whole))  # the stop itself takes some, too
            own.kill()
            code, stderr = child.wait(60), child.stderr.read()
            assert code in (0, 5), stderr
            if child.returncode == 5:
                killed += 1
                assert len(stderr.strip().splitlines()) == 1, stderr
            own.again()
            measured("db", "verify", "--db", db)
            there = run[:8] in runs_of(measured, db)
            assert there or child.returncode == 5
            if there:
                assert measured("export", run, "--db", db).stdout == other
            measured("import", "-", "--db", db, input=other)
            assert measured("export", run, "--db", db).stdout == other
        assert killed > 0
        print(f"server killed in an import: {killed} times, nothing lost, nothing half")
    finally:
        own.stop()


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
    assert {run[:8] for run in kept} < set(runs_of(measured, db)) and len(kept) == 4 * WRITERS
    measured("db", "verify", "--db", db)
    assert server.sql("SELECT COUNT(*) FROM nsop.baseline_event", db) == str(4 * WRITERS)
    assert server.sql("SELECT COUNT(*) FROM nsop.removed_run", db) == str(4 * WRITERS)
    print(f"{WRITERS} writers of a server: {len(kept)} runs, none lost")


def test_sixteen_runs_that_measure_at_once_lose_nothing(nsop, db, tmp_path):
    count = measure_at_once(nsop, tmp_path, db)
    print(f"{WRITERS} writers of a server: {WRITERS} runs that measure, {count} invocations")


@pytest.mark.slow
@pytest.mark.skipif(not FAULTY_DISK.exists(), reason="a sanitizer build has no preload")
def test_a_server_whose_disk_is_full_loses_nothing(measured):
    with with_full_disk() as (own, full):
        db = own.database()
        text = measured("export", "@last").stdout
        lines = [line for line in lines_of(text) if line["type"] != "end"]
        measured("import", "-", "--db", db, input=text)
        turns = 3
        for turn in range(turns):
            run, other = renamed(lines, 2, turn)
            full.touch()
            done = measured("import", "-", "--db", db, input=other, code=5)
            one_line(done)
            removal = ("db", "remove-run", "@last", "--reason", "x", "--db", db)
            one_line(measured(*removal, code=5))
            full.unlink()
            own.again_if_dead()
            assert run[:8] not in runs_of(measured, db)
            measured("db", "verify", "--db", db)
            measured("import", "-", "--db", db, input=other)
            assert measured("export", run, "--db", db).stdout == other
        assert len(runs_of(measured, db)) == 1 + turns
        print(f"server's disk full in an import: {turns} times, nothing lost, nothing half")


@pytest.mark.slow
def test_a_network_that_is_cut_loses_nothing(measured, server, db):
    network = Network(server)
    try:
        away = network.address(db)
        text = measured("export", "@last").stdout
        lines = [line for line in lines_of(text) if line["type"] != "end"]
        measured("import", "-", "--db", away, input=text)
        cuts = 0
        for turn, count in enumerate((0, 300, 3000, 10_000, 30_000, 10_000_000)):
            run, other = renamed(lines, 3, turn)
            network.cut_after(count)
            done = measured("import", "-", "--db", away, input=other, code=None)
            network.mend()
            assert done.returncode in (0, 5), done.stderr
            if done.returncode == 5:
                one_line(done)
                cuts += 1
                measured("import", "-", "--db", away, input=other)
            measured("db", "verify", "--db", db)
            assert measured("export", run, "--db", db).stdout == other
        assert cuts >= 3
        print(f"network cut in an import: {cuts} times, nothing lost, nothing half")
    finally:
        network.stop()
