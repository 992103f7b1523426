"""What the committed reports of the 2048 workload promise: a call costs the same to the end of a
long run, and a sensible configuration learns."""

import json
import pathlib

from nsop_report import model

GENERATED = pathlib.Path(__file__).resolve().parents[1] / "generated"
OURS = {"functional", "pooled", "batched"}


def growth():
    """(case, variant, verdict of the last tenth of calls against the first) of all rows."""
    report = model.load(GENERATED / "dqn_steady.json")
    for table in (table for section in report["sections"] for table in section["tables"]):
        names = [column["id"] for column in table["columns"]]
        if "growth" not in names:
            continue
        for row in table["rows"]:
            cells = dict(zip(names, row["cells"]))
            variant = cells["variant"]["text"].split("@")[0]
            yield row["case"], variant, cells["growth"].get("verdict")


def test_no_call_of_ours_gets_slower_over_a_thousand_games():
    verdicts = {(case, variant): verdict for case, variant, verdict in growth() if variant in OURS}
    cases = [f"dqn2048 updates={updates} episodes=1000" for updates in (1, 32)]
    expected = {(case, variant) for case in cases for variant in ("functional", "pooled")}
    expected.add((cases[0], "batched"))
    assert set(verdicts) == expected
    assert {verdict for verdict in verdicts.values() if verdict == "worse"} == set()
    assert None not in verdicts.values()
    assert verdicts[cases[0], "batched"] == "same"


def test_it_learns_from_all_three_seeds():
    runs = json.loads((GENERATED / "dqn_learning.json").read_text())["runs"]
    assert [run["seed"] for run in runs] == [1, 2, 3]
    for run in runs:
        assert run["evaluated"] == 100 and run["goal"] == 1.5
        assert run["ratio"] == run["evaluated_mean"] / run["random_mean"] >= 1.5
