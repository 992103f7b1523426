import os
import shlex
import subprocess

import kept_runs
import pytest
import readme_table

ROOT = readme_table.ROOT


@pytest.fixture
def report():
    return readme_table.model.load(ROOT / readme_table.SOURCE)


@pytest.fixture(scope="module")
def committed():
    return readme_table.committed()


def cells_of(report, title):
    """{label of a row: {id of a column: text}} of the table with this title."""
    table = next(t for s in report["sections"] for t in s["tables"] if t["title"] == title)
    ids = [column["id"] for column in table["columns"]]
    return {row["label"]: dict(zip(ids, row["cells"])) for row in table["rows"]}


def test_the_excerpt_shows_cells_of_the_report_unchanged(report):
    head, line, *lines = readme_table.markdown(report, []).splitlines()
    assert head.startswith("| Row | Before | After | Speedup | Allocs/op | Best other library |")
    assert set(line) <= set("|-:") and lines[-1].startswith("Host: ")
    ours = cells_of(report, "")
    peers = cells_of(report, "Against other libraries and the machine's limit")
    shown = [line.strip("| ").split(" | ") for line in lines[: readme_table.ROWS]]
    assert [cells[0] for cells in shown] == list(ours)[: readme_table.ROWS]
    for row, before, after, speedup, allocs, *peer in shown:
        mine, other = ours[row], peers[row]
        assert allocs == mine["allocs"]["text"]
        for text, cell in (
            (before, mine["before"]),
            (after, mine["after"]),
            (speedup, mine["speedup"]),
            (peer[0], other["best_peer"]),
            (peer[1], other["best_peer_time"]),
            (peer[2], other["vs_best_peer"]),
        ):
            assert text.startswith(cell["text"]) and cell.get("interval_text", "") in text
        assert peer[2].endswith(" " + other["vs_best_peer"]["verdict"])


def test_a_mark_of_doubt_is_explained_where_it_is_shown(report):
    explained = " `?` marks a doubtful number: the report says why."
    assert (explained in readme_table.markdown(report, [])) == any(
        " ? " in line for line in readme_table.table_lines(report)
    )
    for table in (table for section in report["sections"] for table in section["tables"]):
        for cell in (cell for row in table["rows"] for cell in row["cells"]):
            cell["text"] = cell["text"].removesuffix(" ?")
    assert explained not in readme_table.markdown(report, [])


def slower_tables(reports):
    """{report: its table of rows that are slower than another library}."""
    return {
        one["name"]: table
        for one in reports
        for section in one["sections"]
        for table in section["tables"]
        if table["title"] == "Slower than another library"
    }


def test_a_report_without_a_judged_row_is_not_among_those_without_slower_ones(committed):
    [layers] = [one for one in committed if one["name"] == "layers"]
    open_one = {
        **layers,
        "name": "open",
        "headline": "layer: 37 not judged of 37 rows against the fastest other library of each row",
        "sections": [],
    }
    *_, said, apart = readme_table.slower_lines([*committed, open_one])
    assert said.startswith("No row is slower by its verdict in [") and "[open]" not in said
    assert apart.startswith("No row is judged in [open](")
    assert "[open]" in readme_table.slower([open_one])


def test_the_readme_names_every_report_with_rows_that_are_slower(committed):
    found = slower_tables(committed)
    lines = list(readme_table.slower_lines(committed))
    shown = {line.split("[")[1].split("]")[0]: line for line in lines[2:] if line[:3] == "| ["}
    assert found and shown.keys() == found.keys()
    for name, table in found.items():
        [report] = [one for one in committed if one["name"] == name]
        assert f" {len(table['rows'])} slower," in report["headline"]
        assert f"](reports/generated/{name}.md) | {len(table['rows'])} of " in shown[name]
        cells = {c["id"]: x for c, x in zip(table["columns"], table["rows"][0]["cells"])}
        for column in ("row", "ours", "other", "other_time", "gap"):
            assert cells[column]["text"] in shown[name]
        assert cells["gap"]["verdict"] == "worse"


def test_reports_without_a_slower_row_are_named_apart(committed):
    *_, last = readme_table.slower_lines(committed)
    assert last.startswith("No row is slower by its verdict in [")
    for one in committed:
        has_none = " against the fastest other library" in one["headline"]
        has_none = has_none and " slower, " not in one["headline"]
        assert (f"[{one['name']}](" in last) == has_none
    assert readme_table.slower([]).startswith("No committed report has a row that is slower")


def test_a_report_without_peers_makes_no_table():
    alone = readme_table.model.load(ROOT / "reports/testdata/before_after.json")
    with pytest.raises(SystemExit, match="no table has the columns best_peer"):
        readme_table.markdown(alone, [])


def test_tables_of_the_readme_have_eight_columns_at_most():
    lines = (ROOT / "README.md").read_text().splitlines()
    widths = [line.replace("\\\\|", "").count("|") - 1 for line in lines if line.startswith("|")]
    assert widths and max(widths) <= 8


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
    packed = kept_runs.newest_gate(ROOT / "reports/runs")
    plain = tmp_path / "gate.ndjson"
    plain.write_bytes(kept_runs.unpacked(packed))
    for words in (
        ["import", plain],
        ["report", "--gate", "@last", "--out", tmp_path / "gate.md"],
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
