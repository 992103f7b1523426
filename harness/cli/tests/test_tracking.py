"""A tracking log of commits measured afterwards, over a repository whose truth is known."""


import pytest

from harness.cli.testing.repository_support import LOG_SUITE, ROOT, SmallRepository
from nsop_report import model

CHANGELOG = """# Changelog

## [Unreleased]

- Not measured yet.

## [v0.3.0] - 2026-01-03

### Fixed

- relu is no longer slow.

## [v0.2.0] - 2026-01-02

### Changed

- relu got a new loop.

## [v0.1.0] - 2026-01-01

### Added

- relu.
"""


@pytest.fixture
def repository(tmp_path):
    made = SmallRepository(tmp_path)
    (made.root / "harness/suites").mkdir(parents=True)
    (made.root / "harness/suites/log.toml").write_text(LOG_SUITE)
    (made.root / "CHANGELOG.md").write_text(CHANGELOG)
    (made.root / "reports").symlink_to(ROOT / "reports")
    return made


def measure(repository, revision):
    repository.nsop("run", "--suite", "log", "--rounds", "6", "--revision", revision)


def cells(report, section):
    """Rows of the section's table as {column: cell}."""
    table = report["sections"][section]["tables"][0]
    columns = [column["id"] for column in table["columns"]]
    return [dict(zip(columns, row["cells"])) for row in table["rows"]]


def test_earlier_commits_are_measured_into_one_log(repository, tmp_path):
    speeds = {
        "v0.1.0": 1000,
        "v0.2.0": 1500,
        "v0.3.0": 600,
    }  # beyond any margin, also where the caches are unknown
    for name, ns in speeds.items():
        commit = repository.commit(name, relu=ns)
        measure(repository, commit)
        repository.nsop("baseline", "set", name, "--reason", f"release {name}")
    repository.nsop("report", "@last", "--suite", "log", "--out", tmp_path / "out")
    report = model.load(tmp_path / "out/log.json")
    rows = cells(report, 0)
    assert [row["release"]["text"] for row in rows] == list(speeds)
    assert [row["first"].get("verdict") for row in rows] == [None, "worse", "better"]
    assert [row["previous"].get("verdict") for row in rows] == [None, "worse", "better"]
    assert rows[1]["first"]["value"] == pytest.approx(1 / 1.5, abs=0.01)
    low, high = rows[1]["first"]["interval"]
    assert low < rows[1]["first"]["value"] < high
    assert rows[2]["previous"]["value"] == pytest.approx(1500 / 600, abs=0.02)
    changes = [section["notes"] for section in report["sections"][2:]]
    assert changes == [
        ["Added: relu."],
        ["Changed: relu got a new loop."],
        ["Fixed: relu is no longer slow."],
    ]
    commits = [cells(report, i)[0]["commit"]["text"] for i in (2, 3, 4)]
    assert len(set(commits)) == 3 and commits[2] == repository.git("rev-parse", "HEAD")[:12]
    assert "|v0.3.0|" in (tmp_path / "out/log.md").read_text()


def test_the_order_is_that_of_measuring(repository, tmp_path):
    old = repository.commit("v0.1.0", relu=1000)
    repository.commit("v0.2.0", relu=1000)
    measure(repository, old)
    repository.nsop("baseline", "set", "v0.1.0", "--reason", "measured afterwards")
    measure(repository, "HEAD")
    repository.nsop("report", "@last", "--suite", "log", "--out", tmp_path / "out")
    rows = cells(model.load(tmp_path / "out/log.json"), 0)
    assert [row["release"]["text"] for row in rows] == ["v0.1.0", "this run"]
    assert rows[1]["previous"]["verdict"] in ("same", "inconclusive")


@pytest.mark.slow
def test_releases_are_measured_where_they_were_not(repository, tmp_path):
    speeds = {"v0.1.0": 1000, "v0.2.0": 1500, "v0.3.0": 600}
    commits = {name: repository.commit(name, relu=ns) for name, ns in speeds.items()}
    (repository.root / "nsop-releases.toml").write_text(
        "".join(f'[[release]]\nname = "{n}"\ncommit = "{c[:8]}"\n' for n, c in commits.items())
    )
    measure(repository, commits["v0.3.0"])
    measured = ["run", "--suite", "log", "--rounds", "6", "--releases"]
    first = repository.nsop(*measured)
    assert "v0.1.0" in first.stderr and "v0.2.0" in first.stderr and "v0.3.0" not in first.stderr
    assert "all releases were measured" in repository.nsop(*measured).stderr
    measure(repository, repository.commit("Later", relu=600))
    repository.nsop("report", "@last", "--suite", "log", "--out", tmp_path / "out")
    report = model.load(tmp_path / "out/log.json")
    rows = cells(report, 0)
    assert [row["release"]["text"] for row in rows] == [*speeds, "this run"]
    assert [row["previous"].get("verdict") for row in rows][:3] == [None, "worse", "better"]
    assert report["headline"].startswith("3 releases from v0.1.0 to v0.3.0 and this run;")
    assert ["Fixed: relu is no longer slow."] in [s["notes"] for s in report["sections"]]


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["--revision", "none"], 2, "none"),
        (["--revision", "HEAD", "--worker", "x"], 2, "give one of them"),
        (["--releases"], 2, "nsop-releases.toml: lists no release"),
        (["--releases", "--resume"], 2, "--releases"),
    ],
)
def test_bad_input_gets_one_line(repository, arguments, code, words):
    repository.commit("Only", relu=1000)
    done = repository.nsop("run", "--suite", "log", *arguments, code=code)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and words in lines[0], done.stderr
