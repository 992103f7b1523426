"""Rows of the table of all rows, as HTML."""

from markupsafe import Markup, escape

from nsop_report.site import data, index
from nsop_report.site.text import clipped, date, name

# Key (of the index and of the URL), head, paragraph of Method.
COLUMNS = [
    ("case", "Case", "case"),
    ("who", "Variant", "variant"),
    ("threads", "Threads", "threads"),
    ("host", "Machine", "machine"),
    ("time", "Time", "time"),
    ("peer", "Best peer", "peer"),
    ("gap", "Against it", "gap"),
    ("limit", "Limit", "limit"),
    ("bound", "Bound", "bound"),
    ("recoverable", "Recoverable", "recoverable"),
    ("allocs", "Allocations", "allocs"),
    ("history", "History", "history"),
]
_BLANK = Markup("<td></td>")


def html(case, row, cells):
    """One row, for a page without scripts."""
    where = f"{cells.root}case/{case['id']}.html#{row['id']}"
    peer = name(row["peer_name"]) if row["peer_name"] else ""
    change = index.last_change(row["history"])
    changed = ""
    if change["text"]:
        changed = cells.badge(change["verdict"]) + " " + escape(change["text"])
    parts = [
        Markup('<th scope=row><a href="%s">%s</a> <small>%s</small></th>')
        % (where, name(case["title"]), name(case["case"])),
        Markup("<td>%s</td><td class=n>%s</td><td>%s</td>")
        % (name(row["who"]), row["threads"], row["host"]),
        cells.td(row["time"]),
        Markup("<td>%s</td>") % peer,
        cells.td(row["peer"]),
        cells.td(row["limit"]),
        Markup("<td>%s</td>") % name(row["bound"]),
        cells.td(row["recoverable"]),
        cells.td(row["allocs"]),
        Markup("<td>%s</td>") % changed if changed else _BLANK,
    ]
    return Markup("<tr>") + Markup("").join(parts) + Markup("</tr>")


def points(row, newest, cells):
    """The rows of a table of points: those of a history, or only so many of the newest. A point
    where the level changed has an id, which links lead to."""
    history, ids = row["history"], data.point_ids(row)
    changed = {change["at"] for change in history["changes"]}
    start = max(0, len(history["points"]) - newest) if newest else 0
    made = []
    for at, (seconds, _, said, run, commit, why, *_) in enumerate(history["points"][start:], start):
        ident = f' id="{ids[at]}"' if at in changed else ""
        made.append(
            f"<tr{ident}><td>{date(seconds)}</td><td class=n>{cells.doubted(said)}</td>"
            f"<td>{escape(clipped(run))}</td><td>{escape(clipped(commit))}</td>"
            f"<td>{escape(why)}</td></tr>"
        )
    return Markup("\n".join(made))
