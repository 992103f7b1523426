"""The artefact of a measuring run is a stranger's zip: it holds one file of an expected name, or it
is refused in one line that holds nothing of it."""

import os
import shutil
import stat
import subprocess
import warnings
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("unzip"), reason="unzip is not installed")

ROOT = Path(__file__).resolve().parents[1]
HOSTILE = "x\n::stop-commands::pwned\n##[error]pwned\x1b[31m"


def written(path, *members):
    """A zip of (name, content) pairs, twice the same name if so given."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)


def link(name):
    member = zipfile.ZipInfo(name)
    member.create_system = 3
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def fetched(folder):
    """The hook's end, with a `gh` that hands out the zip in the folder."""
    program = folder / "bin/gh"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *artifacts/5/zip) cat "{folder}/gate.zip";; '
        "*runs/77/artifacts*) echo 5;; *pulls*) echo 17;; esac\n"
    )
    program.chmod(0o755)
    (folder / "work/out").mkdir(parents=True)
    (folder / "scratch").mkdir()
    own = {"RUN_ID": "77", "HEAD_SHA": "c0ffee", "GITHUB_REPOSITORY": "o/r"}
    path = {"PATH": f"{program.parent}:/usr/bin:/bin", "TMPDIR": str(folder / "scratch")}
    return subprocess.run(
        [ROOT / "ci/hooks/github_artifact.sh", "out/gate.ndjson"],
        cwd=folder / "work",
        env={**os.environ, **own, **path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


def test_a_good_zip_is_taken(tmp_path):
    written(tmp_path / "gate.zip", ("gate.ndjson", "{}\n"))
    done = fetched(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "PR_NUMBER=17\n", "")
    assert (tmp_path / "work/out/gate.ndjson").read_text() == "{}\n"


REFUSED = {
    "a bomb": [("gate.ndjson", bytes(80 << 20))],
    "the name twice": [("gate.ndjson", "{}\n"), ("gate.ndjson", "{}\n")],
    "two dots": [("../gate.ndjson", "{}\n")],
    "two dots beside it": [("gate.ndjson", "{}\n"), ("../../pwned", "x")],
    "a line end": [(HOSTILE, "x")],
    "a line end beside it": [("gate.ndjson", "{}\n"), (HOSTILE, "x")],
    "a link": [(link("gate.ndjson"), "/etc/passwd")],
    "another name": [("night.ndjson", "{}\n")],
    "nothing in it": [("gate.ndjson", "")],
}


def assert_refused(done, folder):
    assert done.returncode == 4, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("github_artifact: ") and done.stderr.strip().isprintable()
    assert "pwned" not in done.stderr
    assert files_in(folder / "work") == [] and files_in(folder / "scratch") == []
    assert files_in(folder) == ["gate.zip", "gh"], "it was written elsewhere"


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_zip_is_refused_in_one_line(tmp_path, kind):
    written(tmp_path / "gate.zip", *REFUSED[kind])
    assert_refused(fetched(tmp_path), tmp_path)


@pytest.mark.parametrize("cut", [0, 30, 90])
def test_what_is_no_zip_is_refused_in_one_line(tmp_path, cut):
    written(tmp_path / "gate.zip", ("gate.ndjson", "{}\n"), (HOSTILE, "x"))
    file = tmp_path / "gate.zip"
    file.write_bytes(file.read_bytes()[:cut])
    assert_refused(fetched(tmp_path), tmp_path)
