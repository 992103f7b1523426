#!/usr/bin/env python3
"""Runs that are kept in the tree, so that what a machine measured outlives it.

usage: tools/kept_runs.py [--nsop FILE] [--db FILE] [--folder DIR] import
       tools/kept_runs.py [--nsop FILE] [--db FILE] [--folder DIR] keep RUN...

import: reads every file of DIR into the database; what it holds already stays as it is.
keep:   writes the runs (any name that nsop takes) and all complete runs of the commits that
        nsop-releases.toml lists, thinned (`nsop export --thin`) and compressed as columns
        (tools/columns.py), as DIR/HOST/START-RUN.columns.xz. Where all files are larger than
        2 MB, the oldest go, but none of a release, none that a page in DIR/../generated was
        rendered from and not the newest gate, which the committed comment is rendered from; git
        keeps what went.

Exit 4: a file that holds no run, named with the reason; the others are read.
"""

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import columns

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "reports"))

from nsop_report import files  # noqa: E402

MOST_BYTES = 2_000_000  # of all files together
MOST_READ = 256 << 20  # of a file, uncompressed: what nsop import takes
BAD_DATA = 4
SUFFIX = ".columns.xz"
# No place in a text is more likely to begin a word than another: no position bits.
FOR_TEXT = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}
SUFFIX_OF_LINES = ".ndjson.xz"  # of runs kept before there were columns


class Refused(Exception):
    """A file that holds no run, or a command that failed: the line that says so and a code."""

    def __init__(self, message, code=BAD_DATA):
        super().__init__(message)
        self.code = code


def nsop(arguments, *words):
    """What the command prints."""
    command = [arguments.nsop, *words, "--db", arguments.db]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(done.stderr.strip() or f"{command[0]}: failed", done.returncode)
    return done.stdout


def kept_files(folder):
    """The files of all kept runs, the oldest first."""
    paths = [path for end in (SUFFIX, SUFFIX_OF_LINES) for path in folder.glob(f"*/*{end}")]
    return sorted(paths, key=lambda path: path.name)


def name_of(path):
    """START-RUN."""
    return path.name.removesuffix(SUFFIX).removesuffix(SUFFIX_OF_LINES)


def unpacked(path):
    """The lines of a kept run, as bytes."""
    try:
        with lzma.open(path) as stream:
            data = stream.read(MOST_READ + 1)
        if len(data) > MOST_READ:
            raise Refused(f"{path}: larger than {MOST_READ >> 20} MiB when unpacked")
        text = data.decode()
        return columns.to_lines(text, MOST_READ).encode() if columns.is_columns(text) else data
    except (lzma.LZMAError, EOFError, ValueError) as error:
        raise Refused(f"{path}: is no kept run: {error}; take it from git again") from error


def take_in(arguments):
    failed = 0
    for path in kept_files(arguments.folder):
        try:
            with tempfile.TemporaryDirectory() as folder:
                plain = Path(folder) / f"{name_of(path)}.ndjson"
                plain.write_bytes(unpacked(path))
                nsop(arguments, "import", str(plain))
        except Refused as refused:
            print(f"kept_runs: {path}: {refused}", file=sys.stderr)
            failed = refused.code
    return failed


def releases(path):
    if not path.exists():
        return []
    return [one["commit"] for one in tomllib.loads(path.read_text()).get("release", [])]


def of_release(commits, listed):
    """Has a release one of the commits, which are joined by commas?"""
    return any(a.startswith(b[: len(a)]) for a in commits.split(",") for b in listed if a)


def holds(path, text):
    """Is it the file of a run of these lines, however it was packed? Git has that one already."""
    try:
        return path.exists() and unpacked(path) == text.encode()
    except Refused:  # damaged
        return False


def write_run(arguments, run):
    """The file that the run is kept in."""
    text = nsop(arguments, "export", "--thin", run)
    head, host = (json.loads(line) for line in text.splitlines()[:2])
    start = "".join(c for c in head["started_utc"] if c.isalnum())
    path = arguments.folder / host["id"][:12] / f"{start}-{head['id'][:8]}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    if holds(path, text):
        return path
    packed = lzma.compress(columns.to_columns(text).encode(), filters=[FOR_TEXT])
    files.write_atomically(path.parent, path.name, packed)
    (path.parent / f"{name_of(path)}{SUFFIX_OF_LINES}").unlink(missing_ok=True)  # the same run
    return path


def head_of(path):
    """The first line of a kept run."""
    return json.loads(unpacked(path).split(b"\n", 1)[0])


def newest_gate(folder):
    """The file of the newest run of a gate, the run of the committed comment; None without one."""
    by_age = reversed(kept_files(folder))
    return next((path for path in by_age if head_of(path)["profile"] == "gate"), None)


def of_pages(folder):
    """The files of the runs that committed pages were rendered from, newest_gate's among them."""
    shown = set()
    for page in (folder.parent / "generated").glob("*.json"):
        run = json.loads(page.read_text()).get("run")
        shown.update([run["id"][:8]] if isinstance(run, dict) else [])
    kept = {path for path in kept_files(folder) if name_of(path).rpartition("-")[2] in shown}
    return kept | ({newest_gate(folder)} - {None})


def tidy(folder, spared, most=MOST_BYTES):
    """Removes the oldest files until all fit, but none of `spared`."""
    kept = kept_files(folder)
    total = sum(path.stat().st_size for path in kept)
    for path in kept:
        if total <= most:
            return
        if path not in spared:
            total -= path.stat().st_size
            path.unlink()
            print(f"kept_runs: {path} removed: all are larger than {most / 1e6:g} MB")
    if total > most:
        print(f"kept_runs: {total / 1e6:.1f} MB are kept, more than {most / 1e6:g} MB")


def keep(arguments):
    listed = releases(arguments.releases)
    stored = json.loads(nsop(arguments, "list", "runs", "--json"))["runs"]
    names = [
        one["run"]
        for one in stored
        if one["state"] == "complete"
        and one["profile"] != "gate"
        and of_release(one["commit"], listed)
    ]
    spared = {write_run(arguments, name) for name in names}
    newest = {write_run(arguments, name) for name in arguments.runs}
    for path in sorted(spared | newest):
        print(f"{path}: {path.stat().st_size / 1e3:.1f} kB")
    tidy(arguments.folder, spared | newest | of_pages(arguments.folder))
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--nsop", default="build/release/bin/nsop")
    parser.add_argument("--db", default="nsop.db")
    parser.add_argument("--folder", type=Path, default=Path("reports/runs"))
    parser.add_argument("--releases", type=Path, default=ROOT / "nsop-releases.toml")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("import")
    verbs.add_parser("keep").add_argument("runs", nargs="*")
    arguments = parser.parse_args()
    try:
        return take_in(arguments) if arguments.verb == "import" else keep(arguments)
    except Refused as refused:
        print(f"kept_runs: {refused}", file=sys.stderr)
        return refused.code


if __name__ == "__main__":
    sys.exit(main())
