"""Rooms stay small, top folders say what they are, test support has one place and one suffix."""

import re
from collections import Counter

import sources

# Folder -> the most files that it or a folder below may hold itself.
MOST_FILES = {
    "kernels": 30,
    "layers": 31,
    "reference": 30,
    "harness": 30,
    "harness/core": 31,
}
DATA = {"suites", "testdata", "live", "recordings", "transcripts", "generated"}
README_FOLDERS = [
    "kernels",
    "layers",
    "reference",
    "harness",
    "examples",
    "reports",
    "ci",
    "tools",
    "docs",
]
README_LINES = 100
# Lines that import, with all words of which a name may be: `from a.b import c`.
IMPORTED = re.compile(r"^\s*(?:import|from)\s.*", re.MULTILINE)
NAMES_OF_SUPPORT = ("fixture", "fake_", "test_data", "test_support", "test_util", "util.")


def _most_files(folder):
    """The limit of a folder: the longest prefix of its path sets it; None: it has none."""
    inside = [top for top in MOST_FILES if folder == top or folder.startswith(top + "/")]
    return MOST_FILES[max(inside, key=len)] if inside else None


def check_sizes(files):
    """A room with too many files."""
    counts = Counter(path.parent.as_posix() for path in files)
    return [
        f"{folder}:1: {count} files, at most {_most_files(folder)}: divide it by subject"
        for folder, count in sorted(counts.items())
        if _most_files(folder) and count > _most_files(folder) and not DATA & set(folder.split("/"))
    ]


def check_readmes(root, files):
    """A top folder without a README, or with one that is longer than a screen or two."""
    problems = []
    for folder in {path.parts[0] for path in files} & set(README_FOLDERS):
        readme = root / folder / "README.md"
        if not readme.is_file():
            problems.append(f"{folder}:1: no README.md: say what lives here and where to start")
        elif readme.read_text().count("\n") > README_LINES:
            problems.append(f"{folder}/README.md:1: more than {README_LINES} lines")
    return problems


def check_support(files):
    """What tests share lies in `testing/` and ends in `_support`; nothing else does either."""
    problems = []
    for path in files:
        if path.suffix not in {".cpp", ".h", ".py"} or path.parts[0] in ("tools", "reports"):
            continue
        placed = "testing" in path.parts
        named = path.stem.endswith("_support")
        test = path.stem.startswith("test_") or path.stem.endswith("_test")
        if placed != named and not (placed and test):
            problems.append(
                f"{path}:1: test support lies in testing/ and its name ends in _support"
            )
        elif path.suffix != ".py" and path.name.startswith(NAMES_OF_SUPPORT) and not placed:
            problems.append(f"{path}:1: expected testing/<subject>_support{path.suffix}")
    return problems


def check_python_support(root, files):
    """Python that only tests import, and that is no program, outside of `testing/`."""
    code = [path for path in files if path.suffix == ".py"]
    importers = {}
    for path in code:
        for line in IMPORTED.findall(sources.read(root, path) or ""):
            for word in re.findall(r"\w+", line):
                importers.setdefault(word, []).append(path)
    problems = []
    for path in code:
        kept = path.parts[0] in ("tools", "reports") or "testing" in path.parts
        if kept or sources.is_test(path) or "__main__" in (sources.read(root, path) or ""):
            continue
        users = importers.get(path.stem, [])
        if users and all(sources.is_test(user) for user in users):
            problems.append(
                f"{path}:1: only tests import it: expected testing/{path.stem}_support.py"
            )
    return problems


def check(root, files):
    """Problems, one `file:line: what` each."""
    support = check_support(files) + check_python_support(root, files)
    return check_sizes(files) + check_readmes(root, files) + support
