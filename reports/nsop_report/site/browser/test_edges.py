"""Sites of little: no run, one run, only failures; and those that `nsop site` itself writes."""

import os
import subprocess
import sys

import pytest

from harness.cli.testing.repository_support import BIN, ROOT
from nsop_report.site.browser import conftest
from nsop_report.site.conftest import make
from nsop_report.site.testing import model_support

MODELS = {
    "empty": lambda: model_support.model(0),
    "one run": lambda: model_support.model(3, gates=0, points=1),
    "all failed": lambda: model_support.model(3, gates=0, failed=True),
}


def is_sound(browser, site):
    """Each page asks for nothing elsewhere, says nothing severe, fits, is for all. Their names."""
    pages = conftest.paths(site)
    for size in conftest.SIZES.values():
        for name, ready in pages:
            browser.size(size)
            browser.open(f"{site.as_uri()}/{name}", ready)
            assert browser.complaints() == [], name
            asked = browser.requests()
            assert asked and all(url.startswith(site.as_uri()) for url in asked), name
            assert browser.sideways() <= 0, name
            assert browser.run(conftest.OVERLAPS) == [], name
            assert browser.violations() == [], name
    return [name for name, _ in pages]


@pytest.mark.parametrize("name", MODELS)
def test_a_site_of_little_is_sound(browser, tmp_path, name):
    browser.theme("light")
    shown = is_sound(browser, make(tmp_path, MODELS[name]()))
    assert len(shown) == (6 if name == "empty" else 8)


@pytest.fixture
def nsop(tmp_path):
    """Runs nsop with a database of its own; returns what it printed."""
    environment = {
        **os.environ,
        "NSOP_DB": str(tmp_path / "t.db"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "NSOP_LOCK": str(tmp_path / "lock"),
    }
    return lambda *arguments: subprocess.run(
        [BIN / "nsop", *arguments], check=True, cwd=ROOT, env=environment, capture_output=True
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_site_of_a_run_is_sound(browser, nsop, tmp_path, theme):
    nsop("run", "relu pass=forward n=1000 range=-3:3", "--variant", "hwy", "--rounds", "3")
    nsop("site", tmp_path / "site")
    browser.theme(theme)
    assert len(is_sound(browser, tmp_path / "site")) == 8


def test_the_site_of_a_store_without_runs_is_sound(browser, nsop, tmp_path):
    nsop("run", "relu pass=forward n=1000 range=-3:3", "--variant", "hwy", "--rounds", "3")
    nsop("site", tmp_path / "site", "--since", "2999-01-01")
    browser.theme("light")
    assert len(is_sound(browser, tmp_path / "site")) == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_demonstration_is_sound(browser, demonstration, theme):
    browser.theme(theme)
    assert len(is_sound(browser, demonstration)) == 10


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """The site that `make site` builds."""
    folder = tmp_path_factory.mktemp("demonstration")
    database = ["--db", folder / "t.db"]
    kept = [sys.executable, ROOT / "tools/kept_runs.py", "--nsop", BIN / "nsop", *database]
    subprocess.run([*kept, "import"], check=True, capture_output=True)
    history = ["--history", ROOT / "reports/history"]
    subprocess.run(
        [BIN / "nsop", "site", folder / "site", *database, *history], check=True, cwd=ROOT
    )
    return folder / "site"
