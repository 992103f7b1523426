"""The simulation of many nodes (fleet.py) keeps its books and bends where queues bend."""

import math
import random
import re
import statistics
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import fleet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
SMALL = fleet.Fleet(nodes=20, rows=5000)


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 60),
    st.integers(1, 4),
    st.integers(1, 20_000),
    st.integers(0, 1000),
    st.floats(0.3, 1.0),
)
def test_every_alert_is_of_a_slower_commit_and_after_it(nodes, at_once, rows, seed, power):
    one = replace(SMALL, nodes=nodes, at_once=at_once, rows=rows, power=power)
    outcome = fleet.simulate(one, days=2, seed=seed)
    assert len(outcome.delays) <= outcome.slower <= outcome.commits
    assert 0 < outcome.passes <= outcome.commits and outcome.rows >= outcome.passes
    assert all(delay > one.build_takes for delay in outcome.delays), "a commit is built first"


def test_a_seed_gives_the_same_and_another_one_not():
    first, again, other = (fleet.simulate(SMALL, 2, seed) for seed in (1, 1, 2))
    assert first == again and first != other


def test_more_nodes_never_make_it_later():
    medians = []
    for nodes in (5, 20, 80, 320):
        one = replace(SMALL, nodes=nodes, slower_commits=0.05)
        medians.append(statistics.median(fleet.simulate(one, 4).delays))
    assert all(later <= 1.1 * sooner for sooner, later in zip(medians, medians[1:])), medians
    assert medians[-1] < medians[0] / 2


def test_nodes_to_spare_leave_building_measuring_and_searching():
    """With a commit an hour nobody waits: the delay is that of one pass and one confirmation."""
    one = replace(
        SMALL, nodes=1000, commit_every=3600.0, slower_commits=1.0, power=1.0, touches=((0.001, 1),)
    )
    delays = fleet.simulate(one, 3).delays
    rows = 0.001 * one.rows
    pass_takes = one.build_takes + one.row_takes + one.task_takes
    alone = pass_takes + fleet.search_takes(one, 1)
    assert rows < one.measuring
    assert math.isclose(statistics.median(delays), alone, rel_tol=0.01)


def test_too_few_nodes_measure_all_rows_back_to_back():
    """Work that never ends: a pass takes what all its rows take, whatever is skipped."""
    one = replace(SMALL, nodes=2, touches=((1.0, 1),), node_dies_every=math.inf)
    outcome = fleet.simulate(one, 4)
    takes = one.build_takes + one.rows * one.row_takes / one.measuring
    assert math.isclose(outcome.passes, 4 * fleet.DAY / takes, rel_tol=0.05)


@pytest.mark.parametrize("mean", (0.0, 0.3, 7.0, 90.0))
def test_deaths_have_the_mean_and_variance_of_poisson(mean):
    numbers = random.Random(3)
    drawn = [fleet._poisson(mean, numbers) for _ in range(4000)]
    assert abs(statistics.mean(drawn) - mean) <= 4 * math.sqrt((mean + 1e-9) / 4000)
    assert abs(statistics.pvariance(drawn) - mean) <= 0.15 * mean


def test_the_page_has_the_table_that_the_command_prints():
    text = (ROOT / "docs/scale.md").read_text()
    command = re.search(r"^tools/fleet\.py(.*)$", text, re.MULTILINE)[1].split()
    script = [sys.executable, ROOT / "tools/fleet.py", *command]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert printed.strip() in text
