"""Which files belong to the project, and C++ text with its comments and strings blanked out."""

import fnmatch
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = {".git", "build", "__pycache__", ".cache", ".pytest_cache", ".hypothesis"}


def project_files(root=ROOT):
    """Paths relative to `root` of all tracked and not ignored files, sorted."""
    git = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(git, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive
        listed = _walk(root)
    return sorted({Path(name) for name in listed if name and (Path(root) / name).is_file()})


def _walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    """The text of a file, or None if it is not text."""
    data = (Path(root) / path).read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


def is_cpp(path):
    return path.suffix in {".cpp", ".h"}


def is_test(path):
    return path.stem.endswith("_test") or path.name.startswith(("test_", "conftest"))


def matches(path, patterns):
    return any(fnmatch.fnmatch(path.as_posix(), pattern) for pattern in patterns)


_CPP_TOKEN = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<tag>[^(\s\\]*)\(.*?\)(?P=tag)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)


def blank_cpp(text, keep_strings=False):
    """C++ with every comment (and string) replaced by blanks; lines and columns stay in place."""

    def blank(match):
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _CPP_TOKEN.sub(blank, text)


def cpp_strings(text):
    """(line, content) of every string literal."""
    for match in _CPP_TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(('"', 'R"')):
            yield text.count("\n", 0, match.start()) + 1, token
