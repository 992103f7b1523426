"""What the tests of this folder share: the reports that C++ made, and a Markdown reader."""

import html.parser
import pathlib
import subprocess

import pytest

from nsop_report import model

TESTDATA = pathlib.Path(__file__).resolve().parents[1] / "testdata"
# One per form; a gate's is another kind of report.
REPORTS = sorted(path.stem for path in TESTDATA.glob("*.json") if "form" in model.parsed(path))


@pytest.fixture(params=REPORTS)
def name(request):
    return request.param


@pytest.fixture
def report(name):
    return load_report(name)


@pytest.fixture
def conv():
    return load_report("before_after")


@pytest.fixture
def sweep():
    return load_report("sweep")


@pytest.fixture
def peers():
    return load_report("peers")


def load_report(which):
    return model.parsed(TESTDATA / f"{which}.json")


class Page(html.parser.HTMLParser):
    """The tables of a rendered page as lists of rows of texts, and every tag that occurs."""

    def __init__(self):
        super().__init__()
        self.tables, self.tags, self.hrefs, self.text = [], set(), [], ""
        self._in_cell = False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.hrefs += [value for key, value in attrs if key in ("href", "src")]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self._in_cell = True
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data):
        self.text += data
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def read_markdown(text):
    """`text` as GitHub would render it."""
    command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    page = Page()
    page.feed(done.stdout)
    return page


@pytest.fixture
def page():
    return read_markdown
