"""A gate's report as a pull request's comment, JUnit XML or annotations. No number is made here.

The texts come from the model; this places them and keeps within the limits of the places.
"""

import re
from xml.sax.saxutils import escape as xml_text
from xml.sax.saxutils import quoteattr

from nsop_report import escape, render, site_links
from nsop_report.earlier import pushes
from nsop_report.errors import BAD_DATA, ReportError
from nsop_report.model import KINDS

SCHEMA = "nsop.gate-report/1"
COMMENT_CHARACTERS = 60_000  # GitHub refuses comments above 65,536
SUMMARY_CHARACTERS = 900_000  # and drops step summaries above 1 MiB
# Of a commit's status, by the kind of the verdict.
STATES = {"passed": "success", "worse": "failure", "inconclusive": "pending", "error": "error"}
MOST_ANNOTATIONS = 5  # of each kind; GitHub shows ten per step
MARKER = "<!-- nsop:gate -->"  # finds the comment to edit; marker_of() with a name
CUT_ORDER = ("all", "new", "better", "inconclusive", "unjudged", "declared", "worse")  # first to go


def checked(report, where):
    """`report` itself if it is a sound nsop.gate-report/1. Raises ReportError (bad data)."""
    try:
        _check(report)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ReportError(BAD_DATA, f"{where}: no sound {SCHEMA}: {error!r}") from error
    return report


def _check(report):
    if report["schema"] != SCHEMA:
        raise KeyError("schema")
    texts = [report["verdict"]["kind"], report["verdict"]["headline"], report["command"]]
    texts += [report["counts"], report["rule"], report["head_commit"], *report["warnings"]]
    texts += [span[key] for span in report["equality"] for key in ("kind", "text")]
    texts += [item[key] for item in report["footer"] for key in ("label", "text")]
    tables = [group["table"] for group in report["groups"]] + [report["all"], report["families"]]
    for group in report["groups"]:
        texts.append(group["title"])
        if group["id"] not in CUT_ORDER:
            raise KeyError(f"unknown group {group['id']}")
    for table in tables:
        texts += [column["label"] for column in table["columns"]]
        for row in table["rows"]:
            texts += [cell["text"] for cell in row["cells"]]
            if any(cell["kind"] not in KINDS for cell in row["cells"]):
                raise KeyError("kind of cell")
            if len(row["cells"]) != len(table["columns"]):
                raise IndexError("cells and columns")
    texts += report["forest"]
    if report["advice"] is not None:
        texts += [report["advice"]["who"], report["advice"]["declare"]]
        texts += report["advice"]["reproduce"]
        if not isinstance(report["advice"]["left_out"], int):
            raise TypeError("expected a number")
    for test in report["tests"]:
        texts += [test[key] for key in ("class", "name", "status", "message")]
        texts += [text for pair in test["properties"] for text in pair]
    for one in report["annotations"]:
        texts += [one[key] for key in ("level", "file", "title", "message")]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("expected text")
    if not site_links.is_site(report.get("site", "site")):
        raise KeyError("site")


def marker_of(name):
    """The first line of the comment of the gate with this name."""
    return MARKER.replace(" -->", f" {name} -->") if name else MARKER


def _rendered(report, limits, marker, links=(), earlier=()):
    template = render.environment().get_template("gate.md.j2")
    text = template.render(
        report=report, limits=limits, marker=marker, links=links, earlier=earlier, block=_block
    )
    return re.sub(r"\n{3,}", "\n\n", text.strip() + "\n")


def _block(lines):
    """A fenced block that no line of it ends."""
    text = "\n".join(escape.clean(line) for line in lines)
    return "```\n" + text.replace("```", "'" * 3).replace("<!--", "<! --") + "\n```"


def _fits(text, most):
    return len(text) <= most and len(text.encode("utf-8")) <= 4 * most


def _most_rows(rendered, limits, name, most):
    """The most rows of this list with which the report fits; 0 if it doesn't without any."""

    def fits(rows):
        return _fits(rendered({**limits, name: rows}), most)

    if not fits(0):
        return 0
    low, high = 0, limits.get(name, 0)  # it lies in [low, high]
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def markdown(report, most=COMMENT_CHARACTERS, name="", links=(), earlier=""):
    """The report, at most `most` characters long: lists are cut in CUT_ORDER, and it says so.

    links: [(name, URL)]; earlier: the comment that this one replaces.
    """

    def rendered(limits):
        return _rendered(report, limits, marker, links, before)

    report = site_links.linked_gate(report)
    marker = marker_of(name)
    before = pushes(earlier, report["head_commit"])
    sizes = {group["id"]: len(group["table"]["rows"]) for group in report["groups"]}
    sizes["all"] = len(report["all"]["rows"])
    limits = dict(sizes)
    text = rendered(limits)
    for group in CUT_ORDER:
        if _fits(text, most):
            return text
        limits[group] = _most_rows(rendered, limits, group, most)
        text = rendered(limits)
    if not _fits(text, most):
        text = text[: most - 40].rsplit("\n", 1)[0] + "\n\nCut here: too long.\n"
    return text


def _attribute(text):
    return quoteattr(escape.clean(text))


def _test_case(test):
    lines = [f'<testcase classname={_attribute(test["class"])} name={_attribute(test["name"])}>']
    lines.append("<properties>")
    for name, value in test["properties"]:
        lines.append(f"<property name={_attribute(name)} value={_attribute(value)}/>")
    lines.append("</properties>")
    if test["status"] in ("failure", "error", "skipped"):
        message = _attribute(test["message"])
        body = xml_text(escape.clean(test["message"]))
        lines.append(f'<{test["status"]} message={message}>{body}</{test["status"]}>')
    lines.append("</testcase>")
    return "\n".join(lines)


def junit(report):
    """JUnit XML: a test case per row; worse is a failure, crashed or lost an error."""
    counts = {status: 0 for status in ("failure", "error", "skipped")}
    for test in report["tests"]:
        if test["status"] in counts:
            counts[test["status"]] += 1
    head = (
        f'<testsuite name="nsop gate" tests="{len(report["tests"])}" '
        f'failures="{counts["failure"]}" errors="{counts["error"]}" '
        f'skipped="{counts["skipped"]}">'
    )
    cases = "\n".join(_test_case(test) for test in report["tests"])
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head, cases]
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def _command_text(text, is_property):
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text


def _workflow_command(level, file, title, message):
    properties = [f"title={_command_text(title, True)}"]
    if file:
        properties.insert(0, f"file={_command_text(file, True)}")
    return f"::{level} {','.join(properties)}::{_command_text(message, False)}"


def annotations(report):
    """Workflow commands of GitHub: five of each kind, and one that counts the others."""
    lines = []
    for level in ("error", "warning", "notice"):
        ours = [one for one in report["annotations"] if one["level"] == level]
        for one in ours[:MOST_ANNOTATIONS]:
            texts = [escape.clean(one[key]) for key in ("file", "title", "message")]
            lines.append(_workflow_command(level, *texts))
        if len(ours) > MOST_ANNOTATIONS:
            more = f"{len(ours) - MOST_ANNOTATIONS} more; the report has all of them"
            lines.append(_workflow_command(level, "", "nsop", more))
    return "".join(line + "\n" for line in lines)


def status(report):
    """A state and the headline: what a check of a commit shows. Green is for a verdict only."""
    state = STATES.get(report["verdict"]["kind"], "error")
    headline = " ".join(escape.clean(report["verdict"]["headline"]).split())
    return f"{state} {headline}\n"


FORMATS = {
    "pull-request": markdown,
    "step-summary": lambda report: markdown(report, SUMMARY_CHARACTERS),
    "junit": junit,
    "github": annotations,
    "status": status,
}
