"""What critical readers found on pages, as rules that no page may break again: limits that differ
from row to row, releases that are missing, counts beside other counts, numbers beyond reason."""

import collections
import functools
import pathlib
import re
import tomllib

import pytest

from nsop_report.conftest import TESTDATA
from nsop_report.test_invariants import GENERATED, NEW, PAGES, cells_of, page_of, tables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMITTED = {name: report for name, report in NEW.items() if name.startswith("generated/")}
# What a case writes of the bytes that it moves; of other ops it depends on the case. A limit is
# made of the patterns measured on both sides of that: reading, three streams, copying (PATTERNS).
SHARES = {
    **dict.fromkeys(["sum", "max", "argmax", "dot"], 0),
    **dict.fromkeys(["add", "mul", "div"], 1 / 3),
    **dict.fromkeys(["exp", "log", "sqrt"], 1 / 2),
    **{f"{op} pass=forward": 1 / 2 for op in ("relu", "tanh", "sigmoid")},
    **{f"{op} pass=backward": 1 / 3 for op in ("relu", "tanh", "sigmoid")},
    "fma": 1 / 4,
}
PATTERNS = (0, 1 / 3, 1 / 2)


@pytest.fixture(params=NEW, ids=str)
def report(request):
    return NEW[request.param]


def footer_of(report):
    return {item["label"]: item["text"] for item in report["footer"]}


# Limits of the machine.


def limits_run(report):
    """The run that measured the limits of the report; None where it has none."""
    said = re.search(
        r"measured by (?:run (\S+)|this run)", footer_of(report).get("Machine's limits", "")
    )
    return said and (said[1] or report["run"]["id"])


def limit_figures(reports):
    """{(run that measured the limits, kind of limit, threads, unit): {case: [figures]}}, of every
    row that shows its rate and the share of the limit."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for report in reports:
        run = limits_run(report)
        for table in tables_of(report):
            for row, cells in zip(table["rows"], cells_of(table)):
                if not {"rate", "standing"} <= cells.keys() or not run:
                    continue
                rate, share = cells["rate"], cells["standing"]
                if share["kind"] == "percent" and rate["kind"] == "rate" and share["value"]:
                    kind = share["text"].replace(" ?", "").partition(" of ")[2]
                    key = (run, kind, row["threads"], rate["unit"])
                    found[key][row["case"]].append(rate["value"] / share["value"])
    return found


def share_written(case):
    """The share of SHARES; None: it has none."""
    op, *parameters = case.split()
    if op in ("max", "argmax", "sum") and "axis=all" not in parameters:
        return None
    passes = [it for it in parameters if it.startswith("pass=")]
    return SHARES.get(" ".join([op, *passes]))


def mixed(share, bandwidth):
    """The bandwidth at a share of what is written, of {share: bandwidth} of patterns: bytes go by
    the two patterns around it, one after the other. None: one of them is not known."""
    if share in bandwidth:
        return bandwidth[share]
    below = max(it for it in PATTERNS if it < share)
    above = min(it for it in PATTERNS if it > share)
    if below not in bandwidth or above not in bandwidth:
        return None
    part = (share - below) / (above - below)
    return 1 / ((1 - part) / bandwidth[below] + part / bandwidth[above])


def apart(figures):
    """Figures that differ by more than rounding, each once."""
    kept = []
    for one in sorted(figures):
        if not kept or one > kept[-1] * 1.002:
            kept.append(one)
    return kept


FIGURES = {"committed": limit_figures(COMMITTED.values())} | {
    name: limit_figures([report]) for name, report in NEW.items() if name not in COMMITTED
}


@pytest.mark.parametrize("figures", FIGURES.values(), ids=FIGURES)
def test_rows_under_one_limit_show_one_figure_on_all_pages(figures):
    for (_, kind, threads, unit), cases in figures.items():
        for case, shown in cases.items():
            assert len(apart(shown)) == 1, (case, kind, threads, shown)
        every = apart([figure for shown in cases.values() for figure in shown])
        if kind == "compute":
            assert len(every) == 1, (kind, threads, unit, every)
        elif kind != "overhead":  # of that, how much there is to do is not in the limit
            by_share = collections.defaultdict(list)
            for case, shown in cases.items():
                by_share[share_written(case)] += shown
            by_share.pop(None, None)
            one_each = {share: apart(shown) for share, shown in by_share.items()}
            assert all(len(shown) == 1 for shown in one_each.values()), (kind, threads, one_each)
            known = {share: shown[0] for share, shown in one_each.items() if share in PATTERNS}
            for share, [shown] in one_each.items():
                limit = mixed(share, known)
                assert limit is None or shown == pytest.approx(limit, rel=0.002), (kind, share)
            if known.keys() >= set(PATTERNS):  # nothing is faster than the fastest pattern
                assert max(every) <= max(known.values()) * 1.002, (kind, threads, every)


def test_there_are_limits_to_compare():
    of_cases = [shown for cases in FIGURES["committed"].values() for shown in cases.values()]
    assert sum(len(shown) > 1 for shown in of_cases) > 10


def test_a_limit_of_two_threads_is_not_below_the_limit_of_one():
    for (run, kind, threads, unit), cases in FIGURES["committed"].items():
        of_one = FIGURES["committed"].get((run, kind, 1, unit))
        if threads > 1 and of_one and kind != "overhead":
            most = max(figure for shown in cases.values() for figure in shown)
            assert most > min(figure for shown in of_one.values() for figure in shown), kind


# Times.


def bare_times(report):
    """(table, column, cell) of each time in an open table that has no interval and no doubt."""
    return [
        (table["title"], where, cell)
        for table in tables_of(report)
        if not table["collapsed"]
        for cells in cells_of(table)
        for where, cell in cells.items()
        if cell["kind"] == "time" and "interval" not in cell and not cell.get("doubt")
    ]


@pytest.mark.parametrize("name", sorted(NEW))
def test_a_time_of_an_open_table_has_its_interval_or_is_in_doubt(name):
    assert bare_times(NEW[name]) == []


# Releases.


def listed_releases():
    listed = tomllib.loads((ROOT / "nsop-releases.toml").read_text())["release"]
    return [one["name"] for one in listed]


def test_the_releases_that_can_be_measured_are_those_of_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text()
    assert sorted(listed_releases()) == sorted(re.findall(r"(?m)^## \[(\d\S*)\]", text))


def test_every_release_is_measured_in_the_log_or_named_as_not_measured():
    report = COMMITTED["generated/tracking"]
    shown = {
        cells["release"]["text"]
        for table in tables_of(report, summary=False)
        for cells in cells_of(table)
        if "release" in cells
    }
    unmeasured = re.search(r"not measured here: ([^;]*)", report["headline"])
    unmeasured = set(unmeasured[1].split(", ")) if unmeasured else set()
    assert shown | unmeasured == {*listed_releases(), "this run"}
    assert not shown & unmeasured
    [count] = re.findall(r"^(\d+) releases", report["headline"])
    assert int(count) + ("and this run" in report["headline"]) == len(shown)


def test_every_log_of_a_case_that_all_releases_measure_has_a_line_for_each():
    report = COMMITTED["generated/tracking"]
    releases = collections.defaultdict(set)
    for section in report["sections"]:
        for table in section["tables"]:
            for row, cells in zip(table["rows"], cells_of(table)):
                if "first" in cells:
                    releases[section["title"], row["case"]].add(cells["release"]["text"])
    assert releases and all(len(names) >= 2 for names in releases.values()), releases


# Verdicts and counts.

SAID = {"faster": "better", "slower": "worse", "the same": "same", "inconclusive": "inconclusive"}
UNTIMED = ("not judged", "without a time", "that not both can do")


def said_counts(report):
    """{verdict, or "" for rows without one: count} of the headline."""
    first = report["headline"].partition(" against ")[0]
    counts = collections.Counter()
    for word, verdict in [*SAID.items(), *((text, "") for text in UNTIMED)]:
        counts[verdict] += sum(map(int, re.findall(rf"(\d+) {word}", first)))
    return counts


def shown_counts(report):
    """The same of the result tables: of each case the row of ours, which stands first."""
    tables = [t for t in tables_of(report, summary=False) if not t["collapsed"]]
    ids = {column["id"] for table in tables for column in table["columns"]}
    compared = "vs_best_peer" if "vs_best_peer" in ids else "speedup"
    first = {}
    for table in tables:
        for row, cells in zip(table["rows"], cells_of(table)):
            # `-`: the suite leaves out what it would be compared with.
            if compared in cells and cells[compared]["text"] != "-":
                verdict = cells[compared].get("verdict", "")
                verdict = verdict.replace("incomparable", "inconclusive")
                known = verdict if verdict in SAID.values() else ""
                first.setdefault((row["case"], row["threads"]), known)
    return collections.Counter(first.values())


def test_the_verdicts_of_the_tables_are_those_that_the_head_counts(report):
    if " against " not in report["headline"] or report["form"] == "workload":
        return  # a loop's table is against another variant than the headline
    said, shown = said_counts(report), shown_counts(report)
    [rows] = re.findall(r" of ([\d,]+) rows? against ", report["headline"])
    assert sum(said.values()) == int(rows.replace(",", ""))
    shortcuts = [int(n) for n in re.findall(r"(\d+) rows? do less work", "\n".join(report["head"]))]
    assert not said - shown, (said, shown)
    assert (shown - said).total() == sum(shortcuts), (said, shown)


def test_the_footer_counts_the_inconclusive_rows_of_open_tables(report):
    rows = 0
    for table in (t for t in tables_of(report, summary=False) if not t["collapsed"]):
        for row in table["rows"]:
            rows += any(cell.get("verdict") == "inconclusive" for cell in row["cells"])
    [said] = re.findall(r"([\d,]+) rows? of open tables inconclusive", footer_of(report)["Rows"])
    assert int(said.replace(",", "")) == rows


RESULTS = ("met", "missed", "inconclusive", "not judged")


def test_goals_are_counted_alike_in_head_footer_and_table(report):
    tables = {table["title"]: table for table in tables_of(report, summary=True)}
    every = tables.get("Every goal on every row")
    if every is None:
        assert not any(line.startswith("Goals: ") for line in report["head"])
        return
    results = collections.Counter(cells["result"]["text"] for cells in cells_of(every))
    [head] = [line for line in report["head"] if line.startswith("Goals: ")]
    footer = footer_of(report)["Goals"].partition(";")[0]  # behind it: rows that stand apart
    for result in RESULTS:
        in_head, in_footer = (
            sum(int(n.replace(",", "")) for n in re.findall(rf"([\d,]+) {result}", text))
            for text in (head, footer)
        )
        assert in_head == in_footer == report["summary"][f"goals_{result.replace(' ', '_')}"]
    assert not results.keys() - set(RESULTS), results
    assert results["missed"] >= report["summary"]["goals_missed"]


def test_no_row_wins_by_its_verdict_and_is_slower_by_its_words(report):
    for table in tables_of(report):
        for cell in (cell for cells in cells_of(table) for cell in cells.values()):
            if cell["kind"] == "ratio" and cell.get("verdict") == "better":
                assert not re.search("slower|more time", cell["text"]), cell
            if cell["kind"] == "ratio" and cell.get("verdict") == "worse":
                assert not re.search("faster|less time", cell["text"]), cell


# Numbers and words beyond reason: of the pages as they are read.

TEXTS = {f"{path.parent.name}/{path.stem}": path.read_text for path in PAGES}
TEXTS |= {f"{name}, rendered": functools.partial(page_of, NEW[name]) for name in NEW}


def number(text):
    return float(text.replace(",", ""))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_page_says_what_nobody_can_use(text):
    text = text()
    for percent in re.findall(r"(?<!over )(?<![\d,.])(\d[\d,]*(?:\.\d+)?) %", text):
        assert number(percent) <= 1000, percent
    for rounds in re.findall(r"needs about (?:[\d,]+ to )?([\d,]+) more", text):
        assert number(rounds) <= 100, rounds
    for part, whole in re.findall(r"(?<![\d,.])(\d[\d,]*) of (\d[\d,]*\b)(?!\.\d)", text):
        assert number(part) <= number(whole), f"{part} of {whole}"
    assert "under unknown" not in text


@pytest.mark.parametrize("name", ["activations", "frameworks", "judge", "layers", "sweeps"])
def test_no_backtick_is_left_for_the_reader(name, page):
    for folder in (GENERATED, TESTDATA):
        path = folder / f"{name}.md"
        if path.is_file():
            assert "`" not in page(path.read_text()).text


def test_no_backtick_of_a_note_is_left_for_the_reader(report, page):
    assert "`" not in page(page_of(report)).text


# The textbook ReLU.


def suites():
    for path in sorted((ROOT / "harness/suites").glob("*.toml")):
        yield path.stem, tomllib.loads(path.read_text())


def test_who_compares_with_the_textbook_relu_says_what_its_branch_costs():
    notes = collections.defaultdict(str)
    for name, suite in suites():
        for case in suite["cases"]:
            line = case["case"]
            of_both_signs = line.startswith("relu pass=forward ") and "range=-" in line
            if suite["report"].get("before") == "elementwise" and of_both_signs:
                notes[name, case["label"]] += case.get("note", "")
    assert {"activations", "layers"} <= {name for name, _ in notes}
    for where, note in notes.items():
        assert re.search(r"\bbranch", note), where
