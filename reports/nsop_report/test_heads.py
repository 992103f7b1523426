"""Every page begins with its answer: a headline in bold before the first table and heading."""

import json

import pytest

from nsop_report import learning
from nsop_report.test_invariants import PAGES
from nsop_report.test_learning import run

HEADED = [path for path in PAGES if path.stem not in ("README", "gate")]


@pytest.mark.parametrize("path", HEADED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_begins_with_its_headline(path):
    head = path.read_text().partition("\n## ")[0].partition("\n|")[0]
    bold = [line for line in head.splitlines() if line.startswith("**") and line.endswith(".**")]
    assert len(bold) == 1
    assert any(line.startswith("- ") for line in head.splitlines())


def report_of(*runs):
    report = {"schema": "nsop.learning-report/1"}
    report["runs"] = [{key: one[key] for key in learning.KEPT} for one in runs]
    return report


def test_the_head_of_what_is_learned_names_the_best_seed_and_the_worst():
    report = report_of(run(1), run(2, ratio=1.4, evaluated_mean=1527.0))
    page = learning.markdown(report, "x.svg")
    head = page.partition("\n|")[0]
    assert f"**{learning.headline(report)}.**" in head
    assert "best seed 1, 3.00 times (3,270 against 1,090)" in head
    assert "worst seed 2, 1.40 times (1,527 against 1,090); the goal is 1.5 times." in head
    assert "3,000 games with training, then 100 games without" in head


def test_the_head_of_what_is_learned_says_that_its_age_is_unknown():
    assert "how old this page is can't be told" in learning.markdown(report_of(run(1)), "x.svg")


def test_no_seed_makes_a_page_that_says_so():
    assert "- No seed has run." in learning.markdown(report_of(), "x.svg")


def test_seeds_of_several_lengths_are_named():
    page = learning.markdown(report_of(run(1), run(2, episodes=500)), "x.svg")
    assert "500 or 3,000 games with training" in page


def test_the_committed_page_is_what_its_file_renders_to():
    path = next(path for path in PAGES if path.stem == "dqn_learning")
    report = json.loads(path.with_suffix(".json").read_text())
    assert learning.markdown(report, "dqn_learning.svg") == path.read_text()
