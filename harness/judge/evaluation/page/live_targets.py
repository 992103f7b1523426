"""What gates on a machine must reach."""

from .. import live_score
from .verdict import bounded, mostly, rarely, row, shown

LIVE_GATES = 20


def enough(gates, met):
    """A verdict only from as many gates that say anything of it as the target speaks of, unless it
    is missed already."""
    if gates >= LIVE_GATES or met is False:
        return met
    return f"{gates} of {LIVE_GATES} gates measured" + (": met so far" if met else "")


def seldom(hits, count, most, strict):
    """Of gates on a machine: by the interval, or, as earlier versions did, by the estimate."""
    return rarely(hits, count, most) if strict else hits <= most * count


def often(hits, count, least, strict):
    return mostly(hits, count, least) if strict else hits >= least * count


def never(hits, strict):
    """No number of gates shows that something never happens."""
    return shown(hits == 0, not strict)


def wrong_met(nulls, strict):
    """At most one wrong verdict in 20 gates of all rows."""
    rows = nulls["judged"] / max(live_score.judged_gates(nulls), 1)
    if not strict:
        return nulls["wrong"] <= 1
    return rarely(nulls["wrong"], nulls["judged"], 1 / (LIVE_GATES * max(rows, 1)))


def of_live(live, strict):
    nulls = live["nulls"]
    gates = live_score.judged_gates(nulls)
    yield row(
        "Live, itself: wrong verdicts",
        "<= 1 in 20 gates x all rows",
        f"{bounded(nulls['wrong'], nulls['judged'])} in {nulls['gates']} gates",
        enough(gates, wrong_met(nulls, strict)),
    )
    if nulls["quiet"]:
        yield row(
            "Live, itself: inconclusive where the paired SD is <= 2 %",
            "<= 30 %",
            f"{bounded(nulls['quiet_inconclusive'], nulls['quiet'])}; over all rows "
            f"{bounded(nulls['inconclusive'], nulls['judged'])}",
            enough(gates, seldom(nulls["quiet_inconclusive"], nulls["quiet"], 0.3, strict)),
        )
    effects = {effect["built_percent"]: effect for effect in live["effects"]}
    for percent, of_effect in ((5, of_five), (2, of_two)):
        if percent in effects:
            yield from of_effect(effects[percent], strict)
        else:
            yield row(f"Live, +{percent} %", "20 gates", "-", "not measured")
    for one in live.get("distributions", ()):
        asked = live_score.judged_gates(one)
        same = one["verdicts"].get("same", 0)
        yield row(
            f"Live, {one['what']}: called the same",
            "never in 20 gates",
            f"{same} of {asked}",
            enough(asked, never(same, strict)),
        )
    if live["cost"]:
        cost = live["cost"]
        yield row(
            "Cost: a gate of 72 rows",
            "<= 2 min of measuring",
            f"{cost['rows']} rows in {cost['seconds']:.0f} s",
            cost["seconds"] <= 120 if cost["rows"] >= 72 else "fewer rows",
        )


def of_five(effect, strict):
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
        enough(judged, never(same, strict)) if judged else "no row was",
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
            enough(asked, often(named, asked, 0.9, strict)) if asked else "no row was",
        )


def of_two(effect, strict):
    claims = [r["same_below_truth"] for r in effect["rows"]]
    known = [c for c in claims if c is not None]
    judged = sum(r["gates"] for r in effect["rows"] if r["same_below_truth"] is not None)
    yield row(
        "Live, +2 %: the same, with a claim below the true effect",
        "<= 1 of 20",
        f"{sum(known)} of {judged} in {effect['gates']} gates" if known else "not calibrated",
        enough(judged, seldom(sum(known), judged, 0.05, strict)) if known else "not calibrated",
    )
