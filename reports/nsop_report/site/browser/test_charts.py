"""Cases, rooflines and gates: what charts name by keys, keep in the address, and flip."""

import copy

import pytest

from nsop_report.site.browser import conftest
from nsop_report.site.conftest import make

SAID = "return [...document.querySelectorAll('.said')].map((p) => p.textContent)"


@pytest.fixture
def cases(lines):
    return [line for line in lines if line["kind"] == "case"]


def test_arrows_name_the_points_of_a_history(browser, site, cases):
    from selenium.webdriver.common.keys import Keys

    case = cases[0]
    row = next(row for row in case["rows"] if row["history"])
    address = f"{site.as_uri()}/case/{case['id']}.html"
    browser.size(conftest.WIDE)
    browser.open(address, "case")
    browser.run("document.querySelector('.history .plot').focus()")
    browser.keys(Keys.HOME, Keys.ARROW_RIGHT)
    _, _, said, run, commit, _ = row["history"]["points"][1]
    shown = browser.run(SAID)[0]
    assert shown.startswith(f"{said}, ") and run in shown and commit in shown
    browser.keys(Keys.ENTER)
    assert browser.run("return location.hash") == f"#{row['id']}.run-{run}"
    browser.open(f"{address}#{row['id']}.run-{run}", "case")
    assert browser.run(SAID)[0] == shown


def test_arrows_name_the_points_of_other_sizes_and_enter_opens_one(browser, tmp_path, lines):
    from selenium.webdriver.common.keys import Keys

    made = copy.deepcopy(lines)
    cases = [line for line in made if line["kind"] == "case"]
    case = next(line for line in cases if line["sweep"])
    other = next(line for line in cases if line is not case)
    first = case["sweep"]["series"][0]
    first["points"][0][3], first["points"][2][3] = other["id"], "f" * 12  # the last has no page
    case["sweep"]["series"].append({**first, "who": "onednn", "points": first["points"][1:]})
    site = make(tmp_path, made)
    address = f"{site.as_uri()}/case/{case['id']}.html"

    def press(*keys):
        browser.open(address, "case")
        browser.run("document.querySelector('#sweep').focus()")
        browser.keys(*keys)

    browser.size(conftest.NARROW)
    texts = [f"elements {point[5]}: {point[2]}; limit: {point[6]}" for point in first["points"]]
    for keys, who, at in [
        ([Keys.ARROW_RIGHT], "hwy@AVX3", 0),
        ([Keys.ARROW_LEFT], "hwy@AVX3", 0),
        ([Keys.END, Keys.ARROW_RIGHT], "hwy@AVX3", 2),
        ([Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_DOWN], "onednn", 1),
        ([Keys.ARROW_DOWN, Keys.END, Keys.ARROW_UP, Keys.ARROW_UP], "hwy@AVX3", 2),
    ]:
        press(*keys)
        shown = browser.run("return document.querySelector('#sweep ~ .said').textContent")
        assert shown == f"{who}, threads: 1; {texts[at]}", keys
        assert browser.run("return document.querySelectorAll('#sweep .now.ring').length") == 1
    press(Keys.END, Keys.ENTER)
    assert browser.run("return location.href") == address
    press(Keys.HOME, Keys.ENTER)
    browser.wait(f"return location.pathname.endsWith('/{other['id']}.html')")


def test_a_history_is_drawn(browser, site, cases):
    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/case/{cases[0]['id']}.html", "case")
    inked = browser.run(
        "const c = document.querySelector('.history canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n"
    )
    assert inked > 2000
    dots = browser.run(
        "return [...document.querySelectorAll('#strip .dots')].map((p) => p.getAttribute('d'))"
    )
    assert [path.count("M") for path in dots] == [
        len(row["invocations"]) for row in cases[0]["rows"]
    ]


@pytest.mark.parametrize("size", [conftest.WIDE, conftest.NARROW])
def test_every_line_of_the_strip_has_its_name(browser, site, cases, size):
    case = max(cases, key=lambda case: max(len(row["who"]) for row in case["rows"]))
    assert max(len(row["who"]) for row in case["rows"]) > 14
    browser.size(size)
    browser.open(f"{site.as_uri()}/case/{case['id']}.html", "case")
    names = browser.run(
        "return [...document.querySelectorAll('#strip text')].map((t) => t.textContent)"
        ".filter((t) => t.includes(', threads: '))"
    )
    assert len(names) == len(case["rows"])


def test_a_command_is_copied_as_it_is_shown(browser, site, cases):
    browser.open(f"{site.as_uri()}/case/{cases[0]['id']}.html", "case")
    browser.run(
        "window.copied = ''; Object.defineProperty(navigator, 'clipboard',"
        "{value: {writeText: async (text) => { window.copied = text; }}});"
        "document.querySelector('#s-again ~ ul .copy').click()"
    )
    assert browser.run("return window.copied") == cases[0]["rows"][0]["command"]
    browser.wait("return document.querySelector('#s-again ~ ul .copy').textContent === 'Copied'")


def test_two_clicks_lead_from_a_row_to_the_commit_that_changed_it(browser, site, cases):
    case, row = next(
        (case, row)
        for case in cases
        for row in case["rows"]
        if row["history"] and row["history"]["changes"]
    )
    change = row["history"]["changes"][0]
    browser.open(f"{site.as_uri()}/case/{case['id']}.html#{row['id']}", "case")
    link = browser.driver.find_element(
        "css selector", f'.history[data-row="{row["id"]}"] .changes a[href^="#"]'
    )
    browser.run("arguments[0].click()", link)
    browser.wait(
        "return [...document.querySelectorAll('.said')].some((p) => p.textContent.includes("
        f"'{change['commit']}'))"
    )


@pytest.fixture
def rebuilt(lines, tmp_path):
    """The site with a run more, a case more and without the oldest run of each history."""
    later = copy.deepcopy(lines)
    for row in (row for line in later if line["kind"] == "case" for row in line["rows"]):
        if not row["history"]:
            continue
        history = row["history"]
        last = history["points"][-1]
        added = [last[0] + 86_400, last[1], last[2], "00c0ffee", *last[4:]]
        history["points"] = [*history["points"][1:], added]
        for change in history["changes"]:
            change["at"] -= 1
        history["levels"] = [[max(0, a - 1), b - 1, ns] for a, b, ns in history["levels"]]
    site = later[-1]
    site["rooflines"].insert(0, {**site["rooflines"][0], "threads": 64})
    for one in site["rooflines"]:
        one["points"] = [{**one["points"][0], "case_id": "f" * 12}, *one["points"]]
    return make(tmp_path, later)


def test_an_old_link_to_a_point_names_the_same_run_in_a_newer_site(browser, rebuilt, cases):
    case, row = next((c, r) for c in cases for r in c["rows"] if r["history"])
    address = f"{rebuilt.as_uri()}/case/{case['id']}.html#{row['id']}.run-"
    points = row["history"]["points"]
    for _, _, _, run, commit, _ in points[1:4]:
        browser.open(address + run, "case")
        shown = browser.run(SAID)[0]
        assert f"run {run}, commit {commit}" in shown
    browser.open(address + points[0][3], "case")
    assert browser.run(SAID)[0] == f"The run of this link is not among the newest {len(points)}."


def test_an_old_link_to_a_roofline_names_the_same_row_in_a_newer_site(
    browser, site, rebuilt, lines
):
    from selenium.webdriver.common.keys import Keys

    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/roofline.html", "roofline")
    browser.run("document.querySelectorAll('.roofline .plot')[1].focus()")
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    state, said = browser.run("return location.hash"), browser.run(SAID)
    assert lines[-1]["rooflines"][1]["host"] in state
    browser.open(f"{rebuilt.as_uri()}/roofline.html{state}", "roofline")
    assert browser.run(SAID)[1:] == said


def changed_and_judged(lines):
    """A case with the row, the change and the gate of a commit that both changed and was judged."""
    return next(
        (case, row, change, gate["id"])
        for case in lines
        if case["kind"] == "case"
        for gate in case["gates"]
        for row in case["rows"]
        if row["history"]
        for change in row["history"]["changes"]
        if change["commit"] == gate["head"]
    )


def test_a_clicked_change_offers_its_gate_and_its_bisection(browser, site, lines):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    case, row, change, gate = changed_and_judged(lines)
    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/case/{case['id']}.html", "case")
    history = f'.history[data-row="{row["id"]}"]'
    browser.run(f"document.querySelector('{history} .plot').focus()")
    browser.keys(Keys.HOME, *[Keys.ARROW_RIGHT] * change["at"])
    said = f"document.querySelector('{history} .said')"
    links = f"return [...{said}.querySelectorAll('a')].map((a) => a.getAttribute('href'))"
    assert browser.run(links) == [f"../gate/{gate}.html"]
    assert browser.run(f"return {said}.querySelector('.command code').textContent") == (
        change["command"]
    )
    # What a click holds stays while the pointer crosses other points.
    over = browser.driver.find_element("css selector", f"{history} .u-over")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", over)
    browser.wait("const was = window.was; window.was = scrollY; return was === scrollY")
    place = browser.run(
        f"const over = document.querySelector('{history} .u-over').getBoundingClientRect();"
        f"const at = document.querySelector('{history} .u-cursor-x').getBoundingClientRect();"
        "return at.left - over.left - over.width / 2"
    )
    chain = ActionChains(browser.driver)
    chain.move_to_element_with_offset(over, round(place), 0).click()
    chain.move_to_element_with_offset(over, round(place) - 150, 0).perform()
    assert change["text"] in browser.run(f"return {said}.textContent")
    assert browser.run(f"return {said}.querySelectorAll('.command .copy').length") == 1
    assert browser.run(links) == [f"../gate/{gate}.html"]


def test_arrows_name_the_points_of_a_roofline(browser, site, lines):
    from selenium.webdriver.common.keys import Keys

    points = lines[-1]["rooflines"][0]["points"]
    browser.size(conftest.NARROW)
    browser.open(f"{site.as_uri()}/roofline.html", "roofline")
    browser.run("document.querySelector('.roofline .plot').focus()")
    browser.keys(Keys.ARROW_RIGHT)
    first = min(points, key=lambda point: point["x"])
    assert browser.run(SAID)[0].startswith(f"{first['title']}, {first['who']}: {first['text']}")
    browser.keys(Keys.ARROW_RIGHT)
    second = sorted(points, key=lambda point: point["x"])[1]
    assert second["peer_text"] in browser.run(SAID)[0]
    assert browser.run("return document.querySelectorAll('.now.arrow').length") == 2
    state = browser.run("return location.hash")
    browser.open(f"{site.as_uri()}/roofline.html{state}", "roofline")
    assert second["peer_text"] in browser.run(SAID)[0]


def rule(row, worth, same):
    if row["lo"] > 1 + worth:
        return "worse"
    if row["hi"] < 1 / (1 + worth):
        return "better"
    return "same" if row["lo"] > 1 / (1 + same) and row["hi"] < 1 + same else "inconclusive"


def test_another_margin_flips_what_the_rule_says(browser, site, lines):
    gate = next(line for line in lines if line["kind"] == "gate")
    address = f"{site.as_uri()}/compare.html#gate={gate['id']}"
    flips = "return document.getElementById('flips').textContent"
    browser.size(conftest.WIDE)
    browser.open(address, "gate")
    assert browser.run(flips).startswith(f"0 of {len(gate['rows'])} verdicts would flip")
    browser.run(
        "for (const [id, value] of [['worth', 60], ['same', 5]]) {"
        "const input = document.getElementById(id); input.value = value;"
        "input.dispatchEvent(new Event('input')); }"
    )
    expected = [
        row for row in gate["rows"] if not row["exact"] and rule(row, 0.06, 0.005) != row["verdict"]
    ]
    assert expected
    assert browser.run(flips).startswith(f"{len(expected)} of {len(gate['rows'])} ")
    assert browser.run("return document.getElementById('worth-out').value") == "6.0 %"
    assert "worth=60" in browser.run("return location.hash")
    browser.open(f"{address}&worth=60&same=5", "gate")
    assert browser.run(flips).startswith(f"{len(expected)} of {len(gate['rows'])} ")


# Chooses two runs of RUNS and says what the page answers.
CHOOSE = """
for (const [id, value] of [['run-before', arguments[0]], ['run-after', arguments[1]]]) {
  const select = document.getElementById(id);
  if (![...select.options].some((option) => option.value === value)) return 'no ' + value;
  select.value = value;
}
document.querySelector('#two-runs button').click();
return document.getElementById('two-runs-none').textContent;
"""


def test_two_runs_are_chosen_by_name(browser, site, lines):
    first, second = (line for line in lines if line.get("of") == "runs")
    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/compare.html")
    assert browser.run(CHOOSE, second["before"], second["after"]) == ""
    browser.wait("return document.documentElement.dataset.ready === 'gate'")
    title = "return document.getElementById('s-gate').textContent"
    assert browser.run(title) == second["title"]
    assert browser.run("return location.hash") == f"#gate={second['id']}"
    browser.open(f"{site.as_uri()}/compare.html#gate={first['id']}", "gate")
    chosen = "return [...document.querySelectorAll('#two-runs select')].map((s) => s.value)"
    assert browser.run(chosen)[1:] == [first["before"], first["after"]]


def test_two_runs_that_are_not_compared_are_refused(browser, site, lines):
    run = next(line for line in lines if line.get("of") == "runs")
    browser.open(f"{site.as_uri()}/compare.html")
    before = browser.run("return location.hash")
    add = "document.getElementById('run-after').append(new Option(arguments[0]))"
    for other, said in [(run["before"], "one run twice"), ("1999", "exchange them")]:
        browser.run(add, other)
        assert said in browser.run(CHOOSE, run["before"], other)
    browser.run(add, "2100-01-01")
    assert "share no suite" in browser.run(CHOOSE, run["before"], "2100-01-01")
    assert browser.run("return location.hash") == before


def test_two_machines_stand_side_by_side(browser, site, cases):
    left, right = "a-host=ab12cd34&a-who=hwy%40AVX3", "b-host=77fe0012&b-who=hwy%40AVX3"
    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/compare.html#{left}&{right}")
    browser.wait("return document.documentElement.dataset.sides === 'ready'")
    count = browser.run("return document.getElementById('sides-count').textContent")
    assert count == f"{2 * len(cases)} cases with a row on both sides."  # 1 and 2 threads
    shown = browser.run(
        "return [...document.querySelector('#both tr[data-at]').cells].map((c) => c.textContent)"
    )
    ours = {
        row["host"]: row
        for row in cases[0]["rows"]
        if (row["who"], row["threads"]) == ("hwy@AVX3", 1)
    }
    assert shown[2].startswith(ours["ab12cd34"]["time"]["text"])
    assert shown[3].startswith(ours["77fe0012"]["time"]["text"])


def test_two_sides_that_nobody_chose_and_their_row_are_in_the_address(browser, site, lines):
    from selenium.webdriver.common.keys import Keys

    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/compare.html")
    browser.run("document.getElementById('sides-open').click()")
    ready = "return document.documentElement.dataset.sides === 'ready'"
    browser.wait(ready)
    chosen = "return [...document.querySelectorAll('#sides select')].map((s) => s.value)"
    first = browser.run(chosen)
    for value in first:
        assert value.replace("@", "%40") in browser.run("return location.hash")
    browser.run("document.querySelector('#both tbody a').focus()")
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    row = "return document.querySelector('#both tr.chosen').dataset.at"
    assert browser.run(row) == "2"
    state = browser.run("return location.hash")
    browser.open(f"{site.as_uri()}/compare.html{state}")
    browser.wait(ready)
    assert (browser.run(chosen), browser.run(row)) == (first, "2")
