"""nsop_report --json FILE --out FOLDER: writes FOLDER/<name>.md, its plots, details of long ones.
nsop_report --json FILE --format FORMAT --out FILE: writes a gate's report; `-` is standard output.

Exit codes: 0 done, 2 usage, 4 the JSON is no sound report, 5 the folder can't be written or a
package is missing.
"""

import argparse
import os
import re
import sys

from nsop_report import files, model
from nsop_report.errors import ENVIRONMENT, ReportError


def comment_id(text):
    """A name that can stand in a comment of HTML; may be empty."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{0,64}", text) or "--" in text:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected up to 64 letters, digits and single characters of _.-"
        )
    return text


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="nsop_report", description="Renders a report of nsop.")
    parser.add_argument("--json", required=True, help="the report, schema nsop.report/2 or /1")
    parser.add_argument(
        "--out", required=True, help="folder of a report, or file of a gate's report"
    )
    parser.add_argument(
        "--format",
        choices=["pull-request", "step-summary", "junit", "github", "status"],
        help="of a gate's report (schema nsop.gate-report/1)",
    )
    parser.add_argument(
        "--comment-id",
        type=comment_id,
        default="",
        help="of a gate's comment: tells it apart from those of other gates of the same change",
    )
    parser.add_argument("--no-plots", action="store_true", help="write the Markdown only")
    return parser.parse_args(arguments)


def write_report(report, folder, with_plots=True):
    """Renders everything, then writes: the report last, so that none of its links dangles."""
    from nsop_report import pages, plots, render

    outputs = []
    if with_plots:
        for section in report["sections"]:
            for plot in section["plots"]:
                outputs.append((render.plot_name(report, plot), plots.image(plot)))
    written = pages.pages(report)
    outputs += [(name, text.encode("utf-8")) for name, text in reversed(written)]
    files.make_folder(folder)
    for name, data in outputs:
        files.write_atomically(folder, name, data)
    for name in pages.left_over(report, folder, {name for name, _ in written}):
        os.unlink(os.path.join(folder, name))


def write_gate(path, form, out, name=""):
    """Renders a gate's report into the file `out`, or to standard output."""
    from nsop_report import gate

    report = gate.checked(model.parsed(path), path)
    if form == "pull-request":
        text = gate.markdown(report, name=name)
    else:
        text = gate.FORMATS[form](report)
    if out == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
        return
    folder, file = os.path.split(out)
    files.write_atomically(folder or ".", file, text.encode("utf-8"))


def main(arguments=None):
    options = parsed(arguments)
    try:
        if options.format:
            write_gate(options.json, options.format, options.out, options.comment_id)
            return 0
        write_report(model.load(options.json), options.out, not options.no_plots)
    except ReportError as error:
        print(f"nsop_report: {error}", file=sys.stderr)
        return error.code
    except ImportError as error:
        print(
            f"nsop_report: {error}; install python3-jinja2 and python3-matplotlib", file=sys.stderr
        )
        return ENVIRONMENT
    return 0
