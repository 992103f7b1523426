"""Workflows parse, call nothing but ci/, which calls nothing but make; hooks do what they say."""

import os
import re
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
SCRIPTS = sorted((ROOT / "ci").glob("*.sh"))
HOOKS = sorted((ROOT / "ci/hooks").glob("*.*"))
GITLAB = ROOT / "ci/gitlab/perf.gitlab-ci.yml"
# What a workflow may run: preparing the container, and a script of ours.
ALLOWED = re.compile(
    r"(apt-get update && apt-get install -y --no-install-recommends [\w -]+|"
    r"git config --global --add safe\.directory \S+|ci/(hooks/)?\w+\.sh\b.*)"
)


def workflow(path):
    return yaml.safe_load(path.read_text())


def steps(path):
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_only_call_ci_scripts(path):
    for step in steps(path):
        if "run" in step:
            assert ALLOWED.fullmatch(step["run"].strip()), step["run"]
            # An expression inside a command would be code of whoever names a branch.
            assert "${{" not in step["run"]
            for script in re.findall(r"ci/[\w/]+\.sh", step["run"]):
                assert os.access(ROOT / script, os.X_OK), script
        else:
            assert step["uses"].startswith("actions/")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_rights_are_few(path):
    one = workflow(path)
    assert one["permissions"] in ({}, {"contents": "read"})
    assert "pull_request_target" not in path.read_text()
    for step in steps(path):
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"])
        # Only the data branch, which holds no code, is pushed to.
        data = step.get("with", {}).get("ref") == "nsop-data"
        if step.get("uses", "").startswith("actions/checkout@") and not data:
            assert step["with"]["persist-credentials"] is False


def test_each_action_has_one_pin():
    pins = {step["uses"] for path in WORKFLOWS for step in steps(path) if "uses" in step}
    assert len(pins) == len({pin.split("@")[0] for pin in pins})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_only_the_step_that_runs_a_hook_has_the_token(path):
    one = workflow(path)
    for holder in [one, *one["jobs"].values()]:
        assert "GH_TOKEN" not in holder.get("env", {})
    for step in steps(path):
        environment = step.get("env", {})
        hooks = [key for key in environment if key.endswith("_HOOK")]
        assert ("GH_TOKEN" in environment) == bool(hooks or "ci/hooks/" in step.get("run", ""))


def test_the_measuring_job_has_no_secret_and_no_right_to_write():
    one = workflow(ROOT / ".github/workflows/perf.yml")
    assert one["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in one["jobs"].values())
    text = (ROOT / ".github/workflows/perf.yml").read_text()
    assert "secrets." not in text and "github.token" not in text
    checkout = [step for step in steps(ROOT / ".github/workflows/perf.yml") if "uses" in step][0]
    assert checkout["with"]["persist-credentials"] is False


# Less protection is for sanitizers, of trusted commits, and says why.
def test_what_runs_proposed_code_runs_in_a_container_as_strong_as_any():
    weaker = [
        (path.name, name)
        for path in WORKFLOWS
        for name, job in workflow(path)["jobs"].items()
        if isinstance(job["container"], dict) and "options" in job["container"]
    ]
    assert weaker == [("ci.yml", "nightly")]
    nightly = workflow(ROOT / ".github/workflows/ci.yml")["jobs"]["nightly"]
    assert nightly["if"] == "github.event_name == 'schedule'"
    assert "privileged" not in "".join(path.read_text() for path in WORKFLOWS)


def test_the_reporting_job_never_checks_out_proposed_code():
    path = ROOT / ".github/workflows/perf-report.yml"
    assert list(workflow(path)[True]) == ["workflow_run"]  # YAML 1.1 reads the key `on` as true
    for step in steps(path):
        assert "ref" not in step.get("with", {})
    hook = (ROOT / "ci/hooks/github_artifact.sh").read_text()
    assert "unzip -p" in hook and "head -c" in hook


def test_the_reporting_job_has_the_rights_it_needs_and_runs_once_for_a_branch():
    one = workflow(ROOT / ".github/workflows/perf-report.yml")
    rights = {"actions": "read", "contents": "read"}
    wanted = {**rights, "pull-requests": "write", "statuses": "write"}
    assert one["jobs"]["report"]["permissions"] == wanted
    assert "head_repository.full_name" in one["concurrency"]["group"]
    assert "head_branch" in one["concurrency"]["group"]
    assert one["concurrency"]["cancel-in-progress"] is False


def test_a_reporting_job_that_fails_is_seen_and_what_it_wrote_is_kept():
    all_steps = steps(ROOT / ".github/workflows/perf-report.yml")
    upload = next(one for one in all_steps if "upload-artifact@" in one.get("uses", ""))
    assert upload["if"] == "always()"
    written = (ROOT / "tools/gate_report.sh").read_text()
    for path in upload["with"]["path"].split():
        assert path.startswith("build/gate/") and f"$folder/{Path(path).name}" in written
    assert "gate.xml" in upload["with"]["path"]  # to which a comment that was cut points
    last = all_steps[-1]
    assert last["if"] == "failure()"
    assert last["run"].startswith("ci/hooks/github_status.sh error ")


@pytest.mark.parametrize("name", ["a b", "x;id", "it's", "$(id)", "`id`", '"'])
def test_a_branch_is_one_word_whatever_its_name_is(name):
    """What the shell of a recipe is given, seen by make's dry run."""
    targets = [("gate", "BASE"), ("gate-report", "GATE"), ("perf-nightly", "HISTORY")]
    for target, variable in [*targets, ("site", "HISTORY"), ("site", "SITE")]:
        done = subprocess.run(
            ["make", "-n", target, f"{variable}={name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")},
        )
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stdout.splitlines() if name.replace("'", "'\\''") in line]
        assert lines and any(name in shlex.split(line.split("||")[0]) for line in lines)


@pytest.mark.parametrize("variable", ["BASE", "GATE", "HEAD_SHA", "HISTORY", "SITE"])
def test_a_variable_is_never_read_as_make_s_language(tmp_path, variable):
    """make expands what it exports to a recipe, whatever the recipe is."""
    made = tmp_path / "made"
    done = subprocess.run(
        ["make", "help", f"{variable}=$(shell touch {made})"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")},
    )
    assert done.returncode == 0 and "make gate" in done.stdout, done.stderr
    assert not made.exists()


def test_gitlab_only_calls_ci_scripts():
    one = yaml.safe_load(GITLAB.read_text())
    for name in ("perf-gate", "perf-nightly", "pages"):
        for line in one[name]["script"]:
            assert re.match(r"ci/\w+\.sh ", line)
            assert (ROOT / line.split()[0]).is_file()
    with_token, without = one["perf-nightly"]["rules"]
    assert "$GITLAB_TOKEN" in with_token["if"] and "variables" not in without
    assert os.access(ROOT / with_token["variables"]["ALERT_HOOK"], os.X_OK)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_ci_scripts_only_call_make_with_targets_that_exist(path):
    code = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    assert code[0] == "set -euo pipefail" or path.name == "test.sh"
    calls = [line for line in code if not re.match(r"set |cd ", line)]
    for line in calls:
        if path.name == "test.sh":
            continue
        found = re.fullmatch(r"(?:exec )?make ((?:[a-z-]+ ?)+)(?: ?[A-Z_]+=.*)?", line)
        assert found, line
        done = subprocess.run(
            ["make", "-n", *found.group(1).split()],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")},
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", [*SCRIPTS, *HOOKS], ids=lambda path: path.name)
def test_scripts_are_executable(path):
    assert path.stat().st_mode & stat.S_IXUSR


@pytest.fixture
def gh(tmp_path):
    """Runs a hook with a `gh` that answers from files and logs what it was asked."""

    def run(hook, *arguments, answer="", **environment):
        (tmp_path / "answer").write_text(answer)
        program = tmp_path / "gh"
        program.write_text(
            f'#!/bin/sh\necho "$@" >>"{tmp_path}/log"\n'
            f'case "$*" in *--paginate*) cat "{tmp_path}/answer";; esac\n'
        )
        program.chmod(0o755)
        environment["PATH"] = f"{tmp_path}:/usr/bin:/bin"
        environment["GITHUB_REPOSITORY"] = "o/r"
        done = subprocess.run(
            [ROOT / "ci/hooks" / hook, *arguments],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / "log").read_text().splitlines()[-1]

    return run


@pytest.mark.parametrize(
    "answer, asked",
    [
        ("", "api --method POST repos/o/r/issues/17/comments -F body=@{file} --silent"),
        ("5\n", "api --method PATCH repos/o/r/issues/comments/5 -F body=@{file} --silent"),
    ],
)
def test_a_comment_is_created_once_and_then_edited(gh, tmp_path, answer, asked):
    file = tmp_path / "gate.md"
    file.write_text("<!-- nsop:gate -->\n## nsop\n")
    last = gh("github_comment.sh", file, answer=answer, PR_NUMBER="17")
    assert last == asked.format(file=file)


def test_the_comment_that_is_there_is_asked_for(gh):
    asked = gh("github_comment.sh", "--show", "<!-- nsop:gate -->", answer="old\n", PR_NUMBER="17")
    assert asked.startswith("api --paginate repos/o/r/issues/17/comments --jq")
    assert asked.endswith("| .body")


def test_a_verdict_is_shown_among_the_checks_of_the_head_commit(gh):
    sha = "c0ffee" * 6 + "abcd"
    asked = gh(
        "github_status.sh",
        "failure",
        "1 regression: action needed" + "x" * 200,
        HEAD_SHA=sha,
        GITHUB_RUN_ID="7",
    )
    assert asked.startswith(
        f"api --method POST repos/o/r/statuses/{sha} -f state=failure -f context=nsop gate "
        "-f description=1 regression: action needed"
    )
    assert len(re.search("description=(.*) -f", asked).group(1)) == 140  # GitHub's limit
    assert "target_url=https://github.com/o/r/actions/runs/7 --silent" in asked


def test_a_status_of_no_commit_is_refused():
    hook = [ROOT / "ci/hooks/github_status.sh", "success", "x"]
    environment = {"HEAD_SHA": "../issues/1", "GITHUB_REPOSITORY": "o/r", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(hook, env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "no commit" in done.stderr


@pytest.mark.parametrize(
    "answer, state, asked",
    [
        ("", "open", "--method POST repos/o/r/issues -f title=t"),
        ("9\n", "open", "--method PATCH repos/o/r/issues/9 .* -f state=open"),
        ("9\n", "closed", "--method PATCH repos/o/r/issues/9 .* -f state=closed"),
        ("9\n", "accepted", "--method PATCH repos/o/r/issues/9 .* -f state=closed"),
        ("", "closed", "--paginate"),  # nothing is opened to be closed
    ],
)
def test_an_issue_is_opened_once_updated_and_closed(gh, tmp_path, answer, state, asked):
    file = tmp_path / "alert.md"
    file.write_text("x\n")
    alert = {"ALERT_ID": "0123456789ab", "ALERT_TITLE": "t", "ALERT_STATE": state}
    assert re.search(asked, gh("github_issue.sh", file, answer=answer, **alert))


def git(folder, *arguments):
    names = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = ["git", *names, *arguments]
    return subprocess.run(done, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def data_branch(tmp_path):
    """Two checkouts, `one` and `two`, of a data branch, and what pushes one of them."""
    git(tmp_path, "init", "--bare", "-b", "nsop-data", "origin.git")
    empty = git(tmp_path / "origin.git", "hash-object", "-t", "tree", "--stdin", "-w").strip()
    first = git(tmp_path / "origin.git", "commit-tree", "-m", "Nights", empty).strip()
    git(tmp_path / "origin.git", "update-ref", "refs/heads/nsop-data", first)
    for name in ("one", "two"):
        git(tmp_path, "clone", "--depth", "1", f"file://{tmp_path}/origin.git", name)
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", HOME=str(tmp_path))

    def push(name):
        hook = [ROOT / "ci/hooks/push_data.sh", tmp_path / name]
        return subprocess.run(hook, env=environment, capture_output=True, text=True)

    return tmp_path, push


def test_data_is_pushed_even_after_somebody_else(data_branch):
    folder, push = data_branch
    for name in ("one", "two"):
        for file in ("night", "alert-20260101T000000Z"):
            (folder / name / f"{file}-{name}.ndjson").write_text("{}\n")
        done = push(name)
        assert done.returncode == 0, done.stderr
        assert push(name).returncode == 0  # nothing more to push
    git(folder / "one", "pull", "--rebase")
    assert len(list((folder / "one").glob("*.ndjson"))) == 4


def test_files_that_were_never_finished_are_not_pushed(data_branch):
    folder, push = data_branch
    left = ["night.ndjson.aB3xY9", ".night.ndjson.k2_x9abc", "deep/night.ndjson.Zz0000"]
    left += ["night.ndjson.nsop-new-aB3xY9", "deep/alert-x.ndjson.nsop-new-Zz0000"]
    kept = ["night.ndjson", "alert-x.ndjson", "README.md", "deep/other.ndjson"]
    (folder / "one/deep").mkdir()
    for name in (*left, *kept):
        (folder / "one" / name).write_text("{}\n")
    done = push("one")
    assert done.returncode == 0, done.stderr
    pushed = git(folder / "origin.git", "ls-tree", "-r", "--name-only", "nsop-data").split()
    assert sorted(pushed) == sorted(kept)
    assert all((folder / "one" / name).exists() for name in left)


def test_a_push_that_fails_keeps_the_night_for_the_next(data_branch):
    folder, push = data_branch
    for name in ("one", "two"):
        (folder / name / "same").write_text(name)  # what nsop never does
    assert push("one").returncode == 0
    done = push("two")
    assert done.returncode == 5
    assert "could not be pushed; the night is committed in" in done.stderr
    status = git(folder / "two", "status", "--porcelain=v2", "--branch")
    assert "# branch.head nsop-data" in status, "no rebase may be left half done"
    assert (folder / "two/same").read_text() == "two"
    git(folder / "two", "pull", "--rebase", "-X", "ours")
    assert push("two").returncode == 0
