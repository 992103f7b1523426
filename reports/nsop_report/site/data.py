"""What the charts of a page are drawn from."""

import re

from nsop_report.site import text


def of_case(case, known):
    """The numbers and texts of a case's strip, histories and sweep; `known`: ids of cases that have
    a page."""
    return {
        "strip": [_strip(row) for row in case["rows"] if row["invocations"]],
        "histories": [_history(row) for row in with_history(case)],
        "sweep": _sweep(case["sweep"], known),
        "gates": {gate["head"]: gate["id"] for gate in reversed(case["gates"]) if gate["known"]},
    }


def point_ids(row):
    """What names each point of a row's history in links: its run, so that a link is right when
    points are added or the oldest ones left out."""
    met, ids = {}, []
    for point in row["history"]["points"]:
        run = re.sub("[^A-Za-z0-9_-]", "_", text.clipped(point[3], 40))
        met[run] = met.get(run, 0) + 1
        ids.append(f"{row['id']}.run-{run}" + (f".{met[run]}" if met[run] > 1 else ""))
    return ids


def with_history(case):
    """The rows of a case whose history has more than one point."""
    return [row for row in case["rows"] if row["history"] and len(row["history"]["points"]) > 1]


def _strip(row):
    return {
        "id": row["id"],
        "who": text.clipped(row["who"]),
        "threads": row["threads"],
        "host": row["host"],
        "ours": row["ours"],
        "text": row["time"]["text"],
        "at": text.drawn(row["time"].get("value")),
        "interval": [text.drawn(end) for end in row["time"].get("interval") or []],
        "values": [text.drawn(value) for value in row["invocations"]],
    }


def _history(row):
    history = row["history"]
    points = history["points"]
    return {
        "id": row["id"],
        "ids": point_ids(row),
        "t": [int(point[0]) for point in points],
        "y": [text.drawn(point[1]) for point in points],
        "text": [point[2] for point in points],
        "date": [text.date(point[0]) for point in points],
        "run": [point[3] for point in points],
        "commit": [point[4] for point in points],
        "out": {at: point[5] for at, point in enumerate(points) if point[5]},
        "changes": history["changes"],
        "levels": [[first, last, text.drawn(ns)] for first, last, ns, *_ in history["levels"]],
    }


def _sweep(sweep, known):
    if not sweep:
        return None

    def point(x, ns, said, case, limit, size, limit_said):
        case = case if case in known else ""
        return [text.drawn(x), text.drawn(ns), said, case, text.drawn(limit), size, limit_said]

    series = [
        {
            "who": text.clipped(one["who"]),
            "threads": one["threads"],
            "host": one["host"],
            "points": [point(*values) for values in one["points"]],
        }
        for one in sweep["series"]
    ]
    return {**{key: sweep[key] for key in ("label", "x_ticks", "y_ticks")}, "series": series}


def _roofline_id(point):
    """What names a point in links: its case, and its row there."""
    return f"{point['case_id']}/{point.get('row') or text.clipped(point['who'], 80)}"


def of_rooflines(site):
    """The numbers of the rooflines; texts stand in the tables of the page."""
    return [
        {
            **{key: one[key] for key in ("x_label", "y_label", "x_ticks", "y_ticks")},
            "roofs": [
                {
                    "label": roof["label"],
                    **{key: [*map(text.drawn, roof[key])] for key in ("x", "y")},
                }
                for roof in one["roofs"]
            ],
            "id": f"{one['host']}-{one['threads']}",
            "ids": [_roofline_id(point) for point in one["points"]],
            "points": [
                [
                    text.drawn(point["x"]),
                    text.drawn(point["y"]),
                    int(point.get("ours", True)),
                    [text.drawn(end) for end in point["peer"]] if point["peer"] else None,
                ]
                for point in one["points"]
            ],
        }
        for one in site["rooflines"]
    ]


def charts_of_judge(site):
    """The charts of the judge; a model may have none."""
    return (site["judge"] or {}).get("charts", [])


def of_judge(site):
    """The numbers of the judge's charts, and the texts of their points."""
    keys = ("x_label", "y_label", "x_ticks", "y_ticks")
    return [
        {
            **{key: chart[key] for key in keys},
            "x_linear": chart.get("x_linear") is True,
            "series": [{key: one[key] for key in ("label", "points")} for one in chart["series"]],
        }
        for chart in charts_of_judge(site)
    ]


def of_gate(gate, known):
    """A gate with its rows as columns."""
    rows = gate["rows"]
    columns = {
        "case": [text.clipped(row["case"], text.LONGEST_SEARCHED) for row in rows],
        "case_id": [row["case_id"] if row["case_id"] in known.cases else "" for row in rows],
        "paired": [int(row["paired"]) for row in rows],
    }
    for key in "who threads verdict text note exact rounds".split():
        columns[key] = [row[key] for row in rows]
    for key in ("ratio", "lo", "hi"):
        columns[key] = [None if row[key] is None else round(row[key], 6) for row in rows]
    keys = "id title utc base head host headline outcome worth same"
    head = {key: gate[key] for key in keys.split()}
    return {**head, "rows": len(rows), "columns": columns}
