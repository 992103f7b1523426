"""Every verb that writes, on a disk that fails at its first, second, ... last change: nothing that
was stored is lost, nothing half-written is left, and the verb works when it is asked again."""

import os
import shutil
import sqlite3
import subprocess

import pytest

from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.repository_support import BIN, RELU, ROOT, TANH, SmallRepository

FAULTY_DISK = BIN / "libnsop_faulty_disk.so"
FAULTS = ("kill", "ENOSPC", "EIO", "short")
# With all calls tried the verbs take a quarter of an hour; `make test-faults` tries them all.
MOST_CALLS = 20 if os.environ.get("NSOP_TEST_FULL") else 6
if os.environ.get("NSOP_TEST_FAULTS"):
    MOST_CALLS = None

pytestmark = pytest.mark.skipif(not FAULTY_DISK.exists(), reason="a sanitizer build has no preload")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A database of two runs and a baseline, an export of a third run, and a worker."""
    folder = tmp_path_factory.mktemp("stored")
    repository = SmallRepository(folder / "made")
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
        """What is stored, by run: the seals."""
        with sqlite3.connect(self.folder / "nsop.db") as db:
            return dict(db.execute("SELECT id, sha256 FROM run WHERE state = 'complete'"))


def older(disk):
    """A database as an earlier version left it."""
    (disk.folder / "nsop.db").unlink()
    with sqlite3.connect(disk.folder / "nsop.db") as db:
        db.executescript((ROOT / "harness/store/testdata/schema_4.sql").read_text())


def with_alert(disk):
    """A folder with an open alert, as a nightly left it."""
    write_open_alert(disk.folder / "history", RELU)


def in_history(disk, *words):
    return (*words, "--history", disk.folder / "history")


# The verb's words, the number of runs that it adds or removes, and what is done to the copy before.
VERBS = {
    "run": (
        lambda d, s: ("run", RELU, "--variant", "hwy", "--rounds", "6", "--worker", s.worker),
        1,
        None,
    ),
    "import": (lambda d, s: ("import", d.folder / "third.ndjson"), 1, None),
    "export": (lambda d, s: ("export", "@last", "--out", d.folder / "out.ndjson"), 0, None),
    "baseline": (
        lambda d, s: ("baseline", "set", "main", "@last", "--reason", "a faster machine"),
        0,
        None,
    ),
    "remove-run": (lambda d, s: ("db", "remove-run", "@last", "--reason", "wrong clock"), -1, None),
    "backup": (lambda d, s: ("db", "backup", d.folder / "copy.db"), 0, None),
    "migrate": (lambda d, s: ("db", "migrate"), 0, older),
    "check": (
        lambda d, s: in_history(
            d, "check", "--run", "@last", "--suspects-only", "--worker", s.worker
        ),
        0,
        None,
    ),
    "alert": (
        lambda d, s: in_history(d, "alert", "close", ALERT, "--reason", "dealt with"),
        0,
        with_alert,
    ),
}
# Of a night without a past nothing can be said.
ENDS = {"check": 3}


def end_of(words):
    return ENDS.get(words[0], 0)


def calls_of(disk, words):
    """How many changes the verb makes on a disk that works."""
    counted = disk.folder / "calls"
    done = disk.nsop(*words, LD_PRELOAD=str(FAULTY_DISK), NSOP_TEST_CALLS=str(counted))
    assert done.returncode == end_of(words), done.stderr
    return int(counted.read_text())


def tried(count):
    """Which of the calls fail: all of them, or some that are spread evenly, with first and last."""
    if MOST_CALLS is None or count <= MOST_CALLS:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (MOST_CALLS - 1)) for i in range(MOST_CALLS)})


# The import shows in every run of the tests that the rest can be trusted to be looked for.
@pytest.mark.parametrize(
    "verb",
    [pytest.param(v, marks=[] if v == "import" else [pytest.mark.slow]) for v in VERBS],
)
def test_a_disk_that_fails_loses_nothing(stored, tmp_path, verb):
    words_of, change, prepare = VERBS[verb]

    def fresh(name):
        disk = Disk(stored, tmp_path / name)
        if prepare:
            prepare(disk)
        return disk

    first = fresh("counted")
    count = calls_of(first, words_of(first, stored))
    assert count >= 2
    tries = 0
    for fault in FAULTS:
        for at in tried(count):
            disk = fresh(f"{fault}-{at}")
            check(disk, words_of(disk, stored), change, fault, at)
            shutil.rmtree(disk.folder)
            tries += 1
    print(f"{verb}: {count} calls, {tries} faults")


def check(disk, words, change, fault, at):
    what = f"{fault} at call {at} of {' '.join(map(str, words))}"
    before = disk.runs()
    failing = {"LD_PRELOAD": str(FAULTY_DISK), "NSOP_TEST_FAULT": fault}
    done = disk.nsop(*words, **failing, NSOP_TEST_FAULT_AT=str(at))
    said = f"{what}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode in (end_of(words), -9 if fault == "kill" else 5), said
    if done.returncode == 5:
        assert done.stderr.splitlines()[-1].startswith("nsop: "), said
        assert done.stderr.count("nsop: ") == 1, said
    kept = disk.runs()
    for run, seal in before.items():
        assert kept.get(run, seal if change < 0 else None) == seal, f"{what}: {run} is lost"
    assert len(kept) - len(before) in (0, change), said
    whole = disk.nsop("db", "verify")
    if "run `nsop db migrate`" in whole.stderr:
        assert disk.nsop("db", "migrate").returncode == 0, said
        whole = disk.nsop("db", "verify")
    assert whole.returncode == 0, f"{said}\n{whole.stdout}{whole.stderr}"
    nothing_half_written(disk, done.returncode, said)
    again(disk, words, said)


def nothing_half_written(disk, code, said):
    """Files that a verb writes are there whole, or not at all."""
    copy, out = disk.folder / "copy.db", disk.folder / "out.ndjson"
    if copy.exists():
        assert disk.nsop("db", "verify", "--db", copy).returncode == 0, said
    if out.exists():
        assert disk.nsop("import", out, "--db", disk.folder / "other.db").returncode == 0, said
    left = [path.name for path in disk.folder.rglob("*") if ".new-" in path.name]
    if code != -9:  # a killed process can't tidy up; the next one does (nsop db clean)
        assert not left, said


def again(disk, words, said):
    """The same verb, asked again on a disk that works."""
    if words[:2] == ("db", "backup") and (disk.folder / "copy.db").exists():
        return
    if words[:2] == ("db", "remove-run") and len(disk.runs()) < 2:
        return  # what is left is a baseline
    done = disk.nsop(*words)
    if words[:2] == ("alert", "close") and "is closed" in done.stderr:
        return
    assert done.returncode == end_of(words), f"{said}\nagain: {done.stderr}"
    assert disk.nsop("db", "verify").returncode == 0, said
