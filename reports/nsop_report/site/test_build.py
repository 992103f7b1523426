"""A site is written as a whole: its files, the same bytes every time, what they say and weigh."""

import gzip
import hashlib
import json
import os
import posixpath
import re

import pytest
from markupsafe import escape

from nsop_report.site import build
from nsop_report.site.conftest import contents, make, page, two_runs
from nsop_report.site.testing import model_support

UPLOT = os.path.join(build.REPORTS, "assets", "uplot")
EMPTY = [{**model_support.site([]), "conclusions": [], "health": [], "hosts": []}]
BASES = ("index", "explore", "roofline", "compare", "judge", "method", "cases/1")


def cases_of(lines):
    return [line for line in lines if line["kind"] == "case"]


def pages(site):
    return {path.relative_to(site).as_posix(): page(path) for path in sorted(site.rglob("*.html"))}


def test_all_pages_are_there(site, lines):
    names = set(contents(site))
    assert {f"case/{case['id']}.html" for case in cases_of(lines)} <= names
    assert {f"{base}.html" for base in BASES} <= names
    gate = next(line["id"] for line in lines if line["kind"] == "gate")
    assert {f"gate/{gate}.html", f"data/gate-{gate}.js", "data/index.js"} <= names
    assert {"assets/uPlot.iife.min.js", "assets/uPlot.LICENSE.txt", "nsop-site.json"} <= names


def test_the_same_model_gives_the_same_bytes(site, lines, tmp_path):
    again = make(tmp_path, lines)
    assert contents(again) == contents(site)
    make(tmp_path, lines)  # over itself
    assert contents(again) == contents(site)


def test_every_link_and_source_leads_to_a_file_and_an_id(site):
    all_pages = pages(site)
    checked = 0
    for name, one in all_pages.items():
        here = posixpath.dirname(name)
        for href in [*one.hrefs, *filter(None, one.sources)]:
            if href.startswith("data:"):
                continue
            path, _, fragment = href.partition("#")
            target = posixpath.normpath(posixpath.join(here, path)) if path else name
            assert (site / target).is_file(), (name, href)
            if fragment and "=" not in fragment:
                assert fragment in all_pages[target].ids, (name, href)
            checked += 1
    assert checked > 200


def test_ids_of_a_page_differ_and_heads_have_scopes_and_tables_captions(site):
    for name, one in pages(site).items():
        assert len(one.ids) == len(set(one.ids)), name
        assert set(one.scopes) <= {"row", "col"}, name
        assert len(one.captions) == len(one.tables), name
        assert all(one.captions), name


def test_no_page_has_code_or_looks_of_its_own(site):
    for name, one in pages(site).items():
        raw = (site / name).read_text()
        assert f'content="{escape(build.POLICY)}"' in raw
        assert one.inline.strip() == "", name
        assert not {a for a in one.attributes if a == "style" or a.startswith("on")}, name
        assert "style" not in one.tags, name
        assert not re.search(r"https?://", re.sub(r"http://www.w3.org/2000/svg", "", raw)), name


def test_cells_say_what_the_model_says(site, lines):
    for case in cases_of(lines):
        table = page(site / "case" / f"{case['id']}.html").tables[0]
        assert len(table) == len(case["rows"]) + 1
        for row, cells in zip(case["rows"], table[1:]):
            assert cells[0].startswith(row["who"])
            assert cells[0].endswith(f" threads: {row['threads']}, {row['host']}")
            assert cells[1].startswith(f"{row['time']['text']} {row['time']['interval_text']}")
            if row["peer"]:
                assert f"{row['peer']['verdict']} {row['peer']['text']}" in cells[2]
                assert (cells[3], cells[5]) == (row["limit"]["text"], row["recoverable"]["text"])
            assert (cells[6], cells[7]) == (row["allocs"]["text"], row["bytes"]["text"])


def test_histories_are_tables_too(site, lines):
    case = cases_of(lines)[0]
    row = case["rows"][0]
    tables = page(site / "case" / f"{case['id']}.html").tables
    points = next(table for table in tables if table[0][0] == "UTC ?")
    assert [cells[1] for cells in points[1:]] == [point[2] for point in row["history"]["points"]]
    assert [cells[3] for cells in points[1:]] == [point[4] for point in row["history"]["points"]]


def test_a_case_names_the_suites_and_reports_it_stands_in(site, lines):
    for case in cases_of(lines):
        shown = page(site / "case" / f"{case['id']}.html").text
        assert case["suites"]
        for suite in case["suites"]:
            assert f"Suite {suite['name']}, {suite['text']}. Its report, {suite['title']}" in shown
            assert suite["command"] in shown


def test_processes_are_a_table(site, lines):
    for case in cases_of(lines):
        name = f"case/{case['id']}.html"
        own = page(site / name)
        if f"{case['id']}-points.html#s-strip" in own.hrefs:
            own = page(site / name.replace(".html", "-points.html"))
        found = next(t for t in own.tables if [*map(len, t[:1])] == [2] and "Proc" in t[0][1])
        assert [cells[1] for cells in found[1:]] == [
            ", ".join(row["invocation_texts"]) for row in case["rows"]
        ]


def test_a_roofline_is_tables_of_its_points_and_roofs(site, lines):
    tables = page(site / "roofline.html").tables
    for at, one in enumerate(lines[-1]["rooflines"]):
        points, roofs = tables[2 * at : 2 * at + 2]
        assert [cells[2:4] for cells in points[1:]] == [
            [point["x_text"], point["text"]] for point in one["points"]
        ]
        assert roofs[1:] == [[roof["label"], roof["text"]] for roof in one["roofs"]]


def test_sizes_are_a_table_with_the_limits(site, lines):
    for case in cases_of(lines):
        tables = page(site / "case" / f"{case['id']}.html").tables
        sizes = [table[1:] for table in tables if table[0][0].startswith("Elements")]
        series = case["sweep"]["series"] if case["sweep"] else []
        assert sizes == [[[p[5], p[2], p[6]] for p in one["points"]] for one in series]


def test_explore_and_the_plain_pages_have_the_rows(site, lines):
    rows = [(case, row) for case in cases_of(lines) for row in case["rows"]]
    for name in ("explore.html", "cases/1.html"):
        table = page(site / name).tables[0]
        assert len(table) == len(rows) + 1
        for (case, row), cells in zip(rows, table[1:]):
            assert cells[0] == f"{case['title']} {case['case']}"
            assert cells[1:4] == [row["who"], str(row["threads"]), row["host"]]
            assert cells[4].startswith(row["time"]["text"])


def test_a_long_list_is_split_into_plain_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "ROWS_A_PAGE", 10)
    monkeypatch.setattr(build, "ROWS_IN_EXPLORE", 5)
    site = make(tmp_path, model_support.model(3))
    counts = [len(page(site / f"cases/{at}.html").tables[0]) - 1 for at in (1, 2, 3, 4)]
    assert counts == [10, 10, 10, 3]
    assert not (site / "cases/5.html").exists()
    assert "The first 5 of 33 rows" in page(site / "explore.html").text
    assert ["1.html", "3.html"] == page(site / "cases/2.html").hrefs[-3:-1]


def test_an_old_history_moves_to_a_page_beside(tmp_path):
    lines = model_support.model(2, points=200)
    site = make(tmp_path, lines)
    case = cases_of(lines)[0]
    own, beside = (site / f"case/{case['id']}{end}.html" for end in ("", "-points"))
    assert own.stat().st_size <= 30_000
    assert f"{case['id']}-points.html#{case['rows'][0]['id']}" in page(own).hrefs
    assert len(page(beside).tables[0]) == 201


@pytest.mark.parametrize("letters", [5, 10, 20, 40, 80])
def test_a_page_is_counted_in_bytes(letters, tmp_path):
    """Each of these letters takes three."""
    lines = model_support.model(1)
    for row in lines[0]["rows"]:
        for point in row["history"]["points"] if row["history"] else []:
            point[5] = "\u2264" * letters
    site = make(tmp_path, lines)
    assert (site / f"case/{lines[0]['id']}.html").stat().st_size <= 30_000


def test_a_table_of_many_sizes_is_made_once_for_all_cases_of_its_sweep(tmp_path, monkeypatch):
    """A thousand sizes of a thousand cases would take minutes."""
    lines = model_support.model(4)
    cases = cases_of(lines)
    sweep = next(case["sweep"] for case in cases if case["sweep"])
    sweep["series"][0]["points"] *= 600
    for case in cases:
        case["sweep"] = sweep
    made, make_table = [], build._Site._table_of_sizes

    def counted(site, root, sweep):
        made.append(sweep)
        return make_table(site, root, sweep)

    monkeypatch.setattr(build._Site, "_table_of_sizes", counted)
    site = make(tmp_path, lines)
    assert len(made) == 1
    for case in cases:
        own, beside = (site / f"case/{case['id']}{end}.html" for end in ("", "-points"))
        assert own.stat().st_size <= build.MOST_OF_A_CASE
        assert f"{case['id']}-points.html#s-sizes" in page(own).hrefs
        assert len(page(beside).hrefs) > 600


def test_two_runs_stand_beside_the_gates_and_are_said_to_be_unpaired(tmp_path):
    lines = model_support.model(2)
    gate = next(line for line in lines if line["kind"] == "gate")
    runs = two_runs(gate, 0, 1)
    site = make(tmp_path, [*lines[:-1], runs, lines[-1]])
    compare = page(site / "compare.html")
    gates, pairs = (compare.tables[at] for at in (0, 1))
    assert [cells[0] for cells in gates[1:]] == [gate["id"]]
    assert [cells[0] for cells in pairs[1:]] == [runs["title"]]
    own = page(site / f"gate/{runs['id']}.html")
    assert runs["title"] in own.text and "at different times: unpaired" in own.text
    assert "unpaired" not in page(site / f"gate/{gate['id']}.html").text.split("Rows")[0]
    text = (site / "compare.html").read_text()
    links = re.findall(r'data-before="([^"]*)" data-after="([^"]*)"', text)
    assert links == [(runs["before"], runs["after"])]
    assert f'"title":"{runs["title"]}"' in (site / f"data/gate-{runs['id']}.js").read_text()


def test_an_empty_site_says_so(tmp_path):
    site = make(tmp_path, EMPTY)
    assert "No alerts." in page(site / "index.html").text
    assert "0 rows." in page(site / "explore.html").text
    assert "No gates." in page(site / "compare.html").text
    assert "No machine has two runs" in page(site / "compare.html").text
    assert "No rooflines" in page(site / "roofline.html").text
    assert len(list((site / "case").iterdir())) == 0


def test_rows_that_failed_have_no_time_and_no_drawing(tmp_path):
    lines = model_support.model(1, failed=True)
    site = make(tmp_path, lines)
    table = page(site / f"case/{cases_of(lines)[0]['id']}.html").tables[0]
    assert all("wrong" in cells[1] for cells in table[1:])
    assert "strip" not in page(site / f"case/{cases_of(lines)[0]['id']}.html").ids


def test_without_a_judge_its_page_says_so(tmp_path):
    site = make(tmp_path, [{**EMPTY[0], "judge": None}])
    assert "no evaluation of the judge" in page(site / "judge.html").text


def test_optional_fields_may_be_missing(tmp_path):
    lines = model_support.model(2)
    del lines[-1]["judge"]["charts"]
    for point in lines[-1]["rooflines"][0]["points"]:
        del point["ours"]
    site = make(tmp_path, lines)
    assert len(page(site / "judge.html").tables) == 1
    assert "other" not in page(site / "roofline.html").tables[0][1][1]


@pytest.mark.parametrize("copies, moved", [(3, False), (4, True)])
def test_a_case_of_many_rows_moves_what_others_have_to_a_page_beside(tmp_path, copies, moved):
    lines = model_support.model(1)
    case = lines[0]
    for row in list(case["rows"]):
        for copy in range(copies):
            case["rows"].append(
                {**row, "id": f"{row['id']}-{copy}", "ours": False, "history": None}
            )
    site = make(tmp_path, lines)
    own, beside = (page(site / f"case/{case['id']}{end}.html") for end in ("", "-points"))
    ours = sum(row["ours"] for row in case["rows"])
    assert len(own.tables[0]) == 1 + (ours if moved else len(case["rows"]))
    if moved:
        assert len(beside.tables[0]) == 1 + len(case["rows"]) - ours
    assert f"{case['id']}-points.html" in own.hrefs
    assert (site / f"case/{case['id']}.html").stat().st_size <= 30_000
    peer = next(row for row in case["rows"] if row["who"] == "onednn_winograd")
    assert peer["command"] not in own.text
    assert peer["command"] in beside.text


def test_every_head_badge_and_question_mark_leads_to_method(site):
    heads = marks = 0
    for name, one in pages(site).items():
        assert one.loose == [], name
        assert one.explained == len(one.heads), name
        heads += one.explained
        marks += sum(href.endswith("#doubt") for href in one.hrefs)
    assert heads > 100 and marks > 20


def test_what_method_does_not_explain_is_no_link(tmp_path):
    lines = model_support.model(1)
    lines[-1]["method"] = []
    site = make(tmp_path, lines)
    for one in pages(site).values():
        assert not [href for href in one.hrefs if "method.html#" in href]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return make(tmp_path_factory.mktemp("large"), model_support.model(364))


@pytest.mark.slow
def test_budgets_of_four_thousand_rows(large):
    index = (large / "data/index.js").read_bytes()
    assert len(gzip.compress(index, mtime=0)) <= 250_000
    for path in (large / "case").iterdir():
        assert path.stat().st_size <= 30_000, path.name


def test_budgets_of_a_small_site(site):
    assets = [path for path in (site / "assets").iterdir() if path.suffix in (".js", ".css")]
    assert sum(path.stat().st_size for path in assets) <= 120_000
    for path in (site / "case").iterdir():
        assert path.stat().st_size <= 30_000, path.name
    index = gzip.compress((site / "data/index.js").read_bytes(), mtime=0)
    assert len(index) <= 62 * 66 + 3000  # 66 rows, and what each site has once


def test_what_is_vendored_is_what_the_lock_file_names():
    with open(os.path.join(UPLOT, "lock.json"), encoding="utf-8") as file:
        lock = json.load(file)
    assert (lock["name"], lock["version"], lock["license"]) == ("uplot", "1.6.32", "MIT")
    assert set(os.listdir(UPLOT)) == {"lock.json", *lock["sha256"]}
    for name, digest in lock["sha256"].items():
        with open(os.path.join(UPLOT, name), "rb") as file:
            assert hashlib.sha256(file.read()).hexdigest() == digest, name


def test_scripts_lose_nothing_but_blanks_and_comments():
    source = "// What.\nvar a = 1; // why\n\n  // So.\n  var b = 'http://x';\n"
    assert build.lean(source) == "var a = 1; // why\nvar b = 'http://x';\n"
    style = "/* What,\nand why. */\n\na {\n  /* So. */\n  color: red; /* loud */\n}\n"
    assert build.lean(style) == "a {\ncolor: red; /* loud */\n}\n"
    for name in build.ASSETS["site"]:
        with open(os.path.join(build.REPORTS, "assets", "site", name), encoding="utf-8") as file:
            code = build.lean(file.read())
            assert not re.search(r"`[^`\n]*\n[^`]*`", code), name  # a text of several lines


def test_every_script_is_part_of_the_site():
    own = os.path.join(build.REPORTS, "assets", "site")
    assert sorted(build.ASSETS["site"]) == sorted(os.listdir(own))
