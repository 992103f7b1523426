"""What the tests of the site share: a small site, and a reader of pages."""

import html.parser
import re

import pytest

from nsop_report import main
from nsop_report.site.testing import model_support


class Page(html.parser.HTMLParser):
    """The tags, ids, links, scripts and texts of a page, and the texts of its tables' cells."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.hrefs, self.sources, self.attributes = set(), [], [], [], set()
        self.text, self.inline, self.tables, self.captions = "", "", [], []
        self.scopes, self._stack = [], []
        # Question marks and badges outside of links; heads of columns, and how many are explained.
        self.loose, self.heads, self.explained = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(named)
        self.ids += [named["id"]] if "id" in named else []
        self.hrefs += [named["href"]] if "href" in named else []
        if tag == "script":
            self.sources.append(named.get("src"))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag == "th":
            self.scopes.append(named.get("scope"))
            self.heads += [""] if named.get("scope") == "col" else []
        inside_head = ("th", "col") in self._stack
        self.explained += tag == "a" and inside_head and "method.html#" in named.get("href", "")
        if tag != "a" and named.get("class", "").startswith("v v-"):
            self.loose.append(named["class"])
        if tag == "caption":
            self.captions.append("")
        self._stack.append((tag, named.get("scope") if tag == "th" else named.get("type")))

    def handle_endtag(self, tag):
        while self._stack and self._stack.pop()[0] != tag:
            pass

    def handle_data(self, data):
        inside = [tag for tag, _ in self._stack]
        if "script" in inside:
            self.inline += "" if ("script", "application/json") in self._stack else data
            return
        self.text += data
        if "a" not in inside and re.search(r"(^|\s)\?($|[\s;,.)])", data):
            self.loose.append(data)
        if "td" in inside or "th" in inside:
            self.tables[-1][-1][-1] += data
        if "caption" in inside:
            self.captions[-1] += data


def make(folder, lines, name="out"):
    """The folder of the site of these lines."""
    source = model_support.write(folder / f"{name}.ndjson", lines)
    assert main.main(["--site", source, "--out", str(folder / name)]) == 0
    return folder / name


def page(path):
    return Page(path.read_text(encoding="utf-8"))


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# Runs of a machine, by time.
RUNS = [f"2026-11-0{day} 03:00, {str(day) * 8}: layers" for day in (1, 2, 3)]


def two_runs(gate, earlier, later):
    """A line of two of RUNS with the rows of a gate."""
    ids = [RUNS[at].split()[2][:8] for at in (earlier, later)]
    names = {"before": RUNS[earlier], "after": RUNS[later]}
    title = f"Run {ids[1]} after {ids[0]}"
    return {**gate, "of": "runs", "id": "".join(ids), "title": title, **names}


@pytest.fixture(scope="session")
def lines():
    """Six cases and a gate, the newest run beside each earlier one, and the site's line."""
    lines = model_support.model(6)
    gate = next(line for line in lines if line["kind"] == "gate")
    return [*lines[:-1], two_runs(gate, 1, 2), two_runs(gate, 0, 2), lines[-1]]


@pytest.fixture(scope="session")
def site(lines, tmp_path_factory):
    return make(tmp_path_factory.mktemp("site"), lines)
