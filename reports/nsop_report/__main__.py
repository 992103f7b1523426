"""Entry: `python3 reports/nsop_report` (a folder, also with -I) or `python3 -m nsop_report`."""

import os
import sys


def run():
    # A folder that is run puts itself on the path, not the folder that the package lies in.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from nsop_report.main import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
