"""Every verb that writes, on a disk that fails at its first, second, ... last change: nothing that
was stored is lost, nothing half-written is left, and the verb works when it is asked again."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.repository_support import BIN, RELU, ROOT, TANH, SmallRepository

FAULTY_DISK = BIN / "libnsop_faulty_disk.so"
FAULTS = ("kill", "ENOSPC", "EIO", "short")
# How many calls of a verb fail, one at a time; of a verb that measures again and again fewer. With
# all calls tried the verbs take half an hour: `make test-faults` does it.
MOST_CALLS, MOST_OF_LONG = (8, 2) if os.environ.get("NSOP_TEST_FULL") else (6, 2)
if os.environ.get("NSOP_TEST_FAULTS"):
    MOST_CALLS, MOST_OF_LONG = 10000, 40

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not FAULTY_DISK.exists(), reason="a sanitizer build has no preload"),
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A database of two runs and a baseline, an export of a third run, and a worker."""
    folder = tmp_path_factory.mktemp("stored")
    repository = SmallRepository(folder / "made")
    repository.commit("Before", relu=900, tanh=1000)
    repository.commit("First", relu=1000, tanh=1000)
    worker = repository.build()
    options = ("--variant", "hwy", "--rounds", "6", "--quiet", "--worker", worker)
    for cases in ((RELU,), (RELU, TANH), (TANH,)):
        repository.nsop("run", *cases, *options)
    repository.nsop("baseline", "set", "main", "@last~2", "--reason", "a start", "--quiet")
    repository.nsop("export", "@last", "--out", folder / "third.ndjson")
    repository.nsop("db", "remove-run", "@last", "--reason", "it comes by import", "--quiet")
    shutil.copy(repository.folder / "nsop.db", folder / "nsop.db")
    repository.worker = worker
    repository.template = folder
    return repository


class Disk:
    """A copy of what is stored, and nsop beside it."""

    def __init__(self, stored, folder):
        self.folder = folder
        folder.mkdir()
        for name in ("nsop.db", "third.ndjson"):
            shutil.copy(stored.template / name, folder / name)
        self.environment = dict(
            stored.environment, NSOP_DB=str(folder / "nsop.db"), NSOP_LOCK=str(folder / "lock")
        )
        self.root = stored.root

    def nsop(self, *arguments, **environment):
        return subprocess.run(
            [BIN / "nsop", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=self.root,
            env=dict(self.environment, **environment),
            timeout=300,
        )

    def runs(self):
        """What is stored, by run: the seals. A database that isn't there yet has none."""
        if not (self.folder / "nsop.db").exists():
            return {}
        with sqlite3.connect(self.folder / "nsop.db") as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'run'").fetchone():
                return {}
            return dict(db.execute("SELECT id, sha256 FROM run WHERE state = 'complete'"))

    def pruned(self):
        """The seals that runs had before they were pruned, by the ones that they have since."""
        with sqlite3.connect(self.folder / "nsop.db") as db:
            return dict(db.execute("SELECT thinned_sha256, sha256 FROM pruned_run"))


def older(disk):
    """A database as an earlier version left it."""
    (disk.folder / "nsop.db").unlink()
    with sqlite3.connect(disk.folder / "nsop.db") as db:
        db.executescript((ROOT / "harness/store/testdata/schema_4.sql").read_text())


def with_alert(disk):
    """A folder with an open alert, as a nightly left it."""
    write_open_alert(disk.folder / "history", RELU)


def with_leftovers(disk):
    """What killed processes left beside the database, long ago."""
    for name in ("copy.db", "out.ndjson", "night.ndjson"):
        left = disk.folder / f"{name}.nsop-new-a1b2c3"
        left.write_text("half")
        os.utime(left, (0, 0))


def without_database(disk):
    """Nobody has stored anything yet."""
    (disk.folder / "nsop.db").unlink()


def with_pages(disk):
    """A folder for a plot."""
    (disk.folder / "pages").mkdir()


def in_history(disk, *words):
    return (*words, "--history", disk.folder / "history")


@dataclass
class Verb:
    """A verb that writes: its words, the number of runs that it adds or removes, how it ends on a
    disk that works, what is done to the copy before, the program whose disk fails, whether it
    measures again and again, and whether it goes on with a run that was killed."""

    words: Callable
    change: int = 0
    ends: tuple = (0,)
    prepare: Callable = None
    program: str = "nsop"
    long: bool = False
    interrupted: bool = False
    stepwise: bool = False  # its runs come one after the other
    prunes: bool = False  # a run may have another seal afterwards, which is on record
    tidies: bool = False  # removes what is half-written: what it can't remove may stay


def pages_of_run(disk, _):
    return ("report", "@last", "--suite", "activations", "--out", disk.folder / "pages")


def run_of(stored):
    return ("run", RELU, "--variant", "hwy", "--rounds", "6", "--worker", stored.worker)


def killed(disk, stored):
    """A run that was killed when some of it was stored."""
    faults = {"NSOP_TEST_FAULT": "kill", "NSOP_TEST_FAULT_AT": "60"}
    done = disk.nsop(*run_of(stored), **failing(VERBS["resume"], **faults))
    assert done.returncode == -9, done.stderr


SHORT, SIX = ("--layouts", "1", "--budget", "0s"), ("--rounds", "6")
VERBS = {
    "run": Verb(lambda d, s: run_of(s), change=1),
    "resume": Verb(
        lambda d, s: ("run", "--resume", "--worker", s.worker), change=1, interrupted=True
    ),
    "new-database": Verb(
        lambda d, s: ("import", d.folder / "third.ndjson"), change=1, prepare=without_database
    ),
    "import": Verb(lambda d, s: ("import", d.folder / "third.ndjson"), change=1),
    "export": Verb(lambda d, s: ("export", "@last", "--out", d.folder / "out.ndjson")),
    "baseline": Verb(
        lambda d, s: ("baseline", "set", "main", "@last", "--reason", "a faster machine")
    ),
    "baseline-remove": Verb(
        lambda d, s: ("baseline", "remove", "main", "--reason", "another name")
    ),
    "remove-run": Verb(
        lambda d, s: ("db", "remove-run", "@last", "--reason", "wrong clock"), change=-1
    ),
    "prune": Verb(lambda d, s: ("db", "prune", "--before", "2099-01-01"), prunes=True),
    "backup": Verb(lambda d, s: ("db", "backup", d.folder / "copy.db")),
    "clean": Verb(lambda d, s: ("db", "clean"), prepare=with_leftovers, tidies=True),
    "migrate": Verb(lambda d, s: ("db", "migrate"), prepare=older),
    # Of a night without a past nothing can be said.
    "check": Verb(
        lambda d, s: in_history(
            d, "check", "--run", "@last", "--suspects-only", "--worker", s.worker
        ),
        ends=(3,),
    ),
    "alert": Verb(
        lambda d, s: in_history(d, "alert", "close", ALERT, "--reason", "dealt with"),
        prepare=with_alert,
    ),
    "gate": Verb(
        lambda d, s: ("gate", RELU, *SHORT, *SIX, "--base", s.worker, "--head", s.worker),
        change=1,
        ends=(0, 3),
        long=True,
    ),
    "bisect": Verb(lambda d, s: ("bisect", RELU, *SHORT, "--good", "HEAD~1"), change=1, long=True),
    "backfill": Verb(
        lambda d, s: ("backfill", RELU, "--variant", "hwy", *SIX, "--from", "HEAD~1"),
        change=4,
        stepwise=True,
        long=True,
    ),
    "report": Verb(pages_of_run),
    "plot": Verb(
        lambda d, s: (
            *("history", RELU, "--variant", "hwy", "--plot", d.folder / "pages/relu.svg"),
        ),
        prepare=with_pages,
        program="python3",
    ),
    "renderer": Verb(pages_of_run, program="python3"),
}


def calls_of(disk, verb, words):
    """How many changes the verb makes on a disk that works."""
    counted = disk.folder / "calls"
    done = disk.nsop(*words, **failing(verb, NSOP_TEST_CALLS=str(counted)))
    assert done.returncode in verb.ends, done.stderr
    return int(counted.read_text())


def failing(verb, **environment):
    return dict(
        LD_PRELOAD=str(FAULTY_DISK),
        NSOP_TEST_PROGRAM=verb.program,
        PYTHONDONTWRITEBYTECODE="1",
        **environment,
    )


def tried(verb, count, fault):
    """Which of the calls fail: all of them, or some that are spread evenly, first and last for the
    first kind of fault, those between them for the others."""
    most = MOST_OF_LONG if verb.long else MOST_CALLS
    if count <= most:
        return range(1, count + 1)
    kind = FAULTS.index(fault)
    if kind == 0:
        return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})
    return sorted({1 + int((i + kind / len(FAULTS)) * count / most) for i in range(most)})


@pytest.mark.parametrize("count", [1, 6, 7, 459, 773])
def test_the_kinds_of_fault_together_try_more_calls(count):
    verb = VERBS["import"]
    calls = [set(tried(verb, count, fault)) for fault in FAULTS]
    together = set().union(*calls)
    assert {1, count} <= together <= set(range(1, count + 1))
    assert all(len(one) == min(count, MOST_CALLS) for one in calls)
    if count > 4 * MOST_CALLS:
        assert len(together) > 3 * MOST_CALLS


# The import shows in every run of the tests that the rest can be trusted to be looked for.
@pytest.mark.parametrize(
    "name",
    [pytest.param(v, marks=[] if v == "import" else [pytest.mark.slow]) for v in VERBS],
)
def test_a_disk_that_fails_loses_nothing(stored, tmp_path, name):
    verb = VERBS[name]

    def fresh(folder):
        disk = Disk(stored, tmp_path / folder)
        if verb.prepare:
            verb.prepare(disk)
        if verb.interrupted:
            killed(disk, stored)
        return disk

    first = fresh("counted")
    count = calls_of(first, verb, verb.words(first, stored))
    assert count >= 2
    tries, calls = 0, set()
    for fault in FAULTS:
        for at in tried(verb, count, fault):
            calls.add(at)
            disk = fresh(f"{fault}-{at}")
            check(first, disk, verb, fault, at, verb.words(disk, stored))
            shutil.rmtree(disk.folder)
            tries += 1
    print(f"{name}: {count} calls, {len(calls)} of them failed, {tries} faults")


def check(first, disk, verb, fault, at, words):
    what = f"{fault} at call {at} of {' '.join(map(str, words))}"
    before = disk.runs()
    faults = failing(verb, NSOP_TEST_FAULT=fault, NSOP_TEST_FAULT_AT=str(at))
    done = disk.nsop(*words, **faults)
    said = f"{what}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    killed = fault == "kill" and verb.program == "nsop"
    assert done.returncode in (*verb.ends, -9 if killed else 5), said
    if done.returncode == 5:
        errors = re.findall(r"^nsop(?:_report)?: .*$", done.stderr, re.MULTILINE)
        assert len(errors) == 1 and done.stderr.splitlines()[-1] == errors[0], said
    kept = disk.runs()
    if verb.prunes:
        pruned = disk.pruned()
        kept = {run: pruned.get(seal, seal) for run, seal in kept.items()}
    for run, seal in before.items():
        assert kept.get(run, seal if verb.change < 0 else None) == seal, f"{what}: {run} is lost"
    added = range(verb.change + 1) if verb.stepwise else (0, verb.change)
    assert len(kept) - len(before) in added, said
    if not (disk.folder / "nsop.db").exists():  # it was to be made
        assert not before and done.returncode != 0, said
        return again(disk, verb, words, said)
    whole = disk.nsop("db", "verify")
    if "run `nsop db migrate`" in whole.stderr:
        assert disk.nsop("db", "migrate").returncode == 0, said
        whole = disk.nsop("db", "verify")
    assert whole.returncode == 0, f"{said}\n{whole.stdout}{whole.stderr}"
    nothing_half_written(disk, fault == "kill" or verb.tidies, said)
    pages, whole = pages_of(disk), pages_of(first)
    assert all(whole.get(name, text) == text for name, text in pages.items()), said
    assert fault == "kill" or pages.keys() <= whole.keys(), said
    again(disk, verb, words, said)
    assert not verb.tidies or not unfinished(disk), said
    assert pages_of(disk).items() >= whole.items(), said


def pages_of(disk):
    """The files of a report, each with what is in it."""
    folder = disk.folder / "pages"
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unfinished(disk):
    """Files that were never renamed to what they should be."""
    return [path.name for path in disk.folder.rglob("*") if ".nsop-new-" in path.name]


def nothing_half_written(disk, may_leave, said):
    """Files that a verb writes are there whole, or not at all; unless it may leave some, it left no
    unfinished one. A killed process can't tidy up: the next one does (nsop db clean)."""
    copy, out = disk.folder / "copy.db", disk.folder / "out.ndjson"
    if copy.exists():
        assert disk.nsop("db", "verify", "--db", copy).returncode == 0, said
    if out.exists():
        assert disk.nsop("import", out, "--db", disk.folder / "other.db").returncode == 0, said
    assert may_leave or not unfinished(disk), said


def again(disk, verb, words, said):
    """The same verb, asked again on a disk that works."""
    if words[:2] == ("db", "backup") and (disk.folder / "copy.db").exists():
        return
    if words[:2] == ("db", "remove-run") and len(disk.runs()) < 2:
        return  # what is left is a baseline
    done = disk.nsop(*words)
    if words[:2] == ("run", "--resume") and "nothing to resume" in done.stderr:
        return
    if words[:2] == ("baseline", "remove") and "no baseline" in done.stderr:
        return
    if words[:2] == ("alert", "close") and "is closed" in done.stderr:
        return
    assert done.returncode in verb.ends, f"{said}\nagain: {done.stderr}"
    assert disk.nsop("db", "verify").returncode == 0, said
