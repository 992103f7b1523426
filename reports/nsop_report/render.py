"""A checked report to Markdown. Templates place texts; no number is computed or formatted here."""

import functools
import os
import re

import jinja2

from nsop_report import escape, files

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")
REMARKS = "Remarks on rows: what they lack, doubts"
_FAILED = ("wrong", "error", "timeout", "lost")  # said first, and never folded away


def plot_name(report, plot):
    """The file name of a plot beside the Markdown."""
    return f"{files.slug(report['name'])}-{plot['id']}.svg"


def grouped_notes(section):
    """Notes of all rows of a section, equal ones once: [{kind, text, who: [names], failed}].

    In the order of the rows.
    """
    groups = {}
    for table in section["tables"]:
        for row in table["rows"]:
            for note in row["notes"]:
                who = f"{row['label']} ({note['who']})"
                names = groups.setdefault((note["kind"], note["text"]), [])
                if who not in names:
                    names.append(who)
    return [
        {"kind": kind, "text": text, "who": who, "failed": kind in _FAILED}
        for (kind, text), who in groups.items()
    ]


def summaries_last(report):
    """The sections as they are shown: the rows, then what is said over all rows."""
    return sorted(report["sections"], key=lambda section: bool(section.get("summary")))


def environment():
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    env.filters.update(
        md=escape.markdown, prose=escape.prose, code=escape.code, code_cell=escape.code_cell
    )
    env.globals.update(
        plot_name=plot_name,
        grouped_notes=grouped_notes,
        summaries_last=summaries_last,
        remarks_title=REMARKS,
    )
    return env


def remarks(section):
    """What rows of a section lack and why they are in doubt, as a list; may be empty."""
    text = _tables().remarks(section).strip()
    return text + "\n" if text else ""


@functools.cache
def _tables():
    return environment().get_template("_tables.md.j2").module


def markdown(report, left_out=(), behind=0):
    """The report as Markdown text with a final newline.

    left_out: titles of folded parts that are not shown; behind: commits that the report is older
    than the newest one beside it.
    """
    template = environment().get_template("report.md.j2")
    text = template.render(report=report, left_out=list(left_out), behind=behind).strip() + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)
