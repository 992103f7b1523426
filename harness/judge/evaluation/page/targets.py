"""What the judge must reach, beside what it reached. No target bends to a result: what was not
measured, or by fewer gates than asked, is said."""

from .. import binomial, distribution_score, gate_score
from .live_targets import of_live
from .verdict import all_of, bounded, by_interval, found_text, mostly, rarely, row, shown


def both_sessions(found):
    """What the second session and the control of discoveries leave, with bounds where strict."""
    parts = ", ".join(found_text(f["hits"], f["count"]) for f in found)
    rows = gate_score.ROWS
    return f" (both sessions, standing among {rows} rows at a false discovery rate of 5 %: {parts})"


def of_gate(gate, strict):
    one, confirmed = gate["first_session"], gate["confirmed"]
    nulls = one["effects"]["0"]
    false, count = nulls["worse"]["hits"] + nulls["better"]["hits"], nulls["same"]["count"]
    calm = sum(one["false_by_profile"][p]["hits"] for p in ("quiet", "lab"))
    yield row(
        "Gates: false verdicts at 0 %; on quiet and lab",
        "<= 0.2 %; 0",
        f"{bounded(false, count)}; {calm}",
        rarely(false, count, 0.002) if calm == 0 else False,
    )
    open_rows = nulls["inconclusive"]
    yield row(
        "Gates: inconclusive at 0 %",
        "<= 12 %",
        bounded(open_rows["hits"], open_rows["count"]),
        rarely(open_rows["hits"], open_rows["count"], 0.12),
    )
    least = {"2": 0.75, "5": 0.97, "10": 0.995}
    found = {e: one["effects"][e]["worse"] for e in least}
    after = [confirmed["effects"][e]["worse"] for e in least]
    shares = ", ".join(f"{f['percent']:.1f}" for f in after)
    both = f" (both sessions: {shares} %)"
    if strict:
        both = both_sessions(after)
    yield row(
        "Gates: found at +2, +5, +10 % in one session",
        ">= 75, 97, 99.5 %",
        ", ".join(found_text(f["hits"], f["count"]) for f in found.values()) + both,
        all_of([mostly(f["hits"], f["count"], least[e]) for e, f in found.items()]),
    )


def of_distributions(lines):
    """Heads that are slower now and then are never called the same; the unchanged one is no more
    often inconclusive than by the fastest repetition alone."""
    changed = [one for one in lines if one["head"] not in distribution_score.NULLS]
    same = sum(one["same"]["hits"] for one in changed)
    count = sum(one["same"]["count"] for one in changed)
    yield row(
        "Gates: slower now and then, called the same",
        "<= 0.2 %",
        bounded(same, count),
        rarely(same, count, 0.002),
    )
    for one in lines:
        if one["head"] not in distribution_score.NULLS:
            continue
        false = one["found"]["hits"] + one["better"]["hits"]
        yield row(
            f"Gates: {one['head']}, by all statistics: false verdicts",
            "<= 0.2 %",
            bounded(false, one["found"]["count"]),
            rarely(false, one["found"]["count"], 0.002),
        )
        if one["head"] == distribution_score.DELAYED:
            continue
        today, before = one["inconclusive"], one["inconclusive_by_fastest"]
        yield row(
            "Gates: unchanged, inconclusive, against the fastest repetition alone",
            "no more",
            f"{today['hits']} against {before['hits']} of {today['count']}",
            no_more(one, today["hits"] <= before["hits"]),
        )


def no_more(one, met):
    """Of rows that only one of two rules leaves open, at most half are today's: a sign test (Dixon
    & Mood 1946). Results of earlier versions don't tell these rows."""
    if "open_today_alone" not in one:
        return met
    today, before = one["open_today_alone"], one["open_by_fastest_alone"]
    return shown(met, binomial.at_most(today, today + before) <= 0.5 or today == 0)


def most_alarms(one):
    """Per 100 nights, the one-sided bound: by seeds, where those are kept."""
    if "interval" in one:
        return one["interval"]["at_most"]
    return 100 * binomial.at_most(one["false"], one["nights"])


def of_history(history, strict):
    levels, suspects, confirmed = (history[k] for k in ("levels", "suspects", "confirmed"))
    for what, one, most in (
        ("new levels", levels, 0.6),
        ("suspects with the newest night", suspects, 8),
        ("confirmed alerts", confirmed, 0.05),
    ):
        yield row(
            f"History: false per 100 nights, {what}",
            f"<= {most:g}",
            f"{one['false_per_100']:.3f} ({one['false']} in {one['nights']:,}; at most "
            f"{most_alarms(one):.2g})",
            shown(one["false"] <= most / 100 * one["nights"], most_alarms(one) <= most),
        )
    least = {"5": 0.75, "10": 0.92}
    found = {e: steps_found(levels["effects"][e]) for e in least}
    tripped = [suspects["effects"][e]["found_percent"] for e in least]
    yield row(
        "History: levels found at +5, +10 %",
        ">= 75, 92 %",
        ", ".join(found_text(*f) for f in found.values())
        + ("" if strict else f" (with the newest night: {tripped[0]:.1f}, {tripped[1]:.1f} %)"),
        all_of([mostly(*f, least[e]) for e, f in found.items()]),
    )
    yield delay_row(suspects["effects"]["10"], strict)
    gone = history["retractions"]
    yield row(
        "History: levels told that the last night's look at all nights lacks",
        "<= 20 %",
        bounded(gone["withdrawn"], gone["levels"]),
        rarely(gone["withdrawn"], gone["levels"], 0.2),
    )
    yield row(
        "History: alerts retracted when measured once more",
        "<= 2 %",
        bounded(gone["retracted"], gone["alerts"]),
        rarely(gone["retracted"], gone["alerts"], 0.02),
    )


def delay_row(one, strict):
    delay = one["median_delay_nights"]
    if not strict:
        return row("History: median delay at +10 %", "<= 2 nights", f"{delay:g}", delay <= 2)
    what = "History: median delay at +10 %, suspects with the newest night"
    if delay is None:
        return row(what, "<= 2 nights", "none found", False)
    low, high = one["delay_interval"]
    return row(what, "<= 2 nights", f"{delay:g} [{low:g}, {high:g}]", shown(delay <= 2, high <= 2))


def steps_found(effect):
    """(steps that were found, steps)."""
    return round(effect["found_percent"] * effect["steps"] / 100), effect["steps"]


def of_speed(speed):
    yield row(
        "Cost: change points of 72 histories of 500 nights",
        "<= 0.2 s",
        f"{speed['cpu_seconds']:.3f} s",
        speed["cpu_seconds"] <= 0.2,
    )


def rows(result):
    """[what, target, measured, met] of everything in a result."""
    strict = by_interval(result)
    found = [*of_gate(result["gate"], strict)]
    found += of_distributions(result.get("distributions", ()))
    found += of_history(result["history"], strict)
    if result.get("speed"):
        found += of_speed(result["speed"])
    if result.get("live"):
        found += of_live(result["live"], strict)
    else:
        found.append(row("Live: gates on a machine", "20 gates each", "-", "not measured"))
    return found


KINDS = ("missed", "met", "met by the estimate", "not measured", "inconclusive")


def kind(said):
    """Which of KINDS the last cell of a row says."""
    if said == "**missed**":
        return "missed"
    if said.startswith("met by"):
        return "met by the estimate"
    return said if said in KINDS else "inconclusive"


def headline(targets):
    """`7 met, 2 met by the estimate of 9 targets`: what the index of the reports says."""
    kinds = [kind(row[3]) for row in targets]
    counts = ", ".join(f"{kinds.count(one)} {one}" for one in KINDS if one in kinds)
    return f"{counts} of {len(kinds)} targets"


MOST_LINES = 5  # of unmet targets in the head; the table has all


def seeds_text(seeds):
    """`101 to 120`, or each where some between them are missing."""
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def unmet_lines(rows):
    """A line for each target that is not met: what was asked for, what was measured, and, where
    its cell says more than its kind, that."""
    found = []
    for wanted in (one for one in KINDS if one != "met"):
        for what, target, measured, said in rows:
            if kind(said) != wanted:
                continue
            more = "" if said.strip("*") == wanted else f" ({said})"
            name = wanted[0].upper() + wanted[1:]
            found.append(f'{name}: "{what}": {measured}; target: {target}{more}.')
    return found


def head(result, rows):
    """The lines of the head: the targets that are not met, then where what was measured."""
    unmet = unmet_lines(rows)
    found = unmet[:MOST_LINES]
    if len(unmet) > MOST_LINES:
        found.append(f"And {len(unmet) - MOST_LINES} more that are not met, in the table below.")
    gate, history = result["gate"], result["history"]
    found.append(
        f"Drawn: {gate['cases']:,} rows of gates and {history['series']:,} histories, seeds "
        f"{seeds_text(result['seeds'])}."
    )
    live = result.get("live")
    found.append(machine_line(live) if live else "No gate on a machine is measured.")
    return found


def machine_line(live):
    """Where and when gates ran, and how much rows swing there."""
    nulls = live["nulls"]
    line = (
        f"On a machine: {live['cpu']}, {live['cpus']} CPUs; commit {nulls['commit']}, "
        f"{nulls['day']}, {nulls['gates']} gates of it against itself."
    )
    deviations = [row["sd_percent"] for row in nulls.get("rows", [])]
    if not deviations:
        return line
    return f"{line} Noise: paired SD of a row {min(deviations):.1f} to {max(deviations):.1f} %."
