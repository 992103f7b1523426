"""The GitHub action and the template for GitLab, as a repository of somebody else uses them: every
command of theirs is run in one, with an installed copy of nsop and stand-ins for apt-get and gh."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.cli.testing.foreign_support import gbench_program
from harness.cli.testing.repository_support import BIN, timed_controls

ROOT = Path(__file__).resolve().parents[1]
ACTION = ROOT / "ci/action/action.yml"
TEMPLATE = ROOT / "ci/gitlab/gate.yml"
GUIDE = ROOT / "docs/install.md"
TIMES = {"BM_Copy<int>/8": 1000, "BM_Sort/100": 2000}
NSOP_TOML = """[[programs]]
name = "bench"
adapter = "gbench"
run = "out/bench"
build = ["mkdir -p out", "cp source.py out/bench"]
"""


def program(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Project:
    """A repository of somebody else whose head makes one benchmark slower, or doesn't."""

    def __init__(self, folder, prefix):
        self.folder = folder / "project"
        self.prefix = prefix
        self.asked = folder / "asked"
        self.asked.touch()
        stand_ins = folder / "stand-ins"
        for name in ("apt-get", "curl", "sudo"):
            program(stand_ins / name, f'echo "{name} $*" >>"{self.asked}"')
        posted = f'case "$*" in *POST*) cp "${{4#body=@}}" "{folder}/posted";; esac'
        posted = posted.replace("${4#", "${6#")
        program(stand_ins / "gh", f'echo "gh $*" >>"{self.asked}"\n{posted}')
        self.posted = folder / "posted"
        self.environment = {
            "PATH": f"{stand_ins}:{prefix}/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "LC_ALL": "C.UTF-8",
            "NSOP_LOCK": str(folder / "lock"),
            "NSOP_WORKER": str(timed_controls(folder / "controls")),
        }
        gbench_program(self.folder / "source.py", TIMES, seed=1)
        (self.folder / "nsop.toml").write_text(NSOP_TOML)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def git(self, *arguments):
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
        command = ["git", "-C", self.folder, *identity, *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def change(self, times):
        gbench_program(self.folder / "source.py", dict(TIMES, **times), seed=2)
        self.git("commit", "-qam", "a change")

    def run(self, command, **environment):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=600,
        )
        return done


@pytest.fixture
def project(tmp_path):
    prefix = tmp_path / "prefix"
    command = ["cmake", "--install", BIN.parent, "--prefix", prefix, "--component", "nsop"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Project(tmp_path, prefix)


def action():
    return yaml.safe_load(ACTION.read_text())


def template():
    """What the template takes, and its job."""
    spec, jobs = yaml.safe_load_all(TEMPLATE.read_text())
    return spec["spec"]["inputs"], jobs["nsop-gate"]


def test_the_action_is_a_composite_one_and_its_actions_are_pinned():
    one = action()
    assert one["runs"]["using"] == "composite" and one["name"] and one["description"]
    for step in one["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"])
        else:
            # An expression inside a command would be code of whoever names a branch.
            assert step["shell"] == "bash" and "${{" not in step["run"]
    for name, given in one["inputs"].items():
        assert given["description"], name
        assert f"inputs.{name}" in ACTION.read_text(), f"{name} is not used"


def test_only_the_step_that_comments_has_the_token():
    holders = [step for step in action()["runs"]["steps"] if "GH_TOKEN" in step.get("env", {})]
    [step] = holders
    assert 'gate.sh" report' in step["run"] and "measure" not in step["run"]


def test_commands_of_the_action_and_the_template_pass_shellcheck():
    inputs, job = template()
    texts = [step["run"] for step in action()["runs"]["steps"] if "run" in step]
    texts.append("\n".join(job["before_script"] + job["script"]))
    for text in texts:
        done = subprocess.run(  # words of an input are meant to be split
            ["shellcheck", "--shell=bash", "--exclude=SC2086,SC2016", "-"],
            input="set -eo pipefail\n" + text,  # as runners have it
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
    used = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", TEMPLATE.read_text()))
    assert used == set(inputs)


def snippets():
    """The YAML that the guide tells a project to write, by its first word."""
    return re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(), re.DOTALL)


def test_a_project_needs_ten_lines():
    github, gitlab = snippets()[:2]
    assert len(github.splitlines()) <= 10 and len(gitlab.splitlines()) <= 10
    [job] = yaml.safe_load(github)["jobs"].values()
    uses = job["steps"][-1]["uses"]
    assert uses.split("@")[0].endswith("/nsop/ci/action") and ACTION.is_file()
    assert job["permissions"]["pull-requests"] == "write"
    [included] = yaml.safe_load(gitlab)["include"]
    assert ROOT / included["file"] == TEMPLATE
    inputs, _ = template()
    assert set(included["inputs"]) <= set(inputs)
    assert {name for name, one in inputs.items() if "default" not in one} <= set(included["inputs"])


def evaluated(text, context):
    """A value with its expressions replaced by those of the context."""
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: context[found.group(1)], str(text))


def run_action(project, fork=False, **inputs):
    """Runs the steps as a runner does for a pull request, up to the first that fails."""
    one = action()
    head = project.git("rev-parse", "HEAD")
    defaults = {
        "base": "origin/main",
        "head": head,
        "comment": "false" if fork else "true",
        "token": "t0ken",
    }
    context = {"github.event.pull_request.number": "17", "steps.sources.outputs.key": "key"}
    for name, given in one["inputs"].items():
        value = inputs.get(name, defaults.get(name, given["default"]))
        assert "${{" not in value, f"{name}: give it in defaults"
        context[f"inputs.{name}"] = value
    common = {
        "GITHUB_ACTION_PATH": str(ACTION.parent),
        "GITHUB_WORKSPACE": str(project.folder),
        "GITHUB_OUTPUT": str(project.folder.parent / "output"),
        "GITHUB_STEP_SUMMARY": str(project.folder.parent / "summary"),
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_RUN_ID": "88",
        "GITHUB_ACTIONS": "true",
    }
    for step in one["runs"]["steps"]:
        if "run" not in step:
            continue
        own = {name: evaluated(text, context) for name, text in step.get("env", {}).items()}
        done = project.run(step["run"], **common, **own)
        if done.returncode != 0:
            break
    return done


@pytest.mark.slow
def test_a_pull_request_that_slows_a_benchmark_gets_a_comment_and_fails(project):
    project.change({"BM_Sort/100": 2100})
    done = run_action(project, args="--budget 0s")
    assert done.returncode == 1, done.stderr
    text = project.posted.read_text()
    assert text.startswith("<!-- nsop:gate -->")
    assert "1 regression" in text and "bench name=BM_Sort/100" in text
    assert "actions/runs/88" in text
    asked = project.asked.read_text()
    assert "gh api --method POST repos/owner/name/issues/17/comments" in asked
    assert "apt-get" not in asked  # nsop is installed, and no package is named
    assert "BM_Sort/100" in (project.folder.parent / "summary").read_text()
    assert "<testsuite" in (project.folder / "nsop-gate/gate.xml").read_text()


@pytest.mark.slow
def test_a_pull_request_that_changes_no_time_passes(project):
    project.change({})
    done = run_action(project, args="--budget 0s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 same" in project.posted.read_text()


@pytest.mark.slow
def test_a_pull_request_of_a_fork_gets_no_comment_but_a_report(project):
    project.change({"BM_Sort/100": 2100})
    done = run_action(project, fork=True, args="--budget 0s", folder="out of the way")
    assert done.returncode == 1
    assert "gh " not in project.asked.read_text()
    assert "BM_Sort/100" in (project.folder / "out of the way/gate.md").read_text()


def test_a_project_that_does_not_build_fails_with_what_is_wrong(project):
    project.change({})
    toml = project.folder / "nsop.toml"
    toml.write_text(toml.read_text().replace("cp source.py", "false; cp no"))
    done = run_action(project, args="--budget 0s")
    assert done.returncode == 5
    assert "does not build" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_the_template_gates_a_merge_request(project):
    project.change({"BM_Sort/100": 2100})
    inputs, job = template()
    given = {"deb": "nsop.deb", "args": "--budget 0s", "packages": "g++ libbenchmark-dev"}
    (project.folder / "nsop.deb").write_text("a package")
    values = {name: given.get(name, one.get("default")) for name, one in inputs.items()}
    variables = {
        name: re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda m: values[m.group(1)], text)
        for name, text in job["variables"].items()
    }
    variables.update(
        CI_PROJECT_DIR=str(project.folder),
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
        CI_COMMIT_SHA=project.git("rev-parse", "HEAD"),
        CI_JOB_URL="https://gitlab.example.org/job/1",
    )
    program(project.folder.parent / "stand-ins/cp", f'echo "cp $*" >>"{project.asked}"')
    done = project.run("\n".join(job["before_script"]), **variables)
    assert done.returncode == 0, done.stderr
    asked = project.asked.read_text()
    assert "git ca-certificates curl g++ libbenchmark-dev" in asked
    assert "cp nsop.deb /tmp/nsop.deb" in asked
    (project.folder.parent / "stand-ins/cp").unlink()
    script = "\n".join(job["script"]).replace("/usr/share/nsop", f"{project.prefix}/share/nsop")
    done = project.run(script, **variables)
    assert done.returncode == 1, done.stderr
    folder = project.folder / job["artifacts"]["paths"][0]
    assert "bench name=BM_Sort/100" in (folder / "gate.md").read_text()
    assert "https://gitlab.example.org/job/1" in (folder / "gate.md").read_text()
    junit = project.folder / job["artifacts"]["reports"]["junit"]
    assert "<failure" in junit.read_text()


def install(project, **environment):
    return project.run(str(ACTION.parent / "install.sh"), **environment)


def test_a_package_that_is_not_what_was_promised_is_not_installed(project):
    (project.folder / "nsop.deb").write_text("another package")
    done = install(project, NSOP_DEB="nsop.deb", NSOP_DEB_SHA256="0" * 64)
    assert done.returncode == 4
    assert "its SHA-256 is not 000" in done.stderr
    assert "nsop.deb" not in project.asked.read_text()


def test_a_package_is_downloaded_or_taken_as_it_lies_there(project):
    done = install(project, NSOP_DEB="https://example.org/nsop.deb")
    assert done.returncode == 0, done.stderr
    asked = project.asked.read_text()
    assert "curl --fail" in asked and "https://example.org/nsop.deb" in asked
    (project.folder / "mine.deb").write_text("a package")
    assert install(project, NSOP_DEB="mine.deb").returncode == 0
    assert f"install -y --no-install-recommends {project.folder}/mine.deb" in (
        project.asked.read_text()
    )


@pytest.mark.parametrize(
    "arguments", [[], ["measure", "x"], ["report", "x", "y", "z"], ["measure", "x", "y"], ["x"] * 4]
)
def test_a_mistake_in_calling_the_script_is_one_line(project, arguments):
    done = project.run(" ".join([str(ACTION.parent / "gate.sh"), *arguments]))
    assert done.returncode == 2
    assert done.stderr.startswith("gate: usage: ") and done.stderr.count("\n") == 1


def test_without_nsop_it_says_so(project):
    script = ACTION.parent / "gate.sh"
    done = project.run(f"{script} measure folder main HEAD", NSOP="no-such-nsop")
    assert done.returncode == 5
    assert done.stderr == "gate: no-such-nsop is not installed; name it by NSOP\n"
