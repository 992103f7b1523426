#!/usr/bin/env python3
"""Prints one table of how many faults the tests tried: what they printed of it, as JUnit files keep
it, and the inputs that parsers were given.

usage: tools/fault_counts.py [--complete] FILE.xml... FOLDER_OF_FUZZ...
Each line of the table names the test. --complete: exit 1 if an area of the list below has no count.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# Area of faults -> the line that its test prints.
AREAS = {
    "bit flips of a database": r"bit flips of a database: \d+",
    "columns of a database": r"columns changed: \d+",
    "bit flips of an export": r"bit flips of an export: \d+",
    "bit flips of alert events": r"cuts and bit flips of an event: \d+",
    "failing disks": r"[\w -]+: \d+ calls, \d+ of them failed, \d+ faults",
    "kills at random": r"\d+ kills: \d+ invocations",
    "rogue workers": r"rogue answers: \d+",
    "texts of a gate": r"\d+ texts of a gate",
    "writers at once": r"\d+ writers: \d+ runs",
    "writers of a server": r"16 writers of a server: \d+ runs",
    "server killed": r"server killed in an? \w+: \d+ times",
    "network cut": r"network cut in an? \w+: \d+ times",
    "server's disk full": r"server's disk full in an? \w+: \d+ times",
    "passwords": r"passwords: \d+ addresses",
    "node killed": r"node killed: \d+ of \d+ shards",
    "clocks of nodes": r"clocks of nodes: \d+ wrong",
    "merges at once": r"merges at once: \d+ into a \w+",
    "fuzzing": r"\w+: \d+ inputs",
}
BEGUN = re.compile(r"\[ RUN      \] (\S+)")
INPUTS = re.compile(r"^stat::number_of_executed_units: *(\d+)", re.MULTILINE)


def said_in(path):
    """(test, line) of all that the tests of a JUnit file printed, alone or in one program."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        test = case.get("name")
        for output in case.findall("system-out"):
            for line in (output.text or "").splitlines():
                begun = BEGUN.match(line)
                test = begun[1] if begun else test
                yield test, line.strip()


def fuzzed_in(folder):
    """(parser, line) of the parsers that were fuzzed."""
    for path in sorted(folder.glob("*.log")):
        found = INPUTS.search(path.read_text(errors="replace"))
        if found:
            yield "tools/fuzz.sh", f"{path.stem}: {found[1]} inputs"


def counts(paths):
    """(area, line, where) of every count, in the order of AREAS."""
    said = []
    for path in paths:
        if path.is_dir():
            said += fuzzed_in(path)
        elif path.exists():
            said += said_in(path)
    for area, pattern in AREAS.items():
        for test, line in said:
            if re.match(pattern, line):
                yield area, line, test


def main(arguments):
    complete = "--complete" in arguments
    found = list(counts([Path(one) for one in arguments if one != "--complete"]))
    width = max(map(len, AREAS))
    print("faults tried:")
    for area, line, test in found:
        print(f"  {area:{width}}  {line}  ({test})")
    missing = [area for area in AREAS if area not in {area for area, _, _ in found}]
    for area in missing:
        print(f"  {area:{width}}  none")
    return 1 if complete and missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
