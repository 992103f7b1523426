"""The index of a folder of reports, and how old each of them is."""

import json
import subprocess

import pytest

from nsop_report import index, learning, main
from nsop_report.conftest import TESTDATA
from nsop_report.errors import ReportError


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def folder(tmp_path, conv, peers):
    """A report of the first of three commits and one of the last."""
    git(tmp_path, "init", "-q")
    commits = []
    for number in range(3):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", f"commit {number}")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    for name, report, commit in (("conv", conv, commits[0]), ("frameworks", peers, commits[2])):
        report["commits"] = [commit]
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    return tmp_path


def rows(folder):
    """{report: cells of its line}."""
    lines = (folder / "README.md").read_text().splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| [")]
    return {line[0].split("](")[1].removesuffix(".md)"): line for line in cells}


def test_one_line_per_report_with_its_result_and_age(folder, conv):
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    found = rows(folder)
    assert set(found) == {"conv", "frameworks"}
    assert found["conv"][1] == conv["headline"]
    assert [found["conv"][3], found["frameworks"][3]] == ["2", "0"]
    assert found["conv"][4].startswith("Example CPU ")
    assert "median relative SD" in found["conv"][5]


def test_a_page_that_is_behind_says_so(folder):
    main.main(["--index", str(folder), "--count-ages"])
    assert (
        "What this page measured was 2 commits behind when the reports were last published"
        in (folder / "conv.md").read_text()
    )
    main.main(["--json", str(folder / "frameworks.json"), "--out", str(folder), "--no-plots"])
    assert "behind when the reports" not in (folder / "frameworks.md").read_text()
    # Rendered again it still says so: the age is kept beside it.
    main.main(["--json", str(folder / "conv.json"), "--out", str(folder), "--no-plots"])
    assert "2 commits behind" in (folder / "conv.md").read_text()


def test_a_commit_that_git_does_not_know_has_no_age(folder, conv):
    conv["commits"] = ["f" * 40]
    (folder / "conv.json").write_text(json.dumps(conv))
    main.main(["--index", str(folder), "--count-ages"])
    assert rows(folder)["conv"][3] == "-"
    assert index.ages(folder) == {"conv": None, "frameworks": 0}


def test_the_index_needs_no_git_once_ages_are_counted(folder):
    main.main(["--index", str(folder), "--count-ages"])
    before = (folder / "README.md").read_text()
    (folder / ".git").rename(folder / "gone")
    assert index.markdown(folder) == before


def test_a_damaged_file_of_ages_is_one_line(folder, capsys):
    (folder / "ages.json").write_text('{"behind": 3}')
    with pytest.raises(ReportError):
        index.ages(folder)
    assert main.main(["--index", str(folder)]) == 4
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_is_no_run_has_a_line_with_its_headline(folder):
    judge = {"schema": "nsop.judge/1", "headline": "9 met of 9 targets"}
    (folder / "judge.json").write_text(json.dumps(judge))
    learnt = {"schema": "nsop.learning-report/1", "runs": [{"ratio": 3.0, "goal": 1.5}]}
    (folder / "dqn_learning.json").write_text(json.dumps(learnt))
    main.main(["--index", str(folder), "--count-ages"])
    found = rows(folder)
    assert found["judge"][:2] == ["[Does the judge judge right?](judge.md)", "9 met of 9 targets"]
    assert found["dqn_learning"][1] == "1 of 1 seeds reach the goal, the worst 2.00 times it"
    assert found["judge"][2:] == ["-", "-", "-", "-"]


def test_a_line_tells_what_the_files_of_judge_and_learning_tell(folder):
    commit = git(folder, "rev-parse", "HEAD~1")
    rows_of = [{"sd_percent": 12.09}, {"sd_percent": 1.13}]
    live = {"cpu": "AMD EPYC", "nulls": {"day": "2026-11-22", "commit": commit, "rows": rows_of}}
    judge = {"schema": "nsop.judge/1", "headline": "9 met of 9 targets", "live": live}
    (folder / "judge.json").write_text(json.dumps(judge))
    learnt = {"schema": "nsop.learning-report/1"}
    learnt["runs"] = [{"ratio": 3.0, "goal": 1.5, "target": "AVX3"}]
    (folder / "dqn_learning.json").write_text(json.dumps(learnt))
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    found = rows(folder)
    noise = "paired SD of a row 1.1 to 12.1 %"
    assert found["judge"][2:] == [f"2026-11-22, {commit[:12]}", "1", "AMD EPYC", noise]
    assert found["dqn_learning"][2:] == ["-", "-", "unknown, AVX3", "-"]
    assert found["dqn_learning"][0] == f"[{learning.TITLE}](dqn_learning.md)"
    assert learning.markdown({"runs": []}, "x.svg").splitlines()[1] == f"# {learning.TITLE}"


def learnt(commit, dirty=False):
    host = {"cpu_model": "AMD EPYC", "family": 25, "model": 17}
    origin = {"commit": commit, "dirty": dirty, "started_utc": "2026-11-27T01:02:03Z"}
    return {"ratio": 3.0, "goal": 1.5, "target": "AVX3", "origin": {**origin, "host": host}}


def test_learning_that_tells_its_commit_has_an_age(folder):
    commits = [git(folder, "rev-parse", name) for name in ("HEAD~1", "HEAD")]
    path = folder / "dqn_learning.json"

    def line(*runs):
        path.write_text(json.dumps({"schema": "nsop.learning-report/1", "runs": runs}))
        assert main.main(["--index", str(folder), "--count-ages"]) == 0
        return rows(folder)["dqn_learning"][2:5]

    machine = "AMD EPYC (family 25, model 17), AVX3"
    short = [commit[:12] for commit in commits]
    one = learnt(commits[0])
    assert line(one, one) == [f"2026-11-27, {short[0]}", "1", machine]
    changed = learnt(commits[0], dirty=True)
    assert line(changed) == [f"2026-11-27, {short[0]} with uncommitted changes", "1", machine]
    both = ", ".join(sorted(short))  # of two commits no age is the page's
    assert line(one, learnt(commits[1])) == [f"2026-11-27, {both}", "-", machine]


def test_a_damaged_origin_is_one_line(folder, capsys):
    damaged = {"ratio": 3.0, "goal": 1.5, "origin": {"commit": "f" * 40}}
    report = {"schema": "nsop.learning-report/1", "runs": [damaged]}
    (folder / "dqn_learning.json").write_text(json.dumps(report))
    assert main.main(["--index", str(folder), "--count-ages"]) == 4
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_machines_of_one_name_are_told_apart(folder, conv, peers):
    for name, report, family in (("conv", conv, 25), ("frameworks", peers, 26)):
        report["host"].update(cpu_model="AMD EPYC", family=family, model=2)
        (folder / f"{name}.json").write_text(json.dumps(report))
    main.main(["--index", str(folder), "--count-ages"])
    machines = [line[4] for line in rows(folder).values()]
    assert machines == ["AMD EPYC (family 25, model 2)", "AMD EPYC (family 26, model 2)"]


COMMENT = """<!-- nsop:gate -->
## nsop: 2 regressions: action needed

`a95c14d940a8` (head) against `42dff8b491e8` (base: the merge base, exactly) on AMD EPYC: \
same compiler.

> **Warning:** the machine was noisy from the start: paired SD 11.4 %, 5.6 % of the repetitions
"""


def test_the_comment_of_a_gate_has_a_line(folder):
    main.main(["--index", str(folder), "--count-ages"])
    assert "gate" not in rows(folder)
    (folder / "gate.md").write_text(COMMENT)
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    line = rows(folder)["gate"]
    assert line[1:] == [
        "2 regressions: action needed",
        "a95c14d940a8",
        "-",
        "AMD EPYC",
        "paired SD 11.4 %",
    ]
    assert list(rows(folder)) == ["conv", "frameworks", "gate"]


def test_the_comment_of_a_gate_has_an_age_where_its_commit_is_known(folder):
    head = git(folder, "rev-parse", "HEAD~1")[:12]
    (folder / "gate.md").write_text(COMMENT.replace("a95c14d940a8", head))
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    assert rows(folder)["gate"][3] == "1"


def test_a_comment_of_another_form_has_a_line_that_says_nothing(folder):
    (folder / "gate.md").write_text("## nsop: no verdict | none\n")
    main.main(["--index", str(folder)])
    line = next(x for x in (folder / "README.md").read_text().splitlines() if "gate.md" in x)
    assert line.endswith(" | no verdict \\| none | - | - | - | - |")


def test_every_page_of_the_committed_folder_has_a_line():
    generated = TESTDATA.parent / "generated"
    lines = index.markdown(generated)
    pages = {path.name for path in generated.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"]({name})" in lines} == pages
