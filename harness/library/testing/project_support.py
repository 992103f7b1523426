"""Projects of other people for tests: copies of examples/, built against an installed nsop."""

import os
import shutil
import subprocess

from harness.cli.testing.repository_support import BIN, ROOT

EXAMPLES = ROOT / "examples"
CASE = "box_blur n=1000 r=3"  # of the example library, and its worker
WORKER = "build/boxblur-worker"
STRICT = "-Wall -Wextra -Wpedantic -Werror"


def install(prefix):
    """What developers get, below `prefix`."""
    command = ["cmake", "--install", BIN.parent, "--prefix", prefix, "--component", "dev"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return prefix


def copy_of(example, folder):
    """A project of its own, out of examples/."""
    ignored = shutil.ignore_patterns("build", "*.test", "__pycache__", "nsop.db*")
    shutil.copytree(EXAMPLES / example, folder, ignore=ignored)
    return folder


def edit(path, old, new):
    text = path.read_text()
    assert old in text, f"{path} has no {old}"
    path.write_text(text.replace(old, new))


def configure(project, prefix, flags=STRICT):
    command = ["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_CXX_FLAGS={flags}"]
    command += ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}"]
    return subprocess.run(command, capture_output=True, text=True)


def build(project, prefix, flags=STRICT):
    """The ended build of a project, which may have failed."""
    configured = configure(project, prefix, flags)
    assert configured.returncode == 0, configured.stderr
    return subprocess.run(
        ["cmake", "--build", project / "build"], capture_output=True, text=True, timeout=600
    )


def changed(prefix, folder, file, old, new):
    """The example library with an edit, and how its build ended."""
    project = copy_of("library", folder / "changed")
    edit(project / file, old, new)
    return project, build(project, prefix)


def environment(folder, **more):
    """Of an nsop with a database, caches and a lock of its own, and the distribution's Python."""
    return dict(
        os.environ,
        NSOP_DB=str(folder / "t.db"),
        NSOP_LOCK=str(folder / "lock"),
        XDG_CACHE_HOME=str(folder / "cache"),
        GOCACHE=str(folder / "cache/go"),
        PATH=f"/usr/bin:{os.environ['PATH']}",
        **more,
    )


def call(*command, cwd, env, code=0):
    """The ended program; `code` is its exit code, None any."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, timeout=600
    )
    assert code in (done.returncode, None), f"{command}\n{done.stdout}\n{done.stderr}"
    return done
