"""What the judge must reach, beside what it reached. No target bends to a result: what was not
measured, or by fewer gates than asked, is said."""

from . import live_score

LIVE_GATES = 20


def row(what, wanted, measured, met):
    """`met`: True, False, or a text why nothing can be said."""
    said = {True: "met", False: "**missed**"}.get(met, met)
    return [what, wanted, measured, said]


def of_gate(gate):
    one, confirmed = gate["first_session"], gate["confirmed"]
    nulls = one["effects"]["0"]
    false, count = nulls["worse"]["hits"] + nulls["better"]["hits"], nulls["same"]["count"]
    calm = sum(one["false_by_profile"][p]["hits"] for p in ("quiet", "lab"))
    yield row(
        "Gates: false verdicts at 0 %; on quiet and lab",
        "<= 0.2 %; 0",
        f"{100 * false / count:.1f} % ({false} of {count}); {calm}",
        false <= 0.002 * count and calm == 0,
    )
    unclear = nulls["inconclusive"]
    yield row(
        "Gates: inconclusive at 0 %",
        "<= 12 %",
        f"{unclear['percent']:.1f} % ({unclear['hits']} of {unclear['count']})",
        unclear["hits"] <= 0.12 * unclear["count"],
    )
    found = [one["effects"][e]["worse"]["percent"] for e in ("2", "5", "10")]
    after = [confirmed["effects"][e]["worse"]["percent"] for e in ("2", "5", "10")]
    yield row(
        "Gates: found at +2, +5, +10 % in one session",
        ">= 75, 97, 99.5 %",
        ", ".join(f"{f:.1f}" for f in found)
        + " % (both sessions: "
        + ", ".join(f"{f:.1f}" for f in after)
        + " %)",
        all(f >= least for f, least in zip(found, (75, 97, 99.5))),
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
            f"{one['false_per_100']:.3f} ({one['false']} in {one['nights']:,})",
            one["false"] <= most * one["nights"] / 100,
        )
    found = [levels["effects"][e]["found_percent"] for e in ("5", "10")]
    tripped = [suspects["effects"][e]["found_percent"] for e in ("5", "10")]
    yield row(
        "History: levels found at +5, +10 %",
        ">= 75, 92 %",
        f"{found[0]:.1f}, {found[1]:.1f} % (with the newest night: "
        f"{tripped[0]:.1f}, {tripped[1]:.1f} %)",
        found[0] >= 75 and found[1] >= 92,
    )
    delay = suspects["effects"]["10"]["median_delay_nights"]
    yield row("History: median delay at +10 %", "<= 2 nights", f"{delay:g}", delay <= 2)
    gone = history["retractions"]
    yield row(
        "History: alerts retracted when measured once more",
        "<= 2 %",
        f"{gone['retracted']} of {gone['alerts']}",
        gone["retracted"] <= 0.02 * gone["alerts"],
    )


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
        f"{nulls['wrong']} of {nulls['judged']} rows in {nulls['gates']} gates",
        enough(gates, nulls["wrong"] <= 1),
    )
    if nulls["quiet"]:
        share = 100 * nulls["quiet_inconclusive"] / nulls["quiet"]
        yield row(
            "Live, itself: inconclusive where the paired SD is <= 2 %",
            "<= 30 %",
            f"{share:.1f} % ({nulls['quiet_inconclusive']} of {nulls['quiet']})",
            enough(gates, share <= 30),
        )
    effects = {effect["built_percent"]: effect for effect in live["effects"]}
    for percent, of_effect in ((5, of_five), (2, of_two)):
        if percent in effects:
            yield from of_effect(effects[percent])
        else:
            yield row(f"Live, +{percent} %", "20 gates", "-", "not measured")
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
    found = [*of_gate(result["gate"]), *of_history(result["history"])]
    if result.get("speed"):
        found += of_speed(result["speed"])
    if result.get("live"):
        found += of_live(result["live"])
    else:
        found.append(row("Live: gates on a machine", "20 gates each", "-", "not measured"))
    return found
