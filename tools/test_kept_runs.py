"""Runs that are kept in the tree, over the real nsop."""

import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

import kept_runs
import pytest

ROOT = Path(__file__).resolve().parents[1]
NSOP = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/nsop"
RELU = "relu pass=forward n=64 range=-3:3"


def nsop(db, *words):
    done = subprocess.run(
        [NSOP, *words, "--db", db], capture_output=True, text=True, check=False, cwd=db.parent
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tool(db, folder, *words, releases="/none.toml"):
    options = ["--nsop", NSOP, "--db", db, "--folder", folder, "--releases", releases]
    return subprocess.run(
        [sys.executable, ROOT / "tools/kept_runs.py", *options, *words],
        capture_output=True,
        text=True,
        check=False,
    )


def listed(db):
    return json.loads(nsop(db, "list", "runs", "--json"))["runs"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A database with two runs."""
    db = tmp_path_factory.mktemp("measured") / "nsop.db"
    for _ in range(2):
        nsop(db, "run", "--profile", "quick", RELU, "--variant", "hwy", "--rounds", "3")
    return db


def test_a_kept_run_outlives_its_database(measured, tmp_path):
    folder = tmp_path / "runs"
    done = tool(measured, folder, "keep", "@last", "@last~1")
    assert done.returncode == 0, done.stderr
    kept = list(folder.glob("*/*.columns.xz"))
    assert len(kept) == 2 and all(str(path) in done.stdout for path in kept)
    again = tmp_path / "again.db"
    assert tool(again, folder, "import").returncode == 0
    columns = ["run", "started", "state", "profile", "commit", "host"]
    rows, kept_rows = (
        sorted([run[c] for c in columns] for run in listed(db)) for db in (measured, again)
    )
    assert kept_rows == rows
    nsop(again, "db", "verify")
    whole, thin = (nsop(db, "export", rows[0][0]).splitlines() for db in (measured, again))
    for line, kept_line in zip(map(json.loads, whole), map(json.loads, thin), strict=True):
        if line["type"] == "invocation" and line["phase"] == "time":
            samples = zip(*map(line["samples"].get, ("wall_ns", "iterations")))
            wall, iterations = min(samples, key=lambda one: one[0] / one[1])
            one = kept_line["samples"]
            [kept_wall], unit = one["wall_ns"], 10 ** (len(str(wall)) - 4)
            assert abs(kept_wall - wall) <= unit / 2 and kept_wall % unit == 0, "four digits"
            assert one["iterations"] == [iterations]


def test_what_the_database_holds_already_stays_as_it_is(measured, tmp_path):
    before = nsop(measured, "export", "@last")
    tool(measured, tmp_path, "keep", "@last")
    assert tool(measured, tmp_path, "import").returncode == 0
    assert nsop(measured, "export", "@last") == before


def test_runs_of_releases_are_kept_without_being_named(measured, tmp_path):
    commit = listed(measured)[0]["commit"].split(",")[0][:7]
    releases = tmp_path / "releases.toml"
    releases.write_text(f'[[release]]\nname = "1"\ncommit = "{commit}"\n')
    assert tool(measured, tmp_path / "runs", "keep", releases=releases).returncode == 0
    assert len(list((tmp_path / "runs").glob("*/*.columns.xz"))) == 2


def test_a_damaged_file_is_named_and_the_others_are_read(measured, tmp_path):
    folder = tmp_path / "runs"
    tool(measured, folder, "keep", "@last", "@last~1")
    first, second = sorted(folder.glob("*/*.columns.xz"))
    first.write_bytes(first.read_bytes()[:-40])
    db = tmp_path / "new.db"
    done = tool(db, folder, "import")
    assert done.returncode == 4 and str(first) in done.stderr
    assert str(second) not in done.stderr
    assert len(listed(db)) == 1
    columns = lzma.decompress(second.read_bytes())
    for changed, said in (
        (columns.replace(b"hwy", b"hwx"), "changed or damaged"),
        (columns[: columns.rindex(b"\x01")], "no kept run: not a column for each place"),
    ):
        second.write_bytes(lzma.compress(changed))
        done = tool(tmp_path / "newer.db", folder, "import")
        assert done.returncode == 4 and str(second) in done.stderr
        assert said in done.stderr


def test_a_run_kept_as_lines_is_read_and_becomes_columns(measured, tmp_path):
    folder = tmp_path / "runs"
    tool(measured, folder, "keep", "@last")
    [path] = folder.glob("*/*")
    lines = kept_runs.unpacked(path)
    assert lines.decode() == nsop(measured, "export", "--thin", "@last")
    path.unlink()
    old = path.with_name(path.name.replace(".columns.", ".ndjson."))
    old.write_bytes(lzma.compress(lines))
    db = tmp_path / "new.db"
    assert tool(db, folder, "import").returncode == 0
    assert len(listed(db)) == 1
    tool(db, folder, "keep", "@last")
    assert list(folder.glob("*/*")) == [path], "one file of a run"
    assert kept_runs.unpacked(path) == lines


def test_a_run_that_is_kept_already_is_not_packed_again(measured, tmp_path):
    folder = tmp_path / "runs"
    assert tool(measured, folder, "keep", "@last").returncode == 0
    [kept] = folder.glob("*/*.columns.xz")
    packed = kept.read_bytes()
    kept.write_bytes(lzma.compress(lzma.decompress(packed), preset=0))
    otherwise = kept.read_bytes()
    assert otherwise != packed
    assert tool(measured, folder, "keep", "@last").returncode == 0
    assert kept.read_bytes() == otherwise
    for other in (lzma.compress(b"{}\n"), b"damaged"):
        kept.write_bytes(other)
        assert tool(measured, folder, "keep", "@last").returncode == 0
        assert kept.read_bytes() == packed


def test_the_help_promises_as_many_digits_as_are_kept():
    code = (ROOT / "harness/store/record/thinning.h").read_text()
    said = (ROOT / "harness/cli/verbs/export.cpp").read_text()
    kept = re.search(r"numbers have (\w+) significant digits", code).group(1)
    assert f"One repetition of each invocation, {kept} digits" in said


def test_the_oldest_go_where_all_are_too_large(tmp_path):
    names = ["host-b/20260101-a", "host-a/20260102-b", "host-a/20260103-c", "host-a/20260104-d"]
    paths = [tmp_path / f"{name}.ndjson.xz" for name in names]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * 100)
    kept_runs.tidy(tmp_path, spared={paths[1]}, most=250)
    assert [path.exists() for path in paths] == [False, True, False, True]
    kept_runs.tidy(tmp_path, spared={paths[1]}, most=250)
    assert [path.exists() for path in paths] == [False, True, False, True]


def kept_file(folder, name, head):
    path = folder / f"{name}.ndjson.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(json.dumps(head).encode() + b"\n{}\n"))
    return path


def test_what_committed_pages_are_rendered_from_stays(tmp_path):
    runs = tmp_path / "runs"
    older, gate, page, other = (
        kept_file(runs, f"host/2026010{day}-{name}", {"profile": profile})
        for day, name, profile in (
            (1, "00000001", "gate"),
            (2, "00000002", "gate"),
            (3, "00000003", "full"),
            (4, "00000004", "full"),
        )
    )
    generated = tmp_path / "generated"
    generated.mkdir()
    (generated / "conv.json").write_text('{"run": {"id": "00000003-8a47-45d6-860c-f5d5a94c299f"}}')
    (generated / "ages.json").write_text('{"ages": []}')
    assert kept_runs.newest_gate(runs) == gate
    assert kept_runs.of_pages(runs) == {gate, page}
    kept_runs.tidy(runs, spared=kept_runs.of_pages(runs), most=1)
    assert [path.exists() for path in (older, gate, page, other)] == [False, True, True, False]
    assert kept_runs.newest_gate(tmp_path / "none") is None


def test_keeping_spares_the_runs_of_committed_pages(measured, tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    gate, other = (
        kept_file(runs, f"host/2026010{day}-0000000{day}", {"profile": profile})
        for day, profile in ((1, "gate"), (2, "full"))
    )
    monkeypatch.setattr(kept_runs.tidy, "__defaults__", (1,))
    options = ["--nsop", str(NSOP), "--db", str(measured), "--folder", str(runs)]
    monkeypatch.setattr(
        sys, "argv", ["kept_runs", *options, "--releases", "/none.toml", "keep", "@last"]
    )
    assert kept_runs.main() == 0
    assert gate.exists() and not other.exists()


def test_a_run_that_is_none_is_refused_with_its_name(measured, tmp_path):
    done = tool(measured, tmp_path, "keep", "no-such-run")
    assert done.returncode == 2 and "no-such-run" in done.stderr
    assert len(done.stderr.splitlines()) == 1
