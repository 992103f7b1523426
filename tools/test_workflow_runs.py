"""Every command of the workflows and of the GitLab template, run as a runner would, with stand-ins
for make, gh, apt-get and git: each arrives at make with what it needs."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
SHA = "c0ffee" * 6 + "abcd"
CONTEXT = {
    "github.base_ref": "main",
    "github.token": "t0ken",
    "github.event.workflow_run.head_sha": SHA,
    "github.event.workflow_run.id": "77",
    "github.event.repository.html_url": "https://github.com/owner/name",
    "github.event.repository.name": "name",
    "github.repository_owner": "owner",
    "github.run_id": "88",
}
HOOKS = ("ALERT_HOOK", "DATA_HOOK", "COMMENT_HOOK", "STATUS_HOOK", "EARLIER_HOOK")
SEEN = (*HOOKS, "ARTEFACT_URL", "HISTORY_URL", "NSOP_SITE", "PR_NUMBER", "GH_TOKEN")


class Runner:
    """A copy of ci/ with stand-ins; `made` is what make was called with and could see."""

    def __init__(self, folder):
        self.folder = folder
        self.tree = folder / "tree"
        shutil.copytree(ROOT / "ci", self.tree / "ci")
        (self.tree / ".ci").mkdir()
        self.program(self.tree / ".ci/run", "make test bench-quick")
        (folder / "bin").mkdir()
        seen = " ".join(f"{name}=${{{name}:-}}" for name in SEEN)
        self.program(folder / "bin/make", f'echo "$* | {seen}" >>"{folder}/made"')
        for name in ("apt-get", "git"):
            self.program(folder / "bin" / name, f'echo "{name} $*" >>"{folder}/prepared"')
        with zipfile.ZipFile(folder / "gate.zip", "w") as archive:
            archive.writestr("gate.ndjson", "{}\n")
        self.program(
            folder / "bin/gh",
            f'case "$*" in *artifacts/5/zip) cat "{folder}/gate.zip";; '
            f"*runs/77/artifacts*) echo 5;; *pulls*) echo 17;; *) exit 1;; esac",
        )
        listed = 'case "$1" in -Z) echo "-rw-r--r-- gate.ndjson"; exit;; esac'
        unzip = f'exec /usr/bin/python3 -c "{UNZIP}" "$2" "$3"'
        self.program(folder / "bin/unzip", f"{listed}\n{unzip}")

    @staticmethod
    def program(path, body):
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run(self, command, environment):
        """One step; returns the variables that it leaves for the next ones."""
        file = self.folder / "github_env"
        file.write_text("")
        own = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "GITHUB_ENV": str(file),
            "GITHUB_REPOSITORY": "owner/name",
        }
        done = subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=self.tree,
            env={**own, **environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return dict(line.split("=", 1) for line in file.read_text().splitlines())

    def made(self):
        file = self.folder / "made"
        return file.read_text().splitlines() if file.exists() else []


UNZIP = (
    "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode(), end='')"
)


def filled(values):
    """An `env:` with its expressions replaced; one that isn't known here is a mistake."""
    text = {key: str(value) for key, value in (values or {}).items()}
    return {
        key: re.sub(r"\${{ *([\w.]+) *}}", lambda match: CONTEXT[match.group(1)], value)
        for key, value in text.items()
    }


@pytest.mark.parametrize(
    "workflow, job, made",
    [
        ("ci", "test", "test bench-quick | {}"),
        ("ci", "lint", "lint check-generated | {}"),
        ("ci", "nightly", "test-full coverage | {}"),
        ("perf", "measure", "gate BASE=origin/main | {}"),
        (
            "perf-report",
            "report",
            f"gate-report GATE=build/gate.ndjson HEAD_SHA={SHA} | "
            "{COMMENT_HOOK=ci/hooks/github_comment.sh STATUS_HOOK=ci/hooks/github_status.sh "
            "EARLIER_HOOK=ci/hooks/github_comment.sh "
            "ARTEFACT_URL=https://github.com/owner/name/actions/runs/88#artifacts "
            "HISTORY_URL=https://github.com/owner/name/tree/nsop-data "
            "NSOP_SITE=https://owner.github.io/name "
            "PR_NUMBER=17 GH_TOKEN=t0ken}",
        ),
        (
            "perf-nightly",
            "check",
            "perf-nightly HISTORY=build/nsop-data | {ALERT_HOOK=ci/hooks/github_issue.sh "
            "DATA_HOOK=ci/hooks/push_data.sh NSOP_SITE=https://owner.github.io/name "
            "GH_TOKEN=t0ken}",
        ),
    ],
)
def test_a_job_arrives_at_make_with_what_it_needs(tmp_path, workflow, job, made):
    path = ROOT / f".github/workflows/{workflow}.yml"
    one = yaml.safe_load(path.read_text())["jobs"][job]
    runner, environment = Runner(tmp_path), filled(one.get("env"))
    for step in one["steps"]:
        if "run" in step and step.get("if") != "failure()":
            environment.update(runner.run(step["run"], {**environment, **filled(step.get("env"))}))
    wanted, given = re.fullmatch(r"(.*) \| {(.*)}", made).groups()
    variables = dict(pair.split("=") for pair in given.split())
    seen = " ".join(f"{name}={variables.get(name, '')}" for name in SEEN)
    assert runner.made() == [f"{wanted} | {seen}"]
    for name in HOOKS:
        assert os.access(ROOT / variables.get(name, "ci"), os.X_OK)


@pytest.mark.parametrize(
    "job, made",
    [
        (
            "perf-gate",
            ["gate BASE=origin/main", f"gate-report GATE=build/gate/gate.ndjson HEAD_SHA={SHA}"],
        ),
        ("perf-nightly", ["perf-nightly HISTORY=/srv/nights"]),
    ],
)
def test_the_gitlab_template_arrives_at_make(tmp_path, job, made):
    template = yaml.safe_load((ROOT / "ci/gitlab/perf.gitlab-ci.yml").read_text())
    runner = Runner(tmp_path)
    environment = {
        "CI_PROJECT_DIR": str(runner.tree),
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_COMMIT_SHA": SHA,
        "NSOP_DATA": "/srv/nights",
    }
    for line in template[".perf"]["before_script"] + template[job]["script"]:
        runner.run(line, environment)
    assert [line.split(" | ")[0] for line in runner.made()] == made


@pytest.mark.parametrize(
    "status, hook, told, ended",
    [
        (0, "true", ["data", "alert"], 0),
        (1, "true", ["data", "alert"], 1),
        (3, "true", ["data", "alert"], 3),
        (0, "false", ["data", "alert"], 5),
        (1, "false", ["data", "alert"], 1),
        (2, "true", [], 2),
        (4, "true", [], 4),
        (5, "true", [], 5),
        (143, "true", [], 143),
    ],
)
def test_hooks_of_a_night_run_whatever_was_found(tmp_path, status, hook, told, ended):
    alert = '{"id": "0123456789ab", "state": "open", "direction": "worse", "confirmed": true, '
    alert += '"first_bad": "f", "changed": "2020-01-01T00:00:00Z"}'
    Runner.program(
        tmp_path / "nsop",
        f'case "$*" in "check "*) exit {status};; *list*) echo \'{{"alerts": [{alert}]}}\';; esac',
    )
    for name in ("data", "alert"):
        Runner.program(tmp_path / name, f'echo {name} >>"{tmp_path}/log"; {hook}')
    done = subprocess.run(
        [ROOT / "tools/perf_nightly.sh", tmp_path / "nsop", tmp_path / "nights"],
        env=dict(os.environ, DATA_HOOK=str(tmp_path / "data"), ALERT_HOOK=str(tmp_path / "alert")),
        capture_output=True,
        text=True,
    )
    assert done.returncode == ended, done.stderr
    log = tmp_path / "log"
    assert (log.read_text().split() if log.exists() else []) == told
