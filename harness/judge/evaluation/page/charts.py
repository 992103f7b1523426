"""What the site draws of the scores (docs/site.md): rates with intervals, texts included."""

from .. import binomial
from . import tables, targets

EFFECTS = (0, 1, 2, 5, 10)  # per cent; both axes are linear
SHARES = [[value, f"{value} %"] for value in (0, 25, 50, 75, 100)]
CONFIDENCE = "Bars are 95 % intervals (Clopper and Pearson)."


def of(result):
    """The charts of a result; fewer where it has no such part."""
    charts = [gate_chart(result), history_chart(result)]
    live = result.get("live") or {}
    if live.get("nulls", {}).get("rows"):
        charts.append(nulls_chart(live))
    return charts


def point(x, hits, count, said):
    """[x, y, low, high, text], shares in per cent."""
    low, high = binomial.interval(hits, count)
    shares = [round(100 * value, 3) for value in (hits / count if count else 0, low, high)]
    return [
        x,
        *shares,
        f"{said}: {shares[0]:.1f} % [{shares[1]:.1f}, {shares[2]:.1f}], {hits} of {count}",
    ]


def changes(values):
    return [[value, f"+{value} %" if value else "0 %"] for value in values]


def gate_chart(result):
    series = [
        {"label": f"drawn: {name}", "points": [found_point(scored, one) for one in EFFECTS]}
        for name, scored in tables.gate_rules(result["gate"])
    ]
    measured = live_points(result.get("live") or {})
    if measured:
        series.append({"label": "on a machine: nsop, confirmed", "points": measured})
    return {
        "title": "What a gate finds",
        "conclusion": "Rows called slower, by how much slower they are; at 0 %, rows called slower "
        f"or faster that did not change. {CONFIDENCE}",
        "x_label": "true change of the time",
        "y_label": "rows called",
        "x_ticks": changes(EFFECTS),
        "y_ticks": SHARES,
        "x_linear": True,
        "series": series,
    }


def found_point(scored, effect):
    one = scored["effects"][str(effect)]
    hits = one["worse"]["hits"] + (one["better"]["hits"] if effect == 0 else 0)
    said = f"+{effect} %" if effect else "unchanged"
    return point(effect, hits, one["worse"]["count"], said)


def live_points(live):
    """Rows that gates on a machine judged, by the true change that was measured of each."""
    found = []
    for effect in live.get("effects", []):
        for row in effect["rows"]:
            if row["true_percent"]:
                true = row["true_percent"][0]
                said = f"{row['case']}, +{true:.1f} %"
                found.append(point(true, row["verdicts"].get("worse", 0), row["gates"], said))
    return sorted(found)


def history_chart(result):
    history = result["history"]
    names = {
        "new levels": "levels",
        "newest night alone": "tripwire",
        "suspects with the newest night": "suspects",
        "confirmed alerts": "confirmed",
    }
    series = [
        {"label": name, "points": [step_point(history[key], one) for one in EFFECTS[1:]]}
        for name, key in names.items()
        if key in history
    ]
    return {
        "title": "What a history finds",
        "conclusion": "Changes that are told within 30 nights, by how much slower the code became. "
        f"{CONFIDENCE}",
        "x_label": "true change of the time",
        "y_label": "changes found",
        "x_ticks": changes(EFFECTS[1:]),
        "y_ticks": SHARES,
        "x_linear": True,
        "series": series,
    }


def step_point(scored, effect):
    found, steps = targets.steps_found(scored["effects"][str(effect)])
    return point(effect, found, steps, f"+{effect} %")


def nulls_chart(live):
    points = []
    for row in live["nulls"]["rows"]:
        said = row["verdicts"]
        name = f"{row['case']}, SD {row['sd_percent']:.1f} %"
        points.append(
            point(row["sd_percent"], said.get("inconclusive", 0), sum(said.values()), name)
        )
    most = max(x for x, *_ in points)
    ticks = [value for value in (0, 2, 5, 10, 15, 20, 30, 50) if value <= most * 1.2]
    return {
        "title": "What stays open on a machine where nothing changed",
        "conclusion": "Gates that left a row inconclusive, by the row's noise between rounds. "
        f"{CONFIDENCE}",
        "x_label": "paired SD of the row",
        "y_label": "inconclusive gates",
        "x_ticks": [[value, f"{value} %"] for value in ticks],
        "y_ticks": SHARES,
        "x_linear": True,
        "series": [
            {"label": "rows of gates of one commit against itself", "points": sorted(points)}
        ],
    }
