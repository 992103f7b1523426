"""A nightly as CI runs it, end to end: nights on a data branch, a slower commit, an issue for it,
and its end by a declaration. Times are made up; GitHub is a stand-in that keeps issues."""

import json
import os
import shutil
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN, RELU, ROOT, SmallRepository

NEEDED = [
    *("tools/perf_nightly.sh", "tools/each_alert.py", "tools/find_python.sh"),
    *("ci/hooks/github_issue.sh", "ci/hooks/push_data.sh"),
    *("reports/nsop_report/__init__.py", "reports/nsop_report/escape.py"),
]
GH = """#!/usr/bin/python3
import json, os, sys
from pathlib import Path
store = Path("@FOLDER@/issues.json")
issues = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[1:]
fields = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word in ("-f", "-F"))
if "body" in fields:
    fields["body"] = Path(fields["body"].removeprefix("@")).read_text()
if "--paginate" in words:
    known = [n for n, one in enumerate(issues, 1) if os.environ["ALERT_ID"] in one["title"]]
    print("\\n".join(map(str, known)))
elif "POST" in words:
    issues.append({"state": "open", **fields})
else:
    issues[int(words[3].rsplit("/", 1)[1]) - 1].update(fields)
store.write_text(json.dumps(issues))
"""


def git(folder, *arguments):
    names = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Nightly:
    """A project with the scripts of CI, a data branch, and a stand-in for GitHub."""

    def __init__(self, folder):
        self.folder = folder
        self.repository = SmallRepository(folder)
        for name in NEEDED:
            (self.repository.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.repository.root / name)
        (folder / "bin").mkdir()
        (folder / "bin/gh").write_text(GH.replace("@FOLDER@", str(folder)))
        (folder / "bin/gh").chmod(0o755)
        git(folder, "init", "-q", "--bare", "-b", "nsop-data", "data.git")
        empty = git(folder / "data.git", "hash-object", "-t", "tree", "--stdin", "-w")
        first = git(folder / "data.git", "commit-tree", "-m", "Nights", empty)
        git(folder / "data.git", "update-ref", "refs/heads/nsop-data", first)
        self.clone()

    def clone(self):
        """A machine that has nothing but the data branch."""
        shutil.rmtree(self.repository.history, ignore_errors=True)
        for path in self.folder.glob("nsop.db*"):
            path.unlink()
        git(self.folder, "clone", "-q", "--depth", "1", f"file://{self.folder}/data.git", "history")

    def run(self, code):
        one = self.repository
        environment = dict(
            one.environment,
            PATH=f"{self.folder}/bin:{os.environ['PATH']}",
            ALERT_HOOK="ci/hooks/github_issue.sh",
            DATA_HOOK="ci/hooks/push_data.sh",
            GITHUB_REPOSITORY="owner/name",
        )
        options = [o for o in one.check_options() if o not in ("--history", one.history)]
        done = subprocess.run(
            ["tools/perf_nightly.sh", BIN / "nsop", one.history, RELU, *options, "--json"],
            cwd=one.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def issues(self):
        return json.loads((self.folder / "issues.json").read_text())

    def pushed(self):
        return git(self.folder / "data.git", "ls-tree", "--name-only", "nsop-data").splitlines()


@pytest.mark.slow
def test_a_regression_gets_an_issue_that_its_declaration_closes(tmp_path):
    nightly = Nightly(tmp_path)
    repository = nightly.repository
    first = repository.commit("First", relu=1000)
    nightly.run(3)  # the first night judges nothing, and is kept
    assert len(nightly.pushed()) == 1
    repository.commit("Tidy up", relu=1000, note=1)
    bad = repository.commit("Rewrite relu", relu=1080)
    repository.commit("Document it", relu=1080, note=1)
    repository.nights([first] * 20)
    repository.forget_measurements()

    [alert] = nightly.run(1)["open"]
    assert alert["first_bad"] == bad and alert["new"]
    [issue] = nightly.issues()
    assert issue["state"] == "open"
    assert issue["title"] == f"Slower since {bad[:12]} (alert {alert['id']})"
    assert RELU in issue["body"] and "Rewrite relu" in issue["body"]
    assert len([name for name in nightly.pushed() if name.startswith("alert-")]) == 1
    assert len(nightly.pushed()) == 22

    nightly.clone()
    [again] = nightly.run(1)["open"]
    assert again["id"] == alert["id"] and not again["new"]
    assert [one["state"] for one in nightly.issues()] == ["open"]

    (repository.root / "nsop-known.toml").write_text(
        '[[change]]\ncase = "relu"\ndirection = "worse"\nreason = "exact rounding"\n'
        f'commit = "{bad[:12]}"\n'
    )
    repository.commit("Declare it", relu=1080, note=2)
    nightly.clone()
    night = nightly.run(0)
    assert night["open"] == [] and [one["id"] for one in night["declared"]] == [alert["id"]]
    [issue] = nightly.issues()
    assert issue["state"] == "closed" and "The alert is accepted now." in issue["body"]
    nightly.clone()
    shown = repository.nsop("alert", "show", alert["id"], "--history", repository.history).stdout
    assert "declared" in shown and "nsop-known.toml:1: exact rounding" in shown
