"""python3 -m harness.judge.evaluation.page.testing.small_support JUDGE_JSON: cuts a result of two
seeds (`make judge-eval ARGS="--seeds 2"`) down to testdata/small.json. NSOP_UPDATE_GOLDEN=1 of
test_tables.py then writes its page."""

import sys
from pathlib import Path

from ... import __main__ as evaluation

TESTDATA = Path(__file__).parents[1] / "testdata"
KINDS = {"quiet", "lab", "heavy tails"}
LINES = {"margin": 1, "layouts": 1, "distributions": 2, "hidden": 2}


def of_few_kinds(value):
    """Without the other kinds of machines, wherever figures are by kind."""
    if isinstance(value, list):
        return [of_few_kinds(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = KINDS & set(value)
    return {key: of_few_kinds(one) for key, one in value.items() if not kept or key in kept}


def small(result):
    few = of_few_kinds(result)
    del few["headline"]
    return {**few, "live": None, **{name: few[name][:count] for name, count in LINES.items()}}


if __name__ == "__main__":
    cut = evaluation.lines(small(evaluation.read(Path(sys.argv[1]))))
    (TESTDATA / "small.json").write_text(cut)
