#!/usr/bin/env python3
"""Prints the files of the project that end in one of the given suffixes, one per line.

usage: tools/lint/list_files.py SUFFIX...
"""

import sys

import sources

if __name__ == "__main__":
    for path in sources.project_files():
        if path.suffix in sys.argv[1:]:
            print(path)
