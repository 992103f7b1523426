"""Files larger than allowed, disks and limits smaller than needed: one line, nothing half done."""

import json
import os
import resource
import sqlite3

import pytest

from harness.cli.testing.exchange_support import sealed
from harness.cli.testing.repository_support import ROOT
from harness.cli.tests.conftest import one_line

MIB = 1 << 20
LEAST = 40 * 1024  # SQLite's shared memory needs 32 KiB


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LEAST, LEAST))


@pytest.fixture
def hole(tmp_path):
    """A file of 1 TiB that takes no room on the disk."""
    path = tmp_path / "hole.ndjson"
    path.write_text('{"kind":"run","schema":"nsop.run/1"')
    os.truncate(path, 1 << 40)
    return path


@pytest.fixture
def stored(tmp_path, nsop):
    """A database with a run of 200 invocations."""
    with sqlite3.connect(tmp_path / "old.db") as db:
        db.executescript((ROOT / "harness/store/testdata/schema_4.sql").read_text())
    nsop("db", "migrate", "--db", tmp_path / "old.db")
    listed = nsop("list", "runs", "--json", "--db", tmp_path / "old.db")
    run = json.loads(listed.stdout)["runs"][0]["run"]
    text = nsop("export", run, "--db", tmp_path / "old.db").stdout
    *lines, _ = map(json.loads, text.splitlines())
    lines[0].update(state="complete", ended_utc=lines[0]["started_utc"])
    last = lines[-1]
    for i in range(1, 200):
        lines.append(dict(last, id=f"{last['id'][:40]}-{i}", round=last["round"] + i))
    (tmp_path / "large.ndjson").write_text(sealed(lines))
    nsop("import", tmp_path / "large.ndjson")
    return run


def test_an_import_of_a_hole_is_refused_by_its_size(nsop, tmp_path, hole):
    done = nsop("import", hole, code=4, timeout=20)
    assert one_line(done) == f"nsop: {hole}: larger than 256 MiB"
    assert not (tmp_path / "t.db").exists()


def test_standard_input_is_read_up_to_the_limit(nsop, tmp_path, hole):
    with open(hole, "rb") as file:
        done = nsop("import", "-", code=4, timeout=60, stdin=file)
        read = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    assert one_line(done) == "nsop: standard input: larger than 256 MiB"
    assert 256 * MIB < read <= 257 * MIB
    assert not (tmp_path / "t.db").exists()


# The kernel kills by SIGXFSZ who doesn't say otherwise.
def test_a_limit_of_file_sizes_is_an_error_and_leaves_nothing(nsop, tmp_path, stored):
    out = tmp_path / "out" / "run.ndjson"
    out.parent.mkdir()
    assert (tmp_path / "large.ndjson").stat().st_size > LEAST
    done = nsop("export", stored, "--out", out, code=5, preexec_fn=small_files)
    assert one_line(done).startswith(f"nsop: {out}: can't be written: File too large")
    assert list(out.parent.iterdir()) == []
    nsop("export", stored, "--out", out)
    assert out.read_text() == (tmp_path / "large.ndjson").read_text()


# Only the copy is written to: what refuses its pages says nothing of the source.
def test_a_backup_that_finds_no_room_names_the_copy(nsop, tmp_path, stored):
    copy = tmp_path / "elsewhere" / "copy.db"
    copy.parent.mkdir()
    assert (tmp_path / "t.db").stat().st_size > LEAST
    error = one_line(nsop("db", "backup", copy, code=5, preexec_fn=small_files))
    assert error.startswith(f"nsop: {copy}: ") and "t.db" not in error
    assert list(copy.parent.iterdir()) == []
    nsop("db", "backup", copy)
    assert nsop("db", "verify", "--db", copy).stdout.endswith(" 0 problems\n")
