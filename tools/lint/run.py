#!/usr/bin/env python3
"""The house rules that need no compiler: headers, include order, places, lengths, rooms.

Exit 1 on a problem.

usage: tools/lint/run.py [ROOT]
"""

import sys
from pathlib import Path

import headers
import include_order
import lengths
import only_here
import rooms
import sources


def main(arguments):
    root = Path(arguments[0]).resolve() if arguments else sources.ROOT
    files = sources.project_files(root)
    problems = []
    for rule in (headers, include_order, only_here, lengths, rooms):
        problems += rule.check(root, files)
    for problem in problems:
        print(problem)
    print(f"lint: {len(files)} files, {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
