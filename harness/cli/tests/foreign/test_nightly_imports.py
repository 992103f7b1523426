"""Thirty nights of another tool: a history with a change of level, plots, and no comparison with
what nsop measured itself."""

import json
import random
import re
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest

from harness.cli.tests.conftest import one_line

NIGHTS, CHANGE = 30, 20
SORT = "foreign tool=google-benchmark name=BM_sort/1024"


def night(day, noise):
    """The file of a night: BM_sort is 10 % slower from the 20th one on, BM_copy never changes."""
    rows = []
    for name, ns in (("BM_sort/1024", 5000 * (1.1 if day >= CHANGE else 1)), ("BM_copy/64", 40)):
        level = ns * noise.gauss(1, 0.005)
        for i in range(5):
            rows.append(
                {
                    "name": name,
                    "run_name": name,
                    "run_type": "iteration",
                    "repetition_index": i,
                    "iterations": 10000,
                    "real_time": level * noise.gauss(1, 0.002),
                    "cpu_time": level,
                    "time_unit": "ns",
                }
            )
    began = date(2026, 1, 1) + timedelta(days=day)
    context = {"date": f"{began}T03:00:00+00:00", "host_name": "nightly", "num_cpus": 8}
    return {"context": context, "benchmarks": rows}


@pytest.fixture
def host(nsop, tmp_path):
    """The host of thirty imported nights, which came in any order."""
    noise = random.Random(7)
    files = []
    for day in range(NIGHTS):
        files.append(tmp_path / f"{day:02}.json")
        files[-1].write_text(json.dumps(night(day, noise)))
    random.Random(3).shuffle(files)
    found = json.loads(nsop("import", *map(str, files), "--json").stdout)["files"]
    hosts = {run["host"] for file in found for run in file["runs"]}
    assert len(hosts) == 1 and len(found) == NIGHTS
    return hosts.pop()


def history(nsop, host, pattern):
    shown = nsop("history", pattern, "--host", host[:12], "--json")
    [row] = json.loads(shown.stdout)["rows"]
    return row


def test_the_change_of_level_is_found_where_it_was_and_nowhere_else(nsop, host):
    row = history(nsop, host, SORT)
    assert [p["started"][:10] for p in row["points"]] == [
        str(date(2026, 1, 1) + timedelta(days=day)) for day in range(NIGHTS)
    ]
    assert {p["invocations"] for p in row["points"]} == {5}
    assert not any(p["left_out"] for p in row["points"])
    [change] = row["changes"]
    assert change["point"] == CHANGE and change["lo"] < 1.1 < change["hi"]
    assert history(nsop, host, "foreign name=BM_copy/64")["changes"] == []


def test_the_history_is_a_table_and_a_plot(nsop, host, tmp_path):
    text = nsop("history", SORT, "--host", host[:12]).stdout
    [changed] = [line for line in text.splitlines() if "level changed by +" in line]
    assert changed.startswith("2026-01-21T03:00:00Z")
    plot = tmp_path / "plot.svg"
    nsop("history", SORT, "--host", host[:12], "--plot", str(plot))
    texts = "".join(ElementTree.parse(plot).getroot().itertext())
    assert "BM_sort/1024" in texts and re.search(r"\+(9|10)\.\d", texts), texts


def test_nights_are_compared_among_themselves(nsop, host):
    diff = nsop("diff", "@last~29", "@last", "--json", code=1)
    rows = {row["case"]: row["verdict"] for row in json.loads(diff.stdout)["rows"]}
    assert rows[SORT] == "worse"
    assert rows["foreign tool=google-benchmark name=BM_copy/64"] != "worse"


def test_what_was_imported_is_never_compared_with_what_was_measured(nsop, host):
    nsop("run", "relu pass=forward n=64 range=-3:3", "--variant", "hwy", "--rounds", "6", "--quiet")
    imported = history(nsop, host, SORT)["points"][-1]["run"]
    for pair in ((imported, "@last"), ("@last", imported)):
        done = nsop("diff", *pair, "--json", code=3)
        diff = json.loads(done.stdout)
        assert not diff["comparable"]
        assert not any(row["verdict"] in ("same", "better", "worse") for row in diff["rows"])
        assert any("no row is in both runs" in note for note in diff["notes"])
    # Nor does it become part of this machine's own history.
    done = nsop("history", SORT, code=None)
    assert "nightly" not in done.stdout and "5.0" not in done.stdout
    assert one_line(nsop("report", imported, code=2))


def test_check_takes_no_run_of_another_machine_for_a_night_of_this_one(nsop, host):
    imported = history(nsop, host, SORT)["points"][-1]["run"]
    said = one_line(nsop("check", "--run", imported, "--suspects-only", code=3))
    assert said.endswith(f"run {imported[:8]} is of another host: judge it there")
