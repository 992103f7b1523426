"""A checked report to Markdown. Templates place texts; no number is computed or formatted here."""

import functools
import os
import re

import jinja2

from nsop_report import escape, files, remarks, site_links, terse

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")
REMARKS = "Remarks on rows: what they lack, doubts"
IN_ONE_LIST = "Remarks on rows of all sections: what they lack, doubts"  # where REMARKS is too long
SHARES = ("standing", "limit", "value")  # columns that hold shares of the machine's limit
IN_DOUBT = "limit in doubt"  # what stands in them where a row beats the limit
PUBLISHED = "Published elsewhere"  # the section whose notes speak of its folded table alone


def plot_name(report, plot):
    """The file name of a plot beside the Markdown."""
    return f"{files.slug(report['name'])}-{plot['id']}.svg"


def summaries_last(report):
    """The sections as they are shown: the rows, then what is said over all rows."""
    return sorted(report["sections"], key=lambda section: bool(section.get("summary")))


@functools.cache  # so that each template is compiled once
def environment():
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    env.filters.update(
        md=escape.markdown,
        prose=escape.prose,
        code=escape.code,
        code_cell=escape.code_cell,
        brackets=escape.brackets,
    )
    env.globals.update(
        plot_name=plot_name,
        causes=remarks.causes,
        most_named=remarks.SHOWN,
        remarks_title=REMARKS,
        one_list_title=IN_ONE_LIST,
    )
    return env


def remarks_of(section):
    """What rows of a section lack and why they are in doubt, as a list; may be empty."""
    text = _tables().remarks(section).strip()
    return text + "\n" if text else ""


@functools.cache
def _tables():
    return environment().get_template("_tables.md.j2").module


def in_one_list(report):
    """The remarks on rows of all sections as if they were of one; may be empty."""
    return remarks_of({"tables": [t for section in report["sections"] for t in section["tables"]]})


def sections_shown(report, left_out=()):
    """The sections in the order in which they are shown, without those of which nothing is left:
    notes on values that are left out say nothing."""
    return [s for s in summaries_last(report) if _has_something(s, left_out)]


def _has_something(section, left_out):
    tables = any(not t["collapsed"] or t["title"] not in left_out for t in section["tables"])
    said = section["notes"] and section["title"] != PUBLISHED
    failed = any(cause["failed"] for cause in remarks.causes(section))
    folded = REMARKS not in left_out and remarks_of(section)
    return bool(tables or said or failed or section["plots"] or folded)


def markdown(report, left_out=(), behind=0):
    """The report as Markdown text with a final newline.

    left_out: titles of folded parts that are not shown; behind: commits that the report was
    behind when the reports were last published. Without REMARKS there is IN_ONE_LIST, if it is not
    left out.
    """
    report = terse.shown(site_links.linked(report, site_links.MOST not in left_out), left_out)
    template = environment().get_template("report.md.j2")
    whole = in_one_list(report)
    text = template.render(
        report=report,
        sections=sections_shown(report, left_out),
        left_out=list(left_out),
        one_list=whole if REMARKS in left_out and IN_ONE_LIST not in left_out else "",
        has_remarks=bool(whole) and not {REMARKS, IN_ONE_LIST} <= set(left_out),
        has_doubts="**doubt**" in whole,
        unshown=_unshown(left_out),
        behind=behind,
        shares=_shares(report, left_out),
        site_is_elsewhere=site_links.is_elsewhere(report.get("site", "")),
    )
    return re.sub(r"\n{3,}", "\n\n", text.strip() + "\n")


def _shares(report, left_out):
    """Which shares of the machine's limit the page shows: any, above 100 %, kept back by doubt."""
    cells = [
        cell
        for section in report["sections"]
        for table in section["tables"]
        if not table["collapsed"] or table["title"] not in left_out
        for row in table["rows"]
        for column, cell in zip(table["columns"], row["cells"])
        if column.get("id") in SHARES
    ]
    values = [cell["value"] for cell in cells if cell["kind"] == "percent"]
    in_doubt = any(cell["text"] == IN_DOUBT for cell in cells)
    return {
        "shown": bool(values) or in_doubt,
        "above": any(value > 1 for value in values),
        "in_doubt": in_doubt,
    }


def _unshown(left_out):
    """Titles of what a reader finds nowhere on the page."""
    if IN_ONE_LIST in left_out:
        return [title for title in left_out if title != IN_ONE_LIST]
    return [title for title in left_out if title != REMARKS]
