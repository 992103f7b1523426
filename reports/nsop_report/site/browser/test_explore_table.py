"""Explore: what it shows is the model's, what it counts is a recount, and keys walk it."""

import random

import pytest

from nsop_report.site.browser import conftest
from nsop_report.site.testing import model_support

LINES = model_support.model(910, points=5)
ROWS = [(case, row) for case in LINES if case["kind"] == "case" for row in case["rows"]]
COUNT = "return document.getElementById('count').textContent"
TOP = "return document.querySelector('#rows tbody tr[data-at] th').textContent"


@pytest.fixture
def page(browser, many):
    browser.size(conftest.WIDE)

    def open_at(state=""):
        browser.open(f"{many.as_uri()}/explore.html{'#' + state if state else ''}", "explore")
        return browser

    return open_at


def pick(browser, facet, label):
    browser.run(
        "const s = document.getElementById('f-' + arguments[0]);"
        "s.value = [...s.options].find((o) => o.textContent.startsWith(arguments[1] + ' (')).value;"
        "s.dispatchEvent(new Event('change'))",
        facet,
        label,
    )


def cells_at(browser, place):
    """The texts of the cells of the row at a place of the table."""
    browser.run(
        "document.querySelector('.tall').scrollTop = arguments[0] *"
        " document.querySelector('tr[data-at]').getBoundingClientRect().height",
        place,
    )
    found = f"document.querySelector('#rows tr[data-at=\"{place}\"]')"
    browser.wait(f"return {found} !== null")
    return browser.run(f"return [...{found}.cells].map((c) => c.textContent)")


def test_all_rows_are_there_and_few_are_elements(page):
    browser = page()
    assert browser.run(COUNT) == f"{len(ROWS)} of {len(ROWS)} rows."
    assert browser.run("return document.querySelectorAll('#rows tbody tr').length") < 80


def test_sampled_rows_say_what_the_model_says(page):
    browser = page()
    for place in [0, len(ROWS) - 1, *random.Random(7).sample(range(len(ROWS)), 12)]:
        case, row = ROWS[place]
        cells = cells_at(browser, place)
        assert cells[0] == f"{case['title']} {case['case']}"
        assert cells[1:4] == [row["who"], str(row["threads"]), row["host"]]
        assert cells[4] == f"{row['time']['text']} {row['time']['interval_text']}"
        assert cells[5] == row["peer_name"]
        if row["peer"]:
            peer = row["peer"]
            assert cells[6] == f"{peer['verdict']} {peer['text']} {peer['interval_text']}"
            assert cells[7] == row["limit"]["text"]
            assert cells[9] == row["recoverable"]["text"]
        assert cells[10] == row["allocs"]["text"]


def matches(row, words):
    case, one = row
    text = f"{case['title']} {case['case']}".lower()
    return all(word in text or word in one["who"].lower() for word in words)


@pytest.mark.parametrize(
    "facets, query",
    [
        ({"op": "relu"}, ""),
        ({"op": "conv2d", "threads": "2"}, ""),
        ({"verdict": "worse", "ours": "ours"}, ""),
        ({"verdict": "none"}, ""),
        ({"bound": "L2", "doubt": "in doubt"}, ""),
        ({"target": "AVX2"}, "n=10"),
        ({}, "RELU forward"),
        ({}, "nothing has this in it"),
    ],
)
def test_a_filter_counts_as_a_recount(page, facets, query):
    browser = page()
    for facet, label in facets.items():
        pick(browser, facet, label)
    browser.run(
        "const q = document.getElementById('q'); q.value = arguments[0];"
        "q.dispatchEvent(new Event('input'))",
        query,
    )
    of = {
        "op": lambda case, row: case["op"],
        "threads": lambda case, row: str(row["threads"]),
        "verdict": lambda case, row: row["peer"]["verdict"] if row["peer"] else "none",
        "ours": lambda case, row: "ours" if row["ours"] else "others",
        "bound": lambda case, row: row["bound"],
        "doubt": lambda case, row: "in doubt" if row["doubts"] else "without doubt",
        "target": lambda case, row: row["target"],
    }
    expected = [
        (case, row)
        for case, row in ROWS
        if all(of[facet](case, row) == label for facet, label in facets.items())
        and matches((case, row), query.lower().split())
    ]
    assert browser.run(COUNT) == f"{len(expected)} of {len(ROWS)} rows."
    for facet, label in facets.items():
        shown = browser.run(
            "const s = document.getElementById('f-' + arguments[0]);"
            "return s.options[s.selectedIndex].textContent",
            facet,
        )
        assert shown == f"{label} ({len(expected)})"
    # The same from its address.
    state = browser.run("return location.hash").lstrip("#")
    assert page(state).run(COUNT) == f"{len(expected)} of {len(ROWS)} rows."


@pytest.mark.parametrize("key, field", [("gap", "gap"), ("recoverable", "recoverable")])
def test_sorting_is_by_value_and_said(page, key, field):
    browser = page()
    browser.run(f"document.querySelector('th[data-key=\"{key}\"] button').click()")
    head = f"return document.querySelector('th[data-key=\"{key}\"]').getAttribute('aria-sort')"
    assert browser.run(head) == "descending"

    def value(row):
        found = row[field]
        return found["value"] if isinstance(found, dict) else found

    values = [(value(row), at) for at, (_, row) in enumerate(ROWS) if value(row) is not None]
    largest = ROWS[max(values, key=lambda one: one[0])[1]]
    assert browser.run(TOP) == f"{largest[0]['title']} {largest[0]['case']}"
    browser.run(f"document.querySelector('th[data-key=\"{key}\"] button').click()")
    assert browser.run(head) == "ascending"
    smallest = ROWS[min(values, key=lambda one: one[0])[1]]
    assert browser.run(TOP) == f"{smallest[0]['title']} {smallest[0]['case']}"


def test_keys_alone_find_and_open_a_row(page):
    from selenium.webdriver.common.keys import Keys

    browser = page()
    browser.keys("/")
    assert browser.run("return document.activeElement.id") == "q"
    browser.keys("softmax n=1")
    browser.keys(Keys.ARROW_DOWN)
    browser.keys(
        Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.PAGE_DOWN, Keys.END, Keys.HOME
    )
    browser.keys(Keys.ARROW_DOWN)
    chosen = browser.run("return document.activeElement.getAttribute('href')")
    assert browser.run("return document.activeElement.closest('tr').dataset.at") == "1"
    assert "row=" in browser.run("return location.hash")
    browser.keys(Keys.ENTER)
    browser.wait("return document.documentElement.dataset.ready === 'case'")
    assert browser.run("return location.href").endswith(chosen)
    assert browser.run("return document.querySelector('tr:target') !== null")


def test_the_chosen_row_is_in_the_address(page):
    case, row = ROWS[5000]
    browser = page(f"row={case['id']}/{row['id']}")
    assert browser.run("return document.querySelector('tr.chosen').dataset.at") == "5000"
    box = "document.querySelector('tr.chosen').getBoundingClientRect()"
    assert browser.run(f"const b = {box}; return b.top > 0 && b.bottom < innerHeight")
