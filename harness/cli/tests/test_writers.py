"""Many writers of one database and of one folder at once: each gets its turn, nothing is lost."""

import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.exchange_support import lines_of, renamed
from harness.cli.testing.repository_support import BIN, RELU, SmallRepository
from harness.cli.testing.writers_support import WRITERS, measure_at_once

TURNS = 8
pytestmark = pytest.mark.faults


@pytest.fixture
def stored(tmp_path):
    """A database with a run, and the lines of its export."""
    repository = SmallRepository(tmp_path / "made")
    repository.commit("First", relu=1000)
    options = ("--variant", "hwy", "--rounds", "2", "--quiet", "--worker", repository.build())
    repository.nsop("run", RELU, *options)
    text = repository.nsop("export", "@last").stdout
    lines = lines_of(text)
    return repository, [line for line in lines if line["type"] != "end"]


def turns_of(repository, lines, writer, folder):
    """What one writer does; the runs that it stored."""

    def nsop(*words):
        done = subprocess.run(
            [BIN / "nsop", *map(str, words)],
            capture_output=True,
            text=True,
            cwd=repository.root,
            env=repository.environment,
            timeout=300,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    kept = []
    for turn in range(TURNS):
        run, text = renamed(lines, writer, turn)
        file = folder / f"{run}.ndjson"
        file.write_text(text)
        nsop("import", file, "--quiet")
        nsop("baseline", "set", f"writer-{writer}", run, "--reason", f"turn {turn}", "--quiet")
        assert nsop("export", run) == text
        if turn % 4 == 3:
            extra, text = renamed(lines, writer, turn + 100)
            file.write_text(text)
            nsop("import", file, "--quiet")
            nsop("db", "remove-run", extra, "--reason", "one too many", "--quiet")
            nsop("db", "backup", folder / f"{run}.db", "--quiet")
            nsop("list", "runs")
        kept.append(run)
    return kept


@pytest.mark.slow
def test_sixteen_writers_at_once_all_store_what_they_have(stored, tmp_path):
    repository, lines = stored
    folder = tmp_path / "files"
    folder.mkdir()
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [
            pool.submit(turns_of, repository, lines, writer, folder) for writer in range(WRITERS)
        ]
        kept = [run for writer in writers for run in writer.result()]
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        runs = {run for (run,) in db.execute("SELECT id FROM run")}
        moves = db.execute("SELECT COUNT(*) FROM baseline_event").fetchone()[0]
        removed = db.execute("SELECT COUNT(*) FROM removed_run").fetchone()[0]
    assert len(runs) == 1 + len(kept) and set(kept) < runs
    assert (moves, removed) == (WRITERS * TURNS, WRITERS * TURNS // 4)
    repository.nsop("db", "verify")
    for copy in folder.glob("*.db"):
        repository.nsop("db", "verify", "--db", copy)
    print(f"{WRITERS} writers: {len(kept)} runs, {moves} moves of baselines, {removed} removals")


def test_sixteen_runs_that_measure_at_once_lose_nothing(nsop, tmp_path):
    count = measure_at_once(nsop, tmp_path, tmp_path / "shared.db")
    print(f"{WRITERS} writers: {WRITERS} runs that measure, {count} invocations")
