"""What the judge must reach, beside what it reached. No target bends to a result: what was not
measured, or by fewer gates than asked, is said."""

from .. import binomial, distribution_score, live_score

LIVE_GATES = 20


def row(what, wanted, measured, met):
    """`met`: True, False, or a text why nothing can be said."""
    said = {True: "met", False: "**missed**"}.get(met, met)
    return [what, wanted, measured, said]


def shown(met, met_surely):
    """Missed by the estimate, met where the bound of its interval is on the good side as well."""
    if not met:
        return False
    return True if met_surely else "met by the estimate, not shown by so few"


def rarely(hits, count, most):
    """Of something that shall happen in a share of `most` at most."""
    return shown(hits <= most * count, binomial.at_most(hits, count) <= most)


def mostly(hits, count, least):
    """Of something that shall happen in a share of `least` at least."""
    return shown(hits >= least * count, binomial.at_least(hits, count) >= least)


def bounded(hits, count):
    """`0.0 % (0 of 440; at most 0.68 %)`, with the one-sided 95 % bound."""
    most = 100 * binomial.at_most(hits, count)
    share = 100 * hits / count if count else 0
    return f"{share:.1f} % ({hits} of {count}; at most {most:.2g} %)"


def all_of(results):
    """Of several: missed if one is, met if all are, else what keeps one from it."""
    if False in results:
        return False
    return next((result for result in results if result is not True), True)


def of_gate(gate):
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
    after = [confirmed["effects"][e]["worse"]["percent"] for e in least]
    yield row(
        "Gates: found at +2, +5, +10 % in one session",
        ">= 75, 97, 99.5 %",
        ", ".join(found_text(f["hits"], f["count"]) for f in found.values())
        + " (both sessions: "
        + ", ".join(f"{f:.1f}" for f in after)
        + " %)",
        all_of([mostly(f["hits"], f["count"], least[e]) for e, f in found.items()]),
    )


def found_text(hits, count):
    """`79.7 % (at least 77.2 %)`, with the one-sided 95 % bound."""
    return f"{100 * hits / count:.1f} % (at least {100 * binomial.at_least(hits, count):.1f} %)"


def of_distributions(lines):
    """Heads that are slower now and then are never called the same; the unchanged one is no more
    often inconclusive than by the fastest repetition alone."""
    changed = [one for one in lines if one["head"] != distribution_score.UNCHANGED]
    same = sum(one["same"]["hits"] for one in changed)
    count = sum(one["same"]["count"] for one in changed)
    yield row(
        "Gates: slower now and then, called the same",
        "<= 0.2 %",
        bounded(same, count),
        rarely(same, count, 0.002),
    )
    for one in lines:
        if one["head"] != distribution_score.UNCHANGED:
            continue
        false = one["found"]["hits"] + one["better"]["hits"]
        yield row(
            "Gates: unchanged, by both statistics: false verdicts",
            "<= 0.2 %",
            bounded(false, one["found"]["count"]),
            rarely(false, one["found"]["count"], 0.002),
        )
        today, before = one["inconclusive"], one["inconclusive_by_fastest"]
        yield row(
            "Gates: unchanged, inconclusive, against the fastest repetition alone",
            "no more",
            f"{today['hits']} against {before['hits']} of {today['count']}",
            today["hits"] <= before["hits"],
        )


def of_history(history):
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
            f"{100 * binomial.at_most(one['false'], one['nights']):.2g})",
            rarely(one["false"], one["nights"], most / 100),
        )
    least = {"5": 0.75, "10": 0.92}
    found = {e: steps_found(levels["effects"][e]) for e in least}
    tripped = [suspects["effects"][e]["found_percent"] for e in least]
    yield row(
        "History: levels found at +5, +10 %",
        ">= 75, 92 %",
        ", ".join(found_text(*f) for f in found.values())
        + f" (with the newest night: {tripped[0]:.1f}, {tripped[1]:.1f} %)",
        all_of([mostly(*f, least[e]) for e, f in found.items()]),
    )
    delay = suspects["effects"]["10"]["median_delay_nights"]
    yield row("History: median delay at +10 %", "<= 2 nights", f"{delay:g}", delay <= 2)
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


def steps_found(effect):
    """(steps that were found, steps)."""
    return round(effect["found_percent"] * effect["steps"] / 100), effect["steps"]


def enough(gates, met):
    """A verdict only from as many gates that say anything of it as the target speaks of, unless it
    is missed already."""
    if gates >= LIVE_GATES or met is False:
        return met
    return f"{gates} of {LIVE_GATES} gates measured" + (": met so far" if met else "")


def of_live(live):
    nulls = live["nulls"]
    gates = live_score.judged_gates(nulls)
    yield row(
        "Live, itself: wrong verdicts",
        "<= 1 in 20 gates x all rows",
        f"{bounded(nulls['wrong'], nulls['judged'])} in {nulls['gates']} gates",
        enough(gates, nulls["wrong"] <= 1),
    )
    if nulls["quiet"]:
        share = 100 * nulls["quiet_inconclusive"] / nulls["quiet"]
        yield row(
            "Live, itself: inconclusive where the paired SD is <= 2 %",
            "<= 30 %",
            f"{bounded(nulls['quiet_inconclusive'], nulls['quiet'])}; over all rows "
            f"{bounded(nulls['inconclusive'], nulls['judged'])}",
            enough(gates, share <= 30),
        )
    effects = {effect["built_percent"]: effect for effect in live["effects"]}
    for percent, of_effect in ((5, of_five), (2, of_two)):
        if percent in effects:
            yield from of_effect(effects[percent])
        else:
            yield row(f"Live, +{percent} %", "20 gates", "-", "not measured")
    for one in live.get("distributions", ()):
        asked = live_score.judged_gates(one)
        same = one["verdicts"].get("same", 0)
        yield row(
            f"Live, {one['what']}: called the same",
            "never in 20 gates",
            f"{same} of {asked}",
            enough(asked, same == 0),
        )
    if live["cost"]:
        cost = live["cost"]
        yield row(
            "Cost: a gate of 72 rows",
            "<= 2 min of measuring",
            f"{cost['rows']} rows in {cost['seconds']:.0f} s",
            cost["seconds"] <= 120 if cost["rows"] >= 72 else "fewer rows",
        )


def of_five(effect):
    gates = effect["gates"]
    true = [r for r in effect["rows"] if r["true_percent"]]
    if not true:
        yield row("Live, +5 %", "20 gates", f"{gates} gates", "not calibrated")
        return
    large = [r for r in true if r["true_percent"][0] >= 4]
    same = sum(r["verdicts"].get("same", 0) for r in large)
    judged = sum(r["gates"] for r in large)
    yield row(
        "Live, +5 %: called the same, where the true change is 4 % or more",
        "never",
        f"{same} of {judged} in {gates} gates",
        enough(judged, same == 0) if judged else "no row was",
    )
    about = [r for r in true if live_score.is_about(r, 5)]
    quiet = sum(r["quiet"] for r in about)
    quiet_named = sum(r["quiet_named_alone"] for r in about)
    noisy = sum(r["gates"] for r in about) - quiet
    noisy_named = sum(r["named_alone"] for r in about) - quiet_named
    most = effect.get("most_rounds", 20)
    for where, named, asked in (
        ("where the paired SD is <= 2 %", quiet_named, quiet),
        (f"where it is more, by {most} rounds at most", noisy_named, noisy),
    ):
        yield row(
            f"Live, +5 %: exit 1 names that row and no other op, {where}",
            ">= 18 of 20",
            f"{named} of {asked}" + (f" ({100 * named / asked:.0f} %)" if asked else ""),
            enough(asked, named >= 0.9 * asked) if asked else "no row was",
        )


def of_two(effect):
    claims = [r["same_below_truth"] for r in effect["rows"]]
    known = [c for c in claims if c is not None]
    judged = sum(r["gates"] for r in effect["rows"] if r["same_below_truth"] is not None)
    yield row(
        "Live, +2 %: the same, with a claim below the true effect",
        "<= 1 of 20",
        f"{sum(known)} of {judged} in {effect['gates']} gates" if known else "not calibrated",
        enough(judged, sum(known) <= 0.05 * judged) if known else "not calibrated",
    )


def of_speed(speed):
    yield row(
        "Cost: change points of 72 histories of 500 nights",
        "<= 0.2 s",
        f"{speed['cpu_seconds']:.3f} s",
        speed["cpu_seconds"] <= 0.2,
    )


def rows(result):
    """[what, target, measured, met] of everything in a result."""
    found = [*of_gate(result["gate"]), *of_distributions(result.get("distributions", ()))]
    found += of_history(result["history"])
    if result.get("speed"):
        found += of_speed(result["speed"])
    if result.get("live"):
        found += of_live(result["live"])
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


MOST_LINES = 7  # of unmet targets in the head; the table has all


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
