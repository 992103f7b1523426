"""PyTorch's deviations stand in docs/dqn.md; the tolerances of the replay and the test of exactness
are made of the same numbers."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]


def table():
    """{(updates, calls): [median, 90 %, largest of losses, the same of parameters]}."""
    rows = re.findall(r"^\| (1|32) \| (\d+) \|(.*)\|$", (ROOT / "docs/dqn.md").read_text(), re.M)
    return {
        (int(updates), int(calls)): [float(cell) if cell.strip() else None for cell in cells]
        for updates, calls, row in rows
        if len(cells := row.split("|")) == 6
    }


def test_the_tolerances_are_of_the_documented_table():
    text = (ROOT / "reference/dqn_replay.cpp").read_text()
    documented = table()
    assert len(documented) == 6
    worst = [max(row[at] for (u, _), row in documented.items() if u == 32) for at in (2, 5)]
    for updates, name in ((1, "kOneUpdate"), (32, "kUpdateEach")):
        body = re.search(name + r" = \{\s*(.*?)\};", text, re.S).group(1)
        rows = re.findall(r"\{(\d+), ([-\d.e]+), ([-\d.e]+)\}", body)
        least = [0.0, 0.0]  # never less than of fewer calls
        assert len(rows) == (3 if updates == 1 else 4)
        for calls, losses, parameters in rows:
            row = documented.get((updates, int(calls)))
            wanted = worst if row is None else [row[1] or row[2], row[4] or row[5]]
            least = [max(pair) for pair in zip(least, wanted)]
            assert [float(losses), float(parameters)] == least, (updates, calls)


def test_exactness_is_compared_with_the_documented_medians():
    text = (ROOT / "layers/workloads/dqn_test.cpp").read_text()
    found = re.findall(r"Exactness\{(\w+), .*?, ([-\d.e]+), ([-\d.e]+)\}", text)
    documented = table()
    medians = {"kHundred": documented[1, 100], "kEach": documented[32, 100]}
    assert {name for name, _, _ in found} == set(medians)
    for name, losses, parameters in found:
        assert [float(losses), float(parameters)] == [medians[name][0], medians[name][3]]
