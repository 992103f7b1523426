"""The head of the judge's report: its answer first, before any table."""

import re

from .. import __main__ as evaluation
from .. import files
from . import render, targets

PLOTS = {"power": "a", "alarms": "b", "live": "c"}


def stored():
    return evaluation.read(files.ROOT / "reports/generated/judge.json")


def head_of(page):
    return page.partition("\n## ")[0]


def test_the_page_begins_with_its_answer():
    result = stored()
    top = head_of(render.markdown(result, PLOTS))
    rows = targets.rows(result)
    assert f"**{targets.headline(rows)}.**" in top
    assert "|" not in top
    lines = [line for line in top.splitlines() if line and not line.startswith("<!--")]
    assert len(lines) <= 12


def test_the_head_names_what_is_not_met_and_nothing_else():
    rows = targets.rows(stored())
    unmet = [row for row in rows if row[3] != "met"]
    said = targets.unmet_lines(rows)
    assert len(said) == len(unmet)
    for what, target, measured, _ in unmet:
        assert any(f'"{what}": {measured}; target: {target}' in line for line in said)


def test_what_is_missed_stands_first_and_reasons_are_given():
    said = ["met by the estimate, not shown by so few", "not calibrated", "**missed**", "met"]
    rows = [[f"what {i}", "<= 1", "2", text] for i, text in enumerate(said)]
    assert targets.unmet_lines(rows) == [
        'Missed: "what 2": 2; target: <= 1.',
        'Met by the estimate: "what 0": 2; target: <= 1 '
        "(met by the estimate, not shown by so few).",
        'Inconclusive: "what 1": 2; target: <= 1 (not calibrated).',
    ]


def test_the_head_says_where_and_when_the_gates_ran():
    live = stored()["live"]
    top = head_of(render.markdown(stored(), PLOTS))
    [line] = [line for line in top.splitlines() if line.startswith("- On a machine: ")]
    for fact in (live["cpu"], live["nulls"]["commit"], live["nulls"]["day"]):
        assert fact in line
    assert re.search(r"paired SD of a row [\d.]+ to [\d.]+ %", line)
    assert "How many commits old that is, the [index of the reports](README.md) says" in top


def test_without_gates_on_a_machine_the_head_says_so():
    assert "- No gate on a machine is measured." in head_of(
        render.markdown({**stored(), "live": None}, PLOTS)
    )


def test_of_many_targets_that_are_not_met_the_head_names_some():
    rows = [[f"what {i}", "<= 1", "2", "**missed**"] for i in range(20)]
    lines = targets.head({**stored(), "live": None}, rows)
    assert len(lines) <= 12
    assert "And 15 more that are not met, in the table below." in lines


def test_gates_of_which_no_row_is_kept_have_no_noise():
    live = {**stored()["live"], "nulls": {**stored()["live"]["nulls"], "rows": []}}
    assert targets.machine_line(live).endswith(" gates of it against itself.")
