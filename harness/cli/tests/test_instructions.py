"""`--instructions`: counts by valgrind's callgrind, real workers. No test looks at a time."""

import json
import os
import re
import shutil

import pytest

from harness.cli.testing.repository_support import BIN

RELU = "relu pass=forward n=1000 range=-3:3"
TEN = [
    RELU,
    "relu pass=backward n=1000 range=-3:3",
    "tanh pass=forward n=1000 range=-3:3",
    "sigmoid pass=forward n=1000 range=-3:3",
    "gelu pass=forward n=1000 form=tanh range=-3:3",
    "softmax pass=forward n=16x64 axis=1 range=-3:3",
    "matmul m=64 n=64 k=64 trans=nn",
    "dense pass=forward in=16x64 out=32 bias=1 w=io",
    "layernorm pass=forward n=16x64 last=1 range=-3:3",
    "conv2d pass=forward in=1x8x16x16 out=8 k=3 s=1 p=1 bias=1",
]

pytestmark = pytest.mark.skipif(
    not (BIN / "libnsop_alloc.so").exists(), reason="a sanitizer's program can't run in valgrind"
)


def measured(nsop, cases, *arguments, **options):
    """The rows of a short run, by case, and what nsop said."""
    done = nsop(
        *("run", *cases, "--instructions", "--rounds", "1", "--variant", "hwy@AVX2", "--json"),
        *arguments,
        **options,
    )
    return {row["case"]: row for row in json.loads(done.stdout)["rows"]}, done


def counts(nsop, cases, **options):
    """Instructions per operation, by case."""
    rows, _ = measured(nsop, cases, **options)
    assert all(row["instructions"]["reason"] == "" for row in rows.values()), rows
    return {case: row["instructions"]["per_op"] for case, row in rows.items()}


def test_a_count_is_stored_with_its_row_and_exported(nsop):
    rows, done = measured(nsop, [RELU])
    counted = rows[RELU]["instructions"]
    assert 100 < counted["per_op"] < 100_000
    assert counted["counted_by"].startswith("callgrind-3.") and counted["target"] == "AVX2"
    stored = [json.loads(line) for line in nsop("export", "@last").stdout.splitlines()]
    (count,) = [one for one in stored if one.get("phase") == "count"]
    assert count["instructions"] == counted
    assert (count["row"]["target"], count["row"]["threads"]) == ("AVX2", 1)
    (build,) = [one for one in stored if one.get("id") == count["build_id"]]
    assert build["compiler"] and build["libc"]
    nsop("db", "verify")


def test_a_target_that_callgrind_lacks_is_counted_on_the_best_it_has(nsop):
    done = nsop("run", "--instructions", "--rounds", "1", "--variant", "hwy", "--json", RELU)
    (row,) = json.loads(done.stdout)["rows"]
    target = row["instructions"]["target"]
    assert target == ("AVX2" if row["target"].startswith("AVX3") else row["target"])
    assert row["instructions"]["per_op"] > 0


def test_twice_the_elements_take_about_twice_the_instructions(nsop):
    twice = RELU.replace("1000", "8000")
    found = counts(nsop, [RELU.replace("1000", "4000"), twice])
    assert 1.9 < found[twice] / found[RELU.replace("1000", "4000")] < 2.1


def test_the_table_has_counts_and_what_the_hardware_lacks(nsop):
    done = nsop("run", RELU, "--instructions", "--rounds", "1", "--variant", "hwy")
    head, row = [re.split(r"  +", line) for line in done.stdout.splitlines()[:2]]
    cells = dict(zip(head, row))
    assert int(cells["instructions/op"].replace(",", "")) > 100
    for title in ("cycles/op, counter", "instructions/op, counter", "cache misses/op, counter"):
        assert re.fullmatch(r"n/a|[\d,.]+", cells[title]), done.stdout
    if row[1].startswith("hwy@AVX3"):
        assert "instructions counted on AVX2" in done.stdout


def test_without_valgrind_rows_have_their_times_and_a_reason(nsop, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(shutil.which(name))
    rows, done = measured(nsop, [RELU], env={"PATH": str(tools)})
    assert "valgrind is not on the PATH" in done.stderr
    assert "install the package valgrind" in done.stderr
    assert rows[RELU]["status"] == "ok" and rows[RELU]["ns_per_op"] > 0
    assert rows[RELU]["instructions"]["reason"] == "valgrind is not installed"


def test_more_threads_than_one_are_not_counted(nsop):
    rows, _ = measured(nsop, [RELU], "--threads", "2")
    assert rows[RELU]["instructions"]["reason"] == "counted on one thread only"


def test_a_stripped_worker_costs_the_count_only(nsop, tmp_path):
    stripped = tmp_path / "bin"
    stripped.mkdir()
    for name in ("nsop-worker", "libnsop_alloc.so"):
        shutil.copy(BIN / name, stripped / name)
    os.system(f"strip {stripped}/nsop-worker")
    rows, _ = measured(nsop, [RELU], "--worker", str(stripped / "nsop-worker"))
    assert rows[RELU]["status"] == "ok"
    assert "was it stripped?" in rows[RELU]["instructions"]["reason"]


def test_without_the_flag_nothing_is_counted(nsop):
    done = nsop("run", "--rounds", "1", "--variant", "hwy@AVX2", "--json", RELU)
    assert "instructions" not in json.loads(done.stdout)["rows"][0]


@pytest.mark.slow
def test_a_gate_shows_counts_beside_times_and_keeps_them(nsop):
    worker = BIN / "nsop-worker"
    done = nsop(
        *("gate", "--base", str(worker), "--head", str(worker), "--time-identical"),
        *("--instructions", "--rounds", "6", "--budget", "0s", "--json", RELU),
        code=None,
    )
    gate = json.loads(done.stdout)
    rows = [row for row in gate["rows"] if not row["control"]]
    assert rows, done.stdout
    for row in rows:
        assert row["instructions"]["head"]["per_op"] > 0
        assert row["instructions"]["base"] == row["instructions"]["head"]
        assert row["instructions"]["change"] == 0
    report = nsop("report", "--gate", gate["run"], code=None).stdout
    assert report.startswith("<!-- nsop:gate -->")
    assert "instructions unchanged (" in report


@pytest.mark.slow
def test_ten_rows_count_the_same_in_five_surroundings(nsop, tmp_path):
    elsewhere = tmp_path / "a_folder_with_a_longer_name_than_the_one_before"
    shutil.copytree(BIN, elsewhere / "bin")
    worker = ("--worker", str(elsewhere / "bin" / "nsop-worker"))
    first = counts(nsop, TEN)
    assert set(first) == set(TEN)
    assert counts(nsop, TEN) == first
    assert counts(nsop, TEN, env={"A_LONG_VARIABLE": "x" * 5000}) == first
    assert counts(nsop, TEN, env={"LC_ALL": "C", "TMPDIR": str(tmp_path)}) == first
    rows, _ = measured(nsop, TEN, *worker, timeout=600)
    assert {case: row["instructions"]["per_op"] for case, row in rows.items()} == first
