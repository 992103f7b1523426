"""What other systems published, beside what was measured here: read from where the suites are."""

import json

import pytest

from harness.cli.testing.published_support import LINE, NAMES, SUITE
from harness.cli.testing.repository_support import ROOT
from harness.cli.tests.conftest import one_line


@pytest.fixture
def project(tmp_path):
    """A folder with a suite, the renderer, and place for published values."""
    folder = tmp_path / "project"
    (folder / "harness/suites").mkdir(parents=True)
    (folder / "reference/published").mkdir(parents=True)
    (folder / "nsop.toml").write_text("")
    (folder / "harness/suites/one.toml").write_text(SUITE)
    (folder / "reports").symlink_to(ROOT / "reports")
    return folder


@pytest.fixture
def report(nsop, project):
    nsop("run", LINE, "--variant", "hwy", "--rounds", "6", "--quiet", cwd=project)

    def call(code=0):
        arguments = ["report", "--suite", "one", "--out", str(project / "out")]
        return nsop(*arguments, cwd=project, code=code)

    return call


def test_published_values_stand_at_the_end_of_a_report(report, project):
    published = project / "reference/published/other.csv"
    published.write_text(f"{NAMES}Other,R.md,v1,not stated,{LINE},after,after,1440,,,,,,\n")
    report()
    sections = json.loads((project / "out/one.json").read_text())["sections"]
    assert sections[-1]["title"] == "Published elsewhere"
    page = (project / "out/one.md").read_text()
    assert "|Other v1, after|not stated|1.44 µs|" in page


def test_a_malformed_file_is_one_line_and_exit_4(report, project):
    published = project / "reference/published/other.csv"
    published.write_text(f"{NAMES}Other,R.md,v1,not stated,{LINE},after,after,fast,,,,,,\n")
    assert "other.csv:2: ns_per_op is `fast`, expected a number" in one_line(report(code=4))
    assert not (project / "out/one.md").exists()


def test_without_the_folder_there_is_no_such_section(report, project):
    (project / "reference/published").rmdir()
    report()
    assert "Published elsewhere" not in (project / "out/one.md").read_text()
