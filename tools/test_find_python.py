"""tools/find_python.sh with interpreters that can or can't import."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "find_python.sh"


def interpreter(folder, can_import):
    folder.mkdir()
    path = folder / "python3"
    path.write_text(f"#!/bin/sh\nexit {0 if can_import else 1}\n")
    path.chmod(0o755)
    return path


def find(*modules, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([SCRIPT, *modules], env=environment, capture_output=True, text=True)


def test_the_one_named_by_the_user_comes_first(tmp_path):
    mine = interpreter(tmp_path / "a", can_import=True)
    assert find(NSOP_PYTHON=str(mine)).stdout.strip() == str(mine)


def test_one_that_cannot_import_is_passed_over(tmp_path):
    broken = interpreter(tmp_path / "a", can_import=False)
    found = find(NSOP_PYTHON=str(broken), PATH=f"{broken.parent}:{os.environ['PATH']}")
    assert found.returncode == 0
    assert found.stdout.strip() not in ("", str(broken))


def test_none_is_an_environment_error_that_names_the_modules():
    found = find("no_such_module_anywhere")
    assert found.returncode == 5
    assert found.stdout == ""
    assert "no_such_module_anywhere" in found.stderr and "tools/setup.sh" in found.stderr
