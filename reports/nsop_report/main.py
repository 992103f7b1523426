"""nsop_report --json FILE --out FOLDER: writes FOLDER/<name>.md and its plots.
nsop_report --index FOLDER: writes FOLDER/README.md over the reports in it.
nsop_report --json FILE --format FORMAT --out FILE: writes a gate's report; `-` is standard output.
nsop_report --plot FILE --out FILE: draws a row's history (schema nsop.plot/1) as SVG.
nsop_report --site FILE --out FOLDER: writes the offline site (schema nsop.site/1) of many rows.

Exit codes: 0 done, 2 usage or a folder that isn't ours to replace, 4 the JSON is no sound report, 5
the folder can't be written or a package is missing.
"""

import argparse
import os
import re
import sys

from nsop_report import files, index, model
from nsop_report.errors import ENVIRONMENT, USAGE, ReportError


def comment_id(text):
    """A name that can stand in a comment of HTML; may be empty."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{0,64}", text) or "--" in text:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected up to 64 letters, digits and single characters of _.-"
        )
    return text


def link(text):
    """(name, URL) of `NAME=URL`; nothing that could end a link of Markdown."""
    name, _, url = text.partition("=")
    if not name or not re.fullmatch(r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]{1,500}", url):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=http(s)://...")
    return name, url


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="nsop_report", description="Renders a report of nsop.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--json", help="the report, schema nsop.report/2 or /1")
    what.add_argument("--plot", help="a row's history to draw, schema nsop.plot/1")
    what.add_argument("--index", metavar="FOLDER", help="write README.md over a folder of reports")
    what.add_argument("--site", help="the model of an offline site, schema nsop.site/1 (NDJSON)")
    parser.add_argument(
        "--count-ages",
        action="store_true",
        help="of an index: count by git how old each report is, and render those again",
    )
    parser.add_argument(
        "--out", help="folder of a report or a site, or file of a gate's report or a plot"
    )
    parser.add_argument(
        "--format",
        help="of a gate's report (schema nsop.gate-report/1): a name of gate.FORMATS",
    )
    parser.add_argument(
        "--comment-id",
        type=comment_id,
        default="",
        help="of a gate's comment: tells it apart from those of other gates of the same change",
    )
    parser.add_argument(
        "--link",
        type=link,
        action="append",
        default=[],
        metavar="NAME=URL",
        help="of a gate's comment: shown under its verdict (repeatable)",
    )
    parser.add_argument(
        "--earlier", help="of a gate's comment: file of the one that it replaces, may be empty"
    )
    parser.add_argument("--no-plots", action="store_true", help="write the Markdown only")
    options = parser.parse_args(arguments)
    if not options.index and not options.out:
        parser.error("--json, --plot and --site need --out")
    if options.format and not options.json:
        parser.error("--format is of --json")
    return options


def write_report(report, folder, with_plots=True, behind=0):
    """Renders everything, then writes: the report last, so that none of its links dangles."""
    from nsop_report import pages, plots, render

    outputs = []
    if with_plots:
        for section in report["sections"]:
            for plot in section["plots"]:
                outputs.append((render.plot_name(report, plot), plots.image(plot)))
    outputs.append((f"{files.slug(report['name'])}.md", pages.page(report, behind).encode("utf-8")))
    files.make_folder(folder)
    old = pages.left_over(report, folder)
    for name, data in outputs:
        files.write_atomically(folder, name, data)
    for name in old:
        os.unlink(os.path.join(folder, name))


def write_index(folder, count_ages):
    """README.md of a folder of reports; counting ages changes the pages that say their own."""
    if count_ages:
        before = index.ages(folder)
        index.count_ages(folder)
        after = index.ages(folder)
        for name in sorted(name for name in after if after[name] != before.get(name, 0)):
            path = os.path.join(folder, f"{name}.json")  # of a gate's comment there is none
            # Others don't say their age.
            if os.path.isfile(path) and model.parsed(path).get("schema") == model.MODEL:
                write_report(model.load(path), folder, False, after[name] or 0)
    index.write(folder)


def write_gate(path, form, out, name="", links=(), earlier=""):
    """Renders a gate's report into the file `out`, or to standard output."""
    from nsop_report import gate

    if form not in gate.FORMATS:
        raise ReportError(USAGE, f"--format {form}: expected {' or '.join(gate.FORMATS)}")
    report = gate.checked(model.parsed(path), path)
    if form == "pull-request":
        text = gate.markdown(report, name=name, links=links, earlier=earlier)
    else:
        text = gate.FORMATS[form](report)
    if out == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
        return
    folder, file = os.path.split(out)
    files.write_atomically(folder or ".", file, text.encode("utf-8"))


def write_plot(path, out):
    """Draws the history in the file `path` into the file `out`."""
    from nsop_report import plots

    folder, file = os.path.split(out)
    files.write_atomically(folder or ".", file, plots.image(model.load_plot(path)))


def main(arguments=None):
    options = parsed(arguments)
    try:
        if options.format:
            earlier = files.text_of(options.earlier) if options.earlier else ""
            write_gate(
                options.json,
                options.format,
                options.out,
                options.comment_id,
                options.link,
                earlier,
            )
            return 0
        if options.plot:
            write_plot(options.plot, options.out)
            return 0
        if options.site:
            from nsop_report.site import build

            build.write_site(options.site, options.out)
            return 0
        if options.index:
            write_index(options.index, options.count_ages)
            return 0
        behind = index.ages(os.path.dirname(options.json) or ".")
        report = model.load(options.json)
        write_report(report, options.out, not options.no_plots, behind.get(report["name"]) or 0)
    except ReportError as error:
        print(f"nsop_report: {error}", file=sys.stderr)
        return error.code
    except ImportError as error:
        print(
            f"nsop_report: {error}; install python3-jinja2 and python3-matplotlib", file=sys.stderr
        )
        return ENVIRONMENT
    return 0
