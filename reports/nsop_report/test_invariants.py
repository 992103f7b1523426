"""What no report may say, whatever was measured: of the made-up reports and the committed."""

import math
import pathlib
import re

import pytest

from nsop_report import model, pages
from nsop_report.conftest import REPORTS, TESTDATA

GENERATED = pathlib.Path(__file__).resolve().parents[1] / "generated"
# Time before, time after, and the ratio of the two.
RATIOS = [
    ("before", "after", "speedup"),
    ("best_peer_time", "ours", "vs_best_peer"),
    ("best_peer_time", "time", "vs_best_peer"),
    ("other_time", "ours", "gap"),
]
MOST_APART = 1.1


def is_report(path):
    return '"nsop.report/' in path.read_text(encoding="utf-8")[:100]


def models():
    yield from (TESTDATA / f"{name}.json" for name in REPORTS)
    yield from (path for path in sorted(GENERATED.glob("*.json")) if is_report(path))


ALL = {f"{path.parent.name}/{path.stem}": model.load(path) for path in models()}
# Reports that were measured before there were headlines say less and are checked for less.
NEW = {name: report for name, report in ALL.items() if "headline" in report}


_RENDERED = {}


def page_of(report):
    """The page of a report of ALL, which no test changes: rendered once for all tests."""
    if id(report) not in _RENDERED:
        _RENDERED[id(report)] = pages.page(report)
    return _RENDERED[id(report)]


PAGES = sorted([*TESTDATA.glob("*.md"), *GENERATED.glob("*.md")])


@pytest.fixture(params=NEW, ids=str)
def report(request):
    return NEW[request.param]


def tables_of(report, summary=None):
    for section in report["sections"]:
        if summary is None or bool(section.get("summary")) == summary:
            yield from section["tables"]


def cells_of(table):
    """{id of a column: cell} of each row."""
    ids = [column["id"] for column in table["columns"]]
    return [dict(zip(ids, row["cells"])) for row in table["rows"]]


def direction(text):
    if re.search("less time|faster", text):
        return 1
    return -1 if re.search("more time|slower", text) else 0


def test_a_ratio_agrees_with_its_times_or_is_in_doubt(report):
    checked = 0
    for table in tables_of(report):
        for cells in cells_of(table):
            for before, after, ratio in RATIOS:
                if not {before, after, ratio} <= cells.keys():
                    continue
                a, b, speed = (cells[key].get("value") for key in (before, after, ratio))
                if None in (a, b, speed) or cells[ratio]["kind"] != "ratio":
                    continue
                checked += 1
                apart = abs(math.log(a / b / speed))
                says = direction(cells[ratio]["text"])
                contrary = says and (a / b - 1) * says < -0.001
                if apart > math.log(MOST_APART) or contrary:
                    assert cells[ratio].get("doubt"), (cells[ratio], a, b)
    compared = any(
        "vs_best_peer" in c or "speedup" in c for t in tables_of(report) for c in cells_of(t)
    )
    assert checked or not compared or report["form"] in ("sweep", "workload")


def test_an_interval_holds_its_value(report):
    for table in tables_of(report):
        for cell in (cell for cells in cells_of(table) for cell in cells.values()):
            if cell.get("interval") and cell["value"] is not None:
                lo, hi = cell["interval"]
                assert lo * 0.9999 <= cell["value"] <= hi * 1.0001, cell


def test_times_in_open_tables_have_intervals_or_are_in_doubt(report):
    for table in (table for table in tables_of(report) if not table["collapsed"]):
        for cell in (cell for cells in cells_of(table) for cell in cells.values()):
            if cell["kind"] == "time" and not cell.get("doubt") and "interval" in cell:
                lo, hi = cell["interval"]
                assert lo == hi or "interval_text" in cell


def test_an_open_table_has_eight_columns_at_most(report):
    open_tables = [table for table in tables_of(report) if not table["collapsed"]]
    assert open_tables and max(len(table["columns"]) for table in open_tables) <= 8


def test_the_headline_counts_the_verdicts_of_the_rows(report):
    counts = {
        word: int(number)
        for number, word in re.findall(r"(\d+) (faster|slower|inconclusive)", report["headline"])
    }
    if "slower" in counts:
        [section] = [s for s in report["sections"] if s["title"] == "What is slower, and why"]
        assert section["tables"][0]["title"].startswith("Slower than")
        assert len(section["tables"][0]["rows"]) == counts["slower"]


def test_what_a_missing_peer_could_change_is_not_said():
    lacking = [r for r in NEW.values() if "missing (make peers)" in r["headline"]]
    assert lacking
    for report in lacking:
        assert "not judged" in report["headline"]
        assert not any(line.startswith("Median") for line in report["head"])


def test_one_word_for_what_is_not_known(report):
    for cell in (
        cell for table in tables_of(report) for c in cells_of(table) for cell in c.values()
    ):
        assert cell["text"] not in ("open", "unclear", "undecided")


# Second words for `inconclusive`.
SECOND_WORDS = r"undecided|not decided|unclear|left open|leaves? (it|more) open|stay(s|ed)? open"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_has_a_second_word_for_inconclusive(path):
    assert re.findall(rf".*\b(?:{SECOND_WORDS})\b.*", path.read_text()) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_an_open_table_of_a_page_has_eight_columns_at_most(path):
    open_parts = re.sub(r"(?s)<details>.*?</details>", "", path.read_text())
    lines = [line.replace("\\|", "") for line in open_parts.splitlines() if line.startswith("|")]
    assert lines and max(line.count("|") - 1 for line in lines) <= 8


def test_a_log_of_releases_has_two_at_least():
    logs = {k: r for k, r in NEW.items() if r["form"] == "tracking"}
    assert "generated/tracking" in logs
    for name, report in logs.items():
        [(count, end)] = re.findall(r"^(\d+) releases .*? (to|and) this run;", report["headline"])
        named = {
            cells["release"]["text"]
            for table in tables_of(report)
            for cells in cells_of(table)
            if "release" in cells
        }
        assert "this run" in named, name
        counted = named if end == "to" else named - {"this run"}
        assert 2 <= int(count) == len(counted), name


def test_a_mean_says_over_how_many_rows_it_is(report):
    for line in report["head"]:
        means = len(re.findall(r"\bmean\b", line))
        assert means == len(re.findall(r"\bgeometric mean of [\d,]+ rows? ", line)), line
    for table in tables_of(report):
        for column in table["columns"]:
            if "geometric mean" in column["label"].lower():
                rows = table["rows"]
                assert {"matched", "rows"} <= {column["id"] for column in table["columns"]}
                assert all(
                    c["matched"]["value"] or c["mean"]["value"] is None for c in cells_of(table)
                ), rows


def test_a_page_is_sixty_kilobytes_at_most(report):
    page = page_of(report)
    assert len(page.encode()) <= pages.LIMIT
    head = page.split("\n## ")[0].split("\n|")[0].splitlines()
    assert len([line for line in head if line and not line.startswith(("<!--", "|"))]) <= 12


def test_a_page_that_shows_a_share_above_all_of_a_limit_says_what_it_means(report):
    page = page_of(report)
    above = re.findall(r"\|(\d{3,}) % of (?:compute|L1|L2|L3|DRAM|overhead)", page)
    if any(int(percent) > 100 for percent in above):
        assert "More than 100 % of compute means that an algorithm does less arithmetic" in page


def test_no_number_is_beyond_reason(report):
    for line in [report["headline"], *report["head"], *(item["text"] for item in report["footer"])]:
        for percent in re.findall(r"([\d,]+(?:\.\d+)?) %", line):
            assert float(percent.replace(",", "")) <= 1000, line
