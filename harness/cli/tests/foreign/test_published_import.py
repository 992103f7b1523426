"""Values that others published: baselines that stand beside ours, and are judged by nobody."""

import json

import pytest

from harness.cli.testing.published_support import LINE, NAMES, SUITE
from harness.cli.testing.repository_support import ROOT
from harness.cli.tests.conftest import one_line

VALUES = (
    f'{NAMES}Other,R.md,v1 2025-11-20,"i7, 6 cores",{LINE},after,after,1440.5,2,64,,,,'
    '"as ""1.44 µs"""\n'
    f'Other,R.md,v1 2025-11-20,"i7, 6 cores",{LINE},NumPy there,numpy,1080,,,,,,\n'
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(VALUES)
    return path


def import_published(nsop, *arguments, code=0):
    return nsop("import", "--published", *map(str, arguments), code=code)


def baselines(nsop):
    return json.loads(nsop("baseline", "list", "--json").stdout)["baselines"]


def test_a_system_becomes_a_baseline_of_origin_published(nsop, file):
    [found] = json.loads(import_published(nsop, file, "--json").stdout)["files"]
    assert (found["format"], found["rows_read"], found["left_out"]) == ("published", 2, [])
    [run] = found["runs"]
    assert run["new"] and run["started"] == "2025-11-20T00:00:00Z"
    [baseline] = baselines(nsop)
    assert (baseline["name"], baseline["run"]) == ("Other-v1-2025-11-20", run["run"])
    assert baseline["reason"] == "published in R.md"
    [stored] = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert stored["origin"] == "published"
    nsop("db", "verify")


def test_a_second_import_changes_nothing_and_a_mended_file_takes_the_baseline(nsop, file):
    import_published(nsop, file)
    assert "it is stored already" in import_published(nsop, file).stderr
    first = baselines(nsop)
    file.write_text(VALUES.replace("1440.5", "1441.5"))
    import_published(nsop, file)
    [moved] = baselines(nsop)
    assert moved["run"] != first[0]["run"] and moved["name"] == first[0]["name"]


@pytest.mark.slow
def test_they_stand_beside_ours_in_a_report_and_are_not_judged(nsop, file, tmp_path):
    project = tmp_path / "project"
    (project / "harness/suites").mkdir(parents=True)
    (project / "nsop.toml").write_text("")
    (project / "harness/suites/one.toml").write_text(SUITE)
    (project / "reports").symlink_to(ROOT / "reports")
    nsop("run", LINE, "--variant", "hwy", "--rounds", "6", "--quiet", cwd=project)
    report = ["report", "--suite", "one", "--out", str(project / "out")]

    def page():
        nsop(*report, cwd=project)
        return (project / "out/one.md").read_text()

    assert "Published elsewhere" not in page()
    import_published(nsop, file)
    assert "|Other v1 2025-11-20, after|i7, 6 cores|1.44 µs|" in page()
    sections = json.loads((project / "out/one.json").read_text())["sections"]
    assert sections[-1]["title"] == "Published elsewhere"
    assert "there is no ratio here, and no verdict" in json.dumps(sections[-1])
    [baseline] = baselines(nsop)
    said = one_line(nsop(*report, "--previous", baseline["run"], cwd=project, code=2))
    assert f"run {baseline['run'][:8]} holds published values" in said
    # The same values in the project's folder are shown once.
    (project / "reference/published").mkdir(parents=True)
    (project / "reference/published/other.csv").write_text(VALUES)
    assert page().count("|Other v1 2025-11-20, after|") == 1
    # Forgotten, they are gone from reports.
    (project / "reference/published/other.csv").unlink()
    nsop(
        *("baseline", "remove", baseline["name"]),
        *("--host", baseline["host"][:12], "--reason", "withdrawn"),
    )
    assert "Published elsewhere" not in page()


def test_nothing_is_compared_with_them(nsop, file):
    nsop("run", LINE, "--variant", "hwy", "--rounds", "6", "--quiet")
    import_published(nsop, file)
    [published] = baselines(nsop)
    for code, *command in (
        (2, "diff", published["run"], "@last"),
        (2, "diff", "@last", published["run"]),
        (2, "report", published["run"]),
        (3, "check", "--run", published["run"], "--suspects-only"),  # nothing can be judged
    ):
        said = one_line(nsop(*command, code=code))
        assert published["run"][:8] in said, said
    rows = json.loads(
        nsop("history", LINE, "--host", published["host"][:12], "--json", code=None).stdout or "{}"
    )
    assert rows.get("rows", []) == []
    newest = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert {run["origin"] for run in newest} == {"measured", "published"}


@pytest.mark.parametrize(
    "content, arguments, code, words",
    [
        ("a,b\n", [], 4, "other.csv:1: expected the names system,document"),
        (NAMES, [], 4, "other.csv: it holds no published value"),
        (VALUES.replace("1440.5", "fast"), [], 4, "other.csv:2: ns_per_op is `fast`"),
        (VALUES + VALUES.splitlines()[1] + "\n", [], 4, "two times of the role 'after'"),
        (VALUES, ["--salvage"], 2, "--published excludes --salvage"),
        (VALUES, ["--started", "yesterday"], 2, "--started 'yesterday'"),
    ],
    ids=range(6),
)
def test_what_is_malformed_is_refused_whole(nsop, file, tmp_path, content, arguments, code, words):
    good = tmp_path / "good.csv"
    good.write_text(VALUES.replace("Other", "Good"))
    file.write_text(content)
    assert words in one_line(import_published(nsop, good, file, *arguments, code=code))
    assert not (tmp_path / "t.db").exists()


def test_every_file_of_the_project_can_be_imported(nsop, tmp_path):
    files = sorted((ROOT / "reference/published").glob("*.csv"))
    found = json.loads(import_published(nsop, *files, "--json").stdout)["files"]
    for path, file in zip(files, found):
        lines = len(path.read_text().splitlines()) - 1
        assert file["rows_read"] == lines == sum(run["rows"] for run in file["runs"])
    assert len(baselines(nsop)) == sum(len(file["runs"]) for file in found)
    nsop("db", "verify")
    # An export of one of them gives them to another database.
    text = nsop("export", baselines(nsop)[0]["run"]).stdout
    other = {"NSOP_DB": str(tmp_path / "other.db")}
    done = nsop("import", "-", "--json", input=text, env=other)
    assert json.loads(done.stdout)["files"][0]["runs"][0]["run"] == baselines(nsop)[0]["run"]
