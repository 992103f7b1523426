"""Rows of the tables of drawn and recorded measurements. Results of earlier versions lack some of
them: then there is no such table."""

from .. import binomial, distribution_score, gate_score, history_score
from . import targets
from .verdict import bounded


def percent(share):
    """One decimal, so that 99.8 % never reads as all of them."""
    return f"{share:.1f} %"


def share(hits, count):
    """The share with its exact 95 % interval: `79.7 % [75.6, 83.3]`."""
    if not count:
        return "-"
    low, high = binomial.interval(hits, count)
    return f"{percent(100 * hits / count)} [{100 * low:.1f}, {100 * high:.1f}]"


def gate_row(name, scored):
    effects = scored["effects"]

    def found(effect):
        one = effects[effect]["better" if float(effect) < 0 else "worse"]
        return share(one["hits"], one["count"])

    nulls = effects["0"]
    false, count = nulls["worse"]["hits"] + nulls["better"]["hits"], nulls["same"]["count"]
    return [
        name,
        bounded(false, count),
        share(nulls["inconclusive"]["hits"], nulls["inconclusive"]["count"]),
        *map(found, ("1", "2", "5", "10", "-5")),
    ]


def gate_rules(gate):
    yield "nsop, one session", gate["first_session"]
    yield "nsop, confirmed", gate["confirmed"]
    yield "nsop, one session, --layouts 10", gate["link_orders"]
    yield from gate["others"].items()


def rate(scored):
    """False alarms per 100 nights, with the interval by seeds where that is kept."""
    bounds = scored.get("interval")
    known = f" [{bounds['low']:.2f}, {bounds['high']:.2f}]" if bounds else ""
    return f"{scored['false_per_100']:.2f}{known} ({scored['false']} in {scored['nights']:,})"


def found_cell(one):
    """The share of steps found, and after how many nights."""
    late, bounds = late_cell(one), (one or {}).get("delay_interval")
    return f"{late} [{bounds[0]:g}, {bounds[1]:g}]" if bounds else late


def late_cell(one):
    """The same without the delay's interval."""
    if not one:
        return "-"
    delay = one["median_delay_nights"]
    return share(*targets.steps_found(one)) + (f", {delay:g} n." if delay else "")


STEPS = ("2", "5", "10", "-5")


def found_cells(scored):
    return [found_cell(scored["effects"].get(effect)) for effect in STEPS]


def of_suite(scored):
    """False alarms of a night of a whole suite."""
    bounds, rows = scored["interval"], gate_score.ROWS / 100
    low, high = bounds["low"] * rows, bounds["high"] * rows
    return f"{scored['false_per_100'] * rows:.2f} [{low:.2f}, {high:.2f}]"


def has_kinds(history):
    """Results of earlier versions have no figures by kind of machine."""
    return "by_profile" in history


def history_row(name, scored):
    suite = [of_suite(scored)] if "interval" in scored else []
    return [name, rate(scored), *suite, *found_cells(scored)]


def kind_row(name, scored):
    """Of a table by kind: rates of one row and intervals of delays have the table of all kinds."""
    cells = [late_cell(scored["effects"].get(effect)) for effect in STEPS]
    return [name, of_suite(scored), *cells]


def history_rules(history):
    yield "nsop, new levels", history["levels"]
    if has_kinds(history):
        yield "nsop, newest night alone", history["tripwire"]
    yield "nsop, suspects with the newest night", history["suspects"]
    yield "nsop, confirmed alerts", history["confirmed"]
    yield from history["others"].items()


def suite_text(history):
    """What the rates of one row mean for the nights of a whole suite."""
    rows = gate_score.ROWS
    if has_kinds(history):
        return (
            f"Rates are those of one row, and of a night of a suite of {rows}: so many suspects "
            "are measured again. Their intervals are by seed."
        )
    nightly = rows * history["suspects"]["false_per_100"] / 100
    levels = rows * history["levels"]["false_per_100"] / 100
    return (
        f"The rates are those of one row. A suite of {rows} such rows raises {nightly:.1f} false "
        f"suspects a night, {levels:.1f} of them new levels: so many are measured again."
    )


def of_share(one):
    return share(one["hits"], one["count"])


def gate_kinds(gate):
    """[kind, false and inconclusive where nothing changed, found by one session, by both]."""
    one, both = gate["first_session"], gate["confirmed"]
    for kind, found in one.get("found_by_profile", {}).items():
        confirmed = both["found_by_profile"][kind]
        yield [
            kind,
            of_share(one["false_by_profile"][kind]),
            of_share(one["inconclusive_by_profile"][kind]),
            *(of_share(found[effect]) for effect in ("2", "5", "10")),
            *(of_share(confirmed[effect]) for effect in ("2", "5")),
        ]


def distribution_kinds(lines):
    """[kind, same where something changed, found, confirmed, and where nothing did: false]."""
    lines = [one for one in lines if "found_by_profile" in one]
    changed = [one for one in lines if one["head"] not in distribution_score.NULLS]
    nulls = [one for one in lines if one["head"] in distribution_score.NULLS]

    def cell(of, key, kind):
        parts = [one[key][kind] for one in of]
        return share(sum(p["hits"] for p in parts), sum(p["count"] for p in parts))

    for kind in changed[0]["found_by_profile"] if changed else ():
        keys = "same_by_profile", "found_by_profile", "confirmed_by_profile"
        yield [
            kind,
            *(cell(changed, key, kind) for key in keys),
            cell(nulls, "found_by_profile", kind),
        ]


def open_rows(gate, live):
    """[where, inconclusive where nothing changed]: what was drawn beside what ran on a machine."""
    if "found_by_profile" not in gate["first_session"]:
        return
    drawn = gate["first_session"]["effects"]["0"]["inconclusive"]
    yield ["drawn, all kinds of machines", of_share(drawn)]
    if live:
        nulls = live["nulls"]
        yield ["on a machine, all rows", share(nulls["inconclusive"], nulls["judged"])]
        yield [
            "on a machine, paired SD of at most 2 %",
            share(nulls["quiet_inconclusive"], nulls["quiet"]),
        ]


def points(history):
    """A table for each operating point: (name, [[kind, false of a suite, found...]])."""
    for point, kinds in history.get("by_profile", {}).items():
        rows = [kind_row(kind, scored) for kind, scored in kinds.items()]
        yield history_score.POINT_NAMES[point], [*rows, kind_row("all", history[point])]


def compared_rows(history):
    """[rule, rate, of a suite, found...] of ours and of what others ship, on the same series."""
    compared = history.get("compared")
    if not compared:
        return
    for point, scored in compared["ours"].items():
        yield history_row(f"nsop, {history_score.POINT_NAMES[point]}", scored)
    for rule, scored in compared["others"].items():
        yield history_row(rule, scored)


def independent_gates(gate):
    """[generator, rule, false, inconclusive, found at +2, +5, +10, -5 %]."""
    for kind in gate["first_session"]["found_by_profile"]:
        for rule, scored in gate_rules(gate):
            found = scored["found_by_profile"][kind]
            yield [
                kind,
                rule,
                of_share(scored["false_by_profile"][kind]),
                of_share(scored["inconclusive_by_profile"][kind]),
                *(of_share(found[effect]) for effect in STEPS),
            ]


def independent(result):
    """Tables of the generators that share nothing with the first one; None where there are none."""
    scores = result.get("independent")
    if not scores:
        return None
    gate, history = scores["gate"], scores["history"]
    return {
        "cases": f"{gate['cases']:,}",
        "series": f"{history['series']:,}",
        "gates": list(independent_gates(gate)),
        "points": list(points(history)),
        "compared": list(compared_rows(history)),
        "compared_series": f"{history['compared']['series']:,}",
    }


def neighbours(result):
    """`0.02 +/- 0.03 (design inter, 184 pairs)`: how a round correlates with the next."""
    return [
        f"{one['mean']:.2f} +/- {one['half']:.2f} (design {one['design']}, {one['pairs']} pairs)"
        for one in result.get("neighbours", ())
    ]


def recording_rows(recordings):
    """[recording, rule, verdicts]; the rule is left out of results that have ours alone."""
    for one in recordings:
        rule = [one["rule"]] if "rule" in one else []
        counts = [one.get(v, 0) for v in ("same", "inconclusive", "worse", "better")]
        yield [one["recording"], *rule, *counts]


def public_rows(public):
    """[rule, told of the recording as it is, found of steps that were put into it]."""
    for rule, scored in public["rules"].items():
        cells = []
        for effect in STEPS:
            one = scored["effects"][effect]
            hits, count = targets.steps_found(one)
            delay = one["median_delay_nights"]
            cells.append(f"{hits} of {count}" + (f", {delay:g} n." if delay else ""))
        yield [rule, scored["told"], *cells]
