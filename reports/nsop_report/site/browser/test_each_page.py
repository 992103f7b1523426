"""Each page: wide and narrow, light and dark, from disk and a server, with and without scripts."""

import re

import pytest

from nsop_report.site.browser import conftest
from nsop_report.site.conftest import Page

PAGES = 10


@pytest.fixture(params=range(PAGES))
def page(request, site):
    found = conftest.paths(site)
    assert len(found) == PAGES
    return found[request.param]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", conftest.SIZES)
def test_a_page_is_quiet_fits_and_asks_for_nothing_elsewhere(browser, base, page, size, theme):
    browser.size(conftest.SIZES[size])
    browser.theme(theme)
    browser.open(base + page[0], page[1])
    assert browser.complaints() == []
    asked = browser.requests()
    assert asked and all(url.startswith(base) for url in asked), asked
    assert browser.sideways() <= 0
    assert browser.run(conftest.OVERLAPS) == []
    back = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"}[theme]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", conftest.SIZES)
def test_axe_finds_nothing(browser, site, page, size, theme):
    browser.size(conftest.SIZES[size])
    browser.theme(theme)
    browser.open(f"{site.as_uri()}/{page[0]}", page[1])
    assert browser.violations() == []


def test_without_scripts_a_page_says_what_the_model_says(scriptless, site, page):
    scriptless.size(conftest.NARROW)
    scriptless.open(f"{site.as_uri()}/{page[0]}")
    assert scriptless.complaints() == []
    shown = scriptless.driver.find_element("css selector", "main").text
    for form in scriptless.driver.find_elements("css selector", "#filters"):
        assert not form.is_displayed()
    source = (site / page[0].partition("#")[0]).read_text(encoding="utf-8")
    head = re.search(r"<h1>(?:<bdi>)?([^<]+)", source)[1].strip()
    assert shown.startswith(head)
    source = re.sub("(?s)<details.*?</details>", "", source.replace("<br>", "\n"))
    for table in Page(source).tables[:1]:
        for line in "\n".join(table[-1] if table[1:] else []).split("\n"):
            assert " ".join(line.split()) in " ".join(shown.split())


# Badges, and texts that are or end with a question mark, outside of links and drawings.
LOOSE = """
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
const found = [...document.querySelectorAll('.v:not(a)')].map((badge) => badge.textContent);
for (let text; (text = texts.nextNode()); ) {
  const inside = text.parentElement.closest('a, svg, script, select');
  if (!inside && /(^|\\s)\\?($|[\\s;,.)])/.test(text.data)) found.push(text.data);
}
return found;
"""


def test_every_badge_and_question_mark_that_scripts_draw_is_a_link(browser, site, page):
    browser.size(conftest.WIDE)
    browser.open(f"{site.as_uri()}/{page[0]}", page[1])
    assert browser.run(LOOSE) == []


def test_a_page_prints_its_closed_parts(browser, site):
    page = next(name for name, _ in conftest.paths(site) if name.startswith("case/"))
    browser.open(f"{site.as_uri()}/{page}", "case")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.querySelectorAll('details:not([open])').length") == 0
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.querySelectorAll('details[open]').length") == 0


def test_hostile_names_stay_text(browser, hostile):
    browser.size(conftest.NARROW)
    for name, ready in conftest.paths(hostile) + [
        (f"case/{path.name}", "case")
        for path in sorted(hostile.glob("case/*.html"))
        if "-points" not in path.name
    ]:
        browser.open(f"{hostile.as_uri()}/{name}", ready)
        assert browser.run("return window.pwned") is None, name
        assert browser.complaints() == [], name
        assert browser.sideways() <= 0, name
