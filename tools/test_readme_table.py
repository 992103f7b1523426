import lzma
import os
import shlex
import subprocess

import pytest
import readme_table

ROOT = readme_table.ROOT


@pytest.fixture
def report():
    return readme_table.model.load(ROOT / "reports/testdata/before_after.json")


def test_the_excerpt_shows_cells_of_the_report_unchanged(report):
    lines = readme_table.markdown(report).splitlines()
    table = report["sections"][0]["tables"][0]
    assert lines[0].startswith("| Layer | Operation | Before time | After time | Speedup |")
    assert set(lines[1]) <= set("|-:")
    speedup = [column["id"] for column in table["columns"]].index("speedup")
    for line, row in zip(lines[2:], table["rows"][: readme_table.ROWS]):
        assert f"| {row['cells'][speedup]['text']} " in line
        assert line.count(" | ") == len(readme_table.COLUMNS) - 1
    assert lines[-1].startswith("Host: ")


def test_only_what_is_between_the_markers_changes():
    readme = "a\n<!-- report:begin -->\nold\n<!-- report:end -->\nb\n"
    once = readme_table.filled(readme, "report", "new")
    assert once == "a\n<!-- report:begin -->\n\nnew\n\n<!-- report:end -->\nb\n"
    assert readme_table.filled(once, "report", "new") == once


def test_the_readme_has_the_markers_once():
    readme = (ROOT / "README.md").read_text()
    for name in ("report", "gate"):
        assert readme.count(f"<!-- {name}:begin -->") == 1
        assert readme.count(f"<!-- {name}:end -->") == 1


def test_the_verdict_is_quoted_without_what_to_do():
    comment = (
        "<!-- x -->\n## nsop: 1 regression\n\nA.\n\n### Worse\n\n| a |\n\n### What to do\n\nB.\n"
    )
    quoted = "> **nsop: 1 regression**\n>\n> A.\n>\n> Worse\n>\n> | a |"
    assert readme_table.verdict(comment) == quoted


def test_the_committed_comment_is_what_its_kept_run_renders_to(tmp_path):
    nsop = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/nsop"
    packed = next((ROOT / "reports/runs").glob("*/*-b8cc4fd4.ndjson.xz"))
    plain = tmp_path / "gate.ndjson"
    plain.write_bytes(lzma.decompress(packed.read_bytes()))
    for words in (
        ["import", plain],
        ["report", "--gate", "b8cc4fd4", "--out", tmp_path / "gate.md"],
    ):
        subprocess.run([nsop, *words, "--db", tmp_path / "t.db"], check=True, cwd=ROOT)
    committed = (ROOT / readme_table.GATE).read_text()
    assert (tmp_path / "gate.md").read_text() == committed


HISTORY = ROOT / "reports/history"


def in_history(tmp_path, *words):
    """What nsop says of the committed nights, without a database."""
    nsop = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/nsop"
    command = [nsop, *words, "--history", HISTORY, "--db", tmp_path / "none.db"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout


def test_the_drawn_history_is_what_its_nights_give(tmp_path):
    said = (HISTORY / "README.md").read_text().split("build/release/bin/nsop ")[1].split("\n")[0]
    words = shlex.split(said)
    assert words[-4:] == ["--history", "reports/history", "--plot", "reports/history/tanh.svg"]
    in_history(tmp_path, *words[:-4], "--plot", tmp_path / "tanh.svg")
    assert (tmp_path / "tanh.svg").read_text() == (HISTORY / "tanh.svg").read_text()


def test_the_alerts_in_the_readme_are_those_of_the_nights(tmp_path):
    readme = (ROOT / "README.md").read_text()
    shown = readme.split("<!-- alerts:begin -->")[1].split("<!-- alerts:end -->")[0]
    listed = in_history(tmp_path, "alert", "list", "--all")
    lines = "\n".join(line.rstrip() for line in listed.splitlines())
    assert shown == f"\n\n```\n{lines}\n```\n\n"
