#!/usr/bin/env python3
"""Measures the nights that README shows: a series of commits, one of which slows tanh down.

usage: tools/demonstration.py FOLDER [--commits N]

Clones HEAD into FOLDER/clone and adds N commits (24): each changes a note, and the one in the
middle plants a slow-down in the kernel of tanh. Each is built and measured by `nsop check`, one
after the other, as a nightly would; the last check measures what is suspicious again and searches
for the commit. FOLDER/history has the files of the nights and of the alert; what the
last check said is printed. Nothing else should run meanwhile.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = "kernels/activations/tanh.cpp"
STEP = "{ return tanh_by_table(d, x); }"
PLANTED = """{
    const FloatVec most = hn::Set(d, 9.0f);
    return tanh_by_table(d, hn::Max(hn::Min(x, most), hn::Neg(most)));
  }"""
CASES = (
    "tanh pass=forward n=100000 range=-3:3",
    "sigmoid pass=forward n=100000 range=-3:3",
    "relu pass=forward n=100000 range=-3:3",
)


class Series:
    def __init__(self, folder):
        self.clone = folder / "clone"
        self.history = folder / "history"
        self.environment = dict(
            os.environ, NSOP_DB=str(folder / "nsop.db"), XDG_CACHE_HOME=str(folder / "cache")
        )
        if self.clone.exists():
            sys.exit(f"demonstration: {self.clone} is there already; name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        self.run("git", "clone", "-q", ROOT, self.clone, where=folder)
        self.run("git", "config", "user.name", "demonstration")
        self.run("git", "config", "user.email", "demonstration@example.org")

    def run(self, *words, where=None, codes=(0,)):
        done = subprocess.run(
            list(map(str, words)),
            cwd=where or self.clone,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode not in codes:
            sys.exit(f"demonstration: exit {done.returncode}: {' '.join(map(str, words))}")
        return done.stdout

    def commit(self, number, planted):
        with (self.clone / "docs/notes.md").open("a") as notes:
            notes.write(f"Night {number}.\n")
        if planted:
            file = self.clone / KERNEL
            text = file.read_text()
            if text.count(STEP) != 1:
                sys.exit(f"demonstration: {KERNEL} is not what it was; plant another slow-down")
            file.write_text(text.replace(STEP, PLANTED))
        self.run("git", "add", "-A")
        subject = "Clamp the argument of tanh" if planted else f"Write a note, {number}"
        self.run("git", "commit", "-q", "-m", subject)

    def build(self):
        self.run("cmake", "--preset", "release")
        self.run("cmake", "--build", "--preset", "release", "--target", "nsop", "nsop-worker")

    def check(self, *options):
        time.sleep(1)  # no two nights of one second
        words = ("check", *CASES, "--variant", "hwy", "--history", self.history, *options)
        return self.run("build/release/bin/nsop", *words, codes=(0, 1, 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=24)
    options = parser.parse_args()
    series = Series(options.folder.resolve())
    for number in range(1, options.commits + 1):
        series.commit(number, number == options.commits // 2 + 1)
        series.build()
        last = number == options.commits
        said = series.check() if last else series.check("--suspects-only", "--quiet")
        print(f"night {number} of {options.commits}", file=sys.stderr, flush=True)
    print(said, end="")


if __name__ == "__main__":
    main()
