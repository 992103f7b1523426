"""tools/check_quoted_numbers.py on planted documents, and on this tree's."""

import json
import subprocess
import sys
from pathlib import Path

import check_quoted_numbers as quoted
import pytest

SCRIPT = Path(quoted.__file__)
CELLS = [
    {"kind": "ns", "value": 1660000, "text": "1.66 ms ?", "interval_text": "[1.60, 1.71]"},
    {"kind": "ratio", "value": 367, "text": "367x faster ?", "note": "0.73x slower yesterday"},
    {"kind": "rate", "value": 2e-6, "text": "2,227", "unit": "episodes/s"},
    {"kind": "percent", "value": 0.93, "text": "93.4 %"},
    {"kind": "text", "value": "0.1.0-alpha.3", "text": "0.1.0-alpha.3"},
]
REPORT = {
    "schema": "nsop.report/1",
    "footer": [{"label": "Host", "text": "AMD EPYC"}],
    "about": "It once took 77 ms.",
    "sections": [
        {
            "title": "All",
            "notes": ["The authors say 88 ms."],
            "tables": [{"title": "", "rows": [{"cells": CELLS}]}],
        }
    ],
}


@pytest.fixture
def tree(tmp_path):
    generated = tmp_path / "reports/generated"
    generated.mkdir(parents=True)
    (generated / "conv.json").write_text(json.dumps(REPORT))
    (generated / "conv.md").write_text("| 1.66 ms |\n")
    (generated / "judge.md").write_text("Found 41 % of rows, 2.5 times as many as before.\n")
    data = tmp_path / "reference/published/axon.csv"
    data.parent.mkdir(parents=True)
    data.write_text("case,ns_per_op,metric,value\ndqn,870000,heap_mb,35.2\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "harness/suites").mkdir(parents=True)

    def problems(text, name="docs/conv.md"):
        (tmp_path / name).write_text(text)
        return quoted.check(tmp_path)

    return problems


LINK = "[conv](../reports/generated/conv.md)"


@pytest.mark.parametrize(
    "text",
    [
        f"It takes 1.66 ms ({LINK}).",
        f"It takes 1.7 ms ({LINK}), and\nis 367x faster.",
        f"It takes 1,660 µs, {LINK}.",
        "As the report `conv` says, 2,227 episodes/s, 93 % of the limit.",
        "The report\n`conv` has it of 0.1.0-alpha.3.",
        "The report `judge`: 2.5 times as many, 41 % of rows.",
        "Its JSON, reports/generated/conv.json, has 1.66 ms.",
        "Their call took 0.87 ms (reference/published/axon.csv), with 35 MB of heap.",
        "<!-- measured elsewhere: A. Author 2024, table 3 -->\n\nIt took 12 ms.",
        "It took 12 ms. <!-- measured elsewhere: docs/conv.md, by a test -->",
        "A repetition lasts 2 ms. <!-- not measured: the default -->",
        "A repetition of at least 2 ms, of which at most 5 % of the time is lost.",
        "    1. Tiles of 6x64, planes of 14 x 14, exp(2x), 3.1 MB pass, 99 % intervals, k=3 s=1.",
        "Run `nsop run --min-time 2 ms` or\n\n```sh\n# takes 12 ms\nmake\n```\n",
        "<!-- report:begin -->\n\n| 12 ms |\n\n<!-- report:end -->\n",
        "PyTorch 1.13.0 and 3 minutes.",
    ],
)
def test_documents_that_pass(tree, text):
    assert tree(text) == []


@pytest.mark.parametrize(
    "text, problem",
    [
        ("It takes 1.66 ms.", "docs/conv.md:1: 1.66 ms: where was it measured?"),
        (f"It takes 1.67 ms ({LINK}).", "1.67 ms: not found in reports/generated/conv.json"),
        (f"It takes 1.8 ms ({LINK}).", "1.8 ms: not found"),
        (f"1.66 µs {LINK}", "1.66 µs: not found"),
        (f"367x slower {LINK}", "367 x: not found"),
        (f"Ours is 3x faster, {LINK}.", "3 x: not found"),
        (f"1.66 ms {LINK}\n\nand now 1.66 ms", "docs/conv.md:3: 1.66 ms: where"),
        (f"- 1.66 ms {LINK}\n- 1.66 ms", "docs/conv.md:2: 1.66 ms: where"),
        (f"{LINK}\n| a |\n|---|\n| 5 ns |", "docs/conv.md:2: 5 ns: where"),
        (f"What the authors wrote, 88 ms or 77 ms: {LINK}", "88 ms: not found"),
        (f"0.73x slower {LINK}", "0.73 x: not found"),
        ("The report `gone` says so.", "names a report that is not committed: gone"),
        ("See [it](../reports/generated/gone.md).", "not committed: gone"),
        ("As the report `conv` shows of 0.1.0-alpha.2.", "has no 0.1.0-alpha.2"),
        ("Their call took 0.88 ms (reference/published/axon.csv).", "0.88 ms: not found in refer"),
        ("12 ms <!-- measured elsewhere: docs/gone.tsv -->", "there is no docs/gone.tsv"),
        ("12 ms <!-- measured elsewhere: reference/published/axon.csv -->", "12 ms: not found"),
        ("It needs 12 to 14 ms.", "14 ms: where"),
        ("It is 1.9 x faster.", "1.9 x: where"),
        ("It takes 1.2 of the peer's time.", "1.2 of the peer's time: where"),
        ("It takes 12 % more time, layouts differ by 25 %.", "25 %: where"),
        ("Ours reaches 48 GFLOP/s.", "48 GFLOP/s: where"),
        ("It plays 520 moves/s in 35 MB of heap.", "35 MB: where"),
    ],
)
def test_documents_that_fail(tree, text, problem):
    found = tree(text)
    assert any(problem in one for one in found), found


def test_what_authors_write_into_suites(tree):
    suite = "harness/suites/conv.toml"
    assert tree('why = "1.66 ms: column Time."\n', suite) == []
    assert tree('case = "takes 12 ms"\n# 12 ms\n', suite) == []
    assert "conv.toml:2: 12 ms: not found" in tree('\nwhy = "12 ms: column Time."\n', suite)[0]
    assert "conv.toml:1: 12 ms: where" in tree('note = "12 ms"\n', suite)[0]
    marked = '# measured elsewhere: A. Author 2024\nnote = "12 ms"\n'
    assert tree(marked, suite) == []
    assert "conv.toml:3: 13 ms: where" in tree(marked + 'why = "13 ms"\n', suite)[0]


def test_the_folders_of_documents(tree, tmp_path):
    (tmp_path / "kernels").mkdir()
    assert "kernels/README.md:1: 5 ns" in tree("5 ns", "kernels/README.md")[0]
    assert len(tree("5 ns", "CONTRIBUTING.md")) == 2
    assert len(tree("It took 5 ns.", "reports/generated/README.md")) == 2


def test_the_exit_code(tmp_path):
    def run():
        command = [sys.executable, str(SCRIPT), str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True)

    (tmp_path / "README.md").write_text("It takes 12 ms.\n")
    assert run().returncode == 1
    assert run().stdout == "README.md:1: 12 ms: where was it measured? Name the report\n"
    (tmp_path / "README.md").write_text("It is quick.\n")
    assert run().returncode == 0
    (tmp_path / "README.md").write_text("5 ms: reports/generated/conv.md\n")
    (tmp_path / "reports/generated").mkdir(parents=True)
    (tmp_path / "reports/generated/conv.md").write_text("")
    (tmp_path / "reports/generated/conv.json").write_text("{")
    assert run().returncode == 1 and "Traceback" not in run().stderr


def test_the_documents_of_this_tree():
    assert quoted.check(quoted.ROOT) == []


# A word that is taken out of the rule would let everything pass.
def test_this_tree_has_figures_that_are_looked_up():
    tree = quoted.Tree(quoted.ROOT)
    found = 0
    for path in quoted.documents(quoted.ROOT):
        text = (quoted.ROOT / path).read_text()
        if path.suffix == ".md":
            blocks = quoted.blocks_of_markdown(path.as_posix(), text)
            found += sum(bool(list(quoted.quoted(one.text))) for one in blocks)
    assert found >= 3
    assert "limits" in tree.reports and len(tree.source(tree.report("limits"))[0]) > 100
