#!/usr/bin/env python3
"""Adds up JUnit results: one line per file, then `N passed, N failed` over all of them.

usage: tools/test_counts.py FILE.xml...
A file that is missing, broken or without tests counts as one failure. A program that CTest ran as a
whole, and that passed, is not counted where its own counts stand beside (PROGRAM.part_1_of_2.xml).
Exit 1 if there is a failure.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed"


def is_counted_beside(path, case):
    """Is the case a program whose tests have a file of their own beside?"""
    name = case.get("name", "")
    if not re.fullmatch(r"\w+\.part_\d+_of_\d+", name) or case.get("status") != "run":
        return False
    return case.find("failure") is None and path.with_name(f"{name}.xml").is_file()


def read_counts(path):
    """The counts of one JUnit file."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return Counts(failed=1)
    counts = Counts(failed=0 if cases else 1)
    for case in cases:
        if is_counted_beside(path, case):
            continue
        not_built = case.get("name", "").endswith("_NOT_BUILT")  # CTest calls these skipped
        if not_built or case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            counts.skipped += 1
        else:
            counts.passed += 1
    return counts


def main(files):
    total = Counts()
    for path in map(Path, files):
        counts = read_counts(path)
        skipped = f", {counts.skipped} skipped" if counts.skipped else ""
        print(f"{path}: {counts}{skipped}")
        total += counts
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
