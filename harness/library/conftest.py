"""An installed nsop, and the example library built with it."""

import pytest

from harness.cli.testing.repository_support import BIN
from harness.library.testing.project_support import build, call, copy_of, environment, install


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return install(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def boxblur(prefix, tmp_path_factory):
    """The example, built."""
    project = copy_of("library", tmp_path_factory.mktemp("boxblur") / "project")
    done = build(project, prefix)
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture
def nsop(tmp_path):
    def run(*arguments, cwd=tmp_path, code=0):
        return call(BIN / "nsop", *arguments, cwd=cwd, env=environment(tmp_path), code=code)

    return run
