"""What the tests of the command line share."""

import os
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN, ROOT, SmallRepository


@pytest.fixture
def repository(tmp_path):
    return SmallRepository(tmp_path)


@pytest.fixture
def nsop(tmp_path):
    """Runs nsop with a database and caches of its own; `code` is the exit code, None any."""
    environment = dict(
        os.environ,
        NSOP_DB=str(tmp_path / "t.db"),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
        NSOP_LOCK=str(tmp_path / "lock"),
    )

    def call(*arguments, code=0, **options):
        done = subprocess.run(
            [BIN / "nsop", *arguments],
            capture_output=True,
            text=True,
            cwd=options.pop("cwd", ROOT),
            env=dict(environment, **options.pop("env", {})),
            timeout=options.pop("timeout", 300),
            **options,
        )
        assert code in (done.returncode, None), f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done

    call.environment = environment
    return call


def one_line(done):
    """The one line on standard error that bad input gets."""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("nsop: "), done.stderr
    return lines[0]
