"""nsop site: a store as static pages, and what it refuses."""

import contextlib
import filecmp
import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.repository_support import BIN, ROOT
from harness.cli.tests.conftest import one_line

RELU = "relu pass=forward n=1000 range=-3:3"
CASE = f"case/{hashlib.sha256(RELU.encode()).hexdigest()[:12]}.html"


@pytest.fixture
def measured(nsop):
    nsop("run", RELU, "--variant", "hwy", "--rounds", "6")
    return nsop


def exported(nsop, kind):
    """The first line of this type of the newest run's export."""
    lines = map(json.loads, nsop("export", "@last").stdout.splitlines())
    return next(line for line in lines if line["type"] == kind)


def files_of(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def test_a_store_becomes_pages_that_say_what_was_measured(measured, tmp_path):
    site = tmp_path / "site"
    done = measured("site", site)
    assert done.stderr.strip() == f"{site}/index.html"
    page = (site / CASE).read_text()
    run = exported(measured, "run")
    row = exported(measured, "invocation")["row"]
    assert f"{row['variant']}@{row['target']}" in page
    assert run["id"][:8] in page
    assert f"nsop run {RELU!r}" in page.replace("&#39;", "'")
    assert re.search(r"1 row of 1 case on 1 machine", (site / "index.html").read_text())


def test_the_same_store_gives_the_same_bytes_and_replaces_an_earlier_site(measured, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    measured("site", first)
    measured("site", second)
    (second / "left.html").write_text("of an earlier site")
    measured("site", second)
    names = files_of(first)
    assert names == files_of(second)
    assert filecmp.cmpfiles(first, second, names, shallow=False)[1:] == ([], [])


def test_older_runs_and_other_hosts_can_be_left_out(measured, tmp_path):
    measured("site", tmp_path / "none", "--since", "2999-01-01")
    assert "No run is shown" in (tmp_path / "none/index.html").read_text()
    assert not (tmp_path / "none" / CASE).exists()
    host = exported(measured, "host")["id"]
    measured("site", tmp_path / "own", "--host", host[:8])
    assert (tmp_path / "own" / CASE).exists()


def test_two_runs_that_are_asked_for_are_compared(measured, tmp_path):
    measured("run", RELU, "--variant", "hwy", "--rounds", "6")
    site = tmp_path / "site"
    measured("site", site, "--compare", "@last", "@last~1")  # beside the same two in their order
    assert len(list((site / "gate").iterdir())) == 2
    run = exported(measured, "run")["id"][:8]
    assert f"{run}: single cases" in (site / "compare.html").read_text()


def test_what_is_asked_wrongly_is_one_line_and_nothing_is_written(measured, tmp_path):
    site = tmp_path / "site"
    for arguments, said in [
        (["--since", "soon"], "--since soon: expected a day, e.g. 2026-11-01"),
        (["--host", "ffff0000"], "ffff0000"),
        (["--history", tmp_path / "none"], "none: no such folder"),
        (["--compare", "@last", "@last"], ": one run twice"),
        (["--compare", "@last", "ffff0000"], "ffff0000"),
    ]:
        assert said in one_line(measured("site", site, *arguments, code=2))
    missing = measured("site", site, "--db", tmp_path / "none.db", code=2)
    assert "none.db" in one_line(missing)
    assert not site.exists()


def test_a_folder_that_holds_something_else_is_left_alone(measured, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    done = measured("site", other, code=2)
    assert str(other) in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    assert not [path for path in tmp_path.iterdir() if "nsop" in path.name.lower()]


SUITE = f"""[report]
name = "small"
title = "One case"
form = "peers"
after = "hwy"
[[cases]]
label = "ReLU"
case = "{RELU}"
"""


@pytest.fixture
def reported(nsop, tmp_path):
    """Measures a suite of one case and writes its page into tmp_path/reports."""
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "small.toml").write_text(SUITE)
    nsop("run", "--suites", suites, "--profile", "manual", "--rounds", "6")

    def call(site, **options):
        out = tmp_path / "reports"
        return nsop(
            "report", "--suites", suites, "--out", out, env={"NSOP_SITE": str(site)}, **options
        )

    return call


def test_pages_lead_to_the_cases_of_the_site(reported, nsop, tmp_path):
    site = tmp_path / "site"
    page = tmp_path / "reports/small.md"
    (tmp_path / "nsop.toml").write_text("")
    reported("", cwd=tmp_path)
    assert "/case/" not in page.read_text()
    reported(site)
    nsop("site", site)
    [link] = re.findall(r"\]\((\S*/case/\S*)\)", page.read_text())
    assert (page.parent / link).resolve() == (site / CASE).resolve()
    assert f"nsop run {RELU!r}" in (page.parent / link).read_text().replace("&#39;", "'")
    reported("https://example.org/perf/")
    assert f"](https://example.org/perf/{CASE})" in page.read_text()


def test_a_site_that_no_link_can_have_is_one_line(reported, tmp_path):
    said = one_line(reported("https://example.org/a b", code=2))
    assert "site 'https://example.org/a b': expected a folder or a URL" in said
    assert not (tmp_path / "reports/small.md").exists()


def test_the_settings_name_the_site(nsop, tmp_path):
    write_open_alert(tmp_path / "nights", RELU)
    show = ["alert", "show", ALERT, "--history", tmp_path / "nights"]
    settings = tmp_path / "nsop.toml"
    settings.write_text('site = "pages"\n')
    assert f"look at it: pages/{CASE}\n" in nsop(*show, cwd=tmp_path).stdout
    settings.write_text('site = "https://example.org"\n')
    assert f"look at it: https://example.org/{CASE}\n" in nsop(*show, cwd=tmp_path).stdout
    settings.write_text("")
    assert "look at it" not in nsop(*show, cwd=tmp_path).stdout
    settings.write_text("page = 1\n")
    said = one_line(nsop(*show, cwd=tmp_path, code=2))
    assert "unknown key 'page' (keys: db, suites, reports, worker, site, programs)" in said


def test_what_is_damaged_is_named_and_an_earlier_site_stays(measured, tmp_path):
    site, damaged = tmp_path / "site", tmp_path / "damaged.db"
    measured("site", site)
    before = files_of(site)
    damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    assert "damaged.db" in one_line(measured("site", site, "--db", damaged, code=4))
    damaged.write_bytes(b"")
    assert "is empty" in one_line(measured("site", site, "--db", damaged, code=4))
    shutil.copyfile(tmp_path / "t.db", tmp_path / "newer.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "newer.db")) as newer:
        newer.execute("PRAGMA user_version = 99")
    said = one_line(measured("site", site, "--db", tmp_path / "newer.db", code=4))
    assert "newer.db: has schema 99" in said
    nights = tmp_path / "nights"
    nights.mkdir()
    (nights / "20260101T000000Z-aaaaaaaa.ndjson").write_text("{")
    said = one_line(measured("site", site, "--history", nights, code=4))
    assert "20260101T000000Z-aaaaaaaa.ndjson" in said
    assert files_of(site) == before


@pytest.mark.slow
def test_every_link_of_a_committed_page_opens_its_case(nsop, tmp_path):
    """The site of the runs that are kept, as `make site` builds it."""
    kept = [sys.executable, ROOT / "tools/kept_runs.py", "--nsop", BIN / "nsop"]
    subprocess.run([*kept, "--db", tmp_path / "t.db", "import"], check=True)
    nsop("site", tmp_path / "site", "--history", ROOT / "reports/history", timeout=600)
    opened = set()
    for page in sorted((ROOT / "reports/generated").glob("*.md")):
        for link in re.findall(r"\]\(\.\./\.\./build/site/([^)]+)\)", page.read_text()):
            assert (tmp_path / "site" / link).is_file(), (page.name, link)
            opened.add(link)
    assert len(opened) > 350
