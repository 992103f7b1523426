"""The scores of data of others, for a terminal."""

from .. import binomial, gate_score

POINTS = ("levels", "tripwire", "suspects", "confirmed")


def by_effect(item):
    return float(item[0])


def percent(hits, count):
    low, high = binomial.interval(hits, count)
    return f"{100 * hits / count:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def verdict_lines(what, gates):
    """A line for each effect: how many rows have which verdict, and what share that is."""
    for effect, counts in gates.items() if "all" in gates else sorted(gates.items(), key=by_effect):
        total = sum(counts.values())
        said = ", ".join(f"{v} {n} ({percent(n, total)})" for v, n in sorted(counts.items()))
        yield f"{what}, effect {effect} %, {total} rows: {said}"


def profile_line(profile, gates):
    """False, open and found rows of one kind of machine."""
    nulls = gates.get("0", {})
    count, parts = sum(nulls.values()), []
    if count:
        wrong = nulls.get("worse", 0) + nulls.get("better", 0)
        parts.append(f"false {percent(wrong, count)}")
        parts.append(f"inconclusive {percent(nulls.get('inconclusive', 0), count)}")
    for effect, counts in sorted(gates.items(), key=by_effect):
        if effect != "0":
            hits = sum(n for v, n in counts.items() if gate_score.is_found(v, float(effect)))
            parts.append(f"found at {effect} %: {percent(hits, sum(counts.values()))}")
    return f"gate on {profile or 'an unnamed kind'}: {', '.join(parts)}"


def found_text(effect, one):
    hits = round(one["found_percent"] * one["steps"] / 100)
    delay = one["median_delay_nights"]
    late = "" if delay is None else f" after {delay:g} nights"
    return f"{effect} %: {percent(hits, one['steps'])}{late}"


def history_line(what, one):
    found = ", ".join(
        found_text(effect, scored)
        for effect, scored in sorted(one["effects"].items(), key=by_effect)
    )
    bounds = one["interval"]
    return (
        f"history, {what}: {one['false_per_100']:.2f} [{bounds['low']:.2f}, {bounds['high']:.2f}] "
        f"false per 100 nights ({one['false']} in {one['nights']}); found at {found or '-'}"
    )


def history_lines(history):
    for name in POINTS:
        if isinstance(one := history.get(name), dict):
            yield history_line(name, one)
    for name, kinds in history.get("by_profile", {}).items():
        if len(kinds) > 1 and name in ("suspects", "confirmed"):
            for profile, one in kinds.items():
                yield history_line(f"{name} on {profile or 'an unnamed kind'}", one)
    if "levels" in history and "confirmed" not in history:
        yield "history: no suspect was measured again: kinds of machines that aren't known"
    if isinstance(history.get("suspects"), int):
        yield f"history: {history['suspects']} suspects"
    if "retractions" in history:
        r = history["retractions"]
        yield (
            f"history: {r['retracted']} of {r['alerts']} alerts retracted, "
            f"{r['withdrawn']} of {r['levels']} levels withdrawn before they were confirmed"
        )


def text(result):
    gates, both = result.get("gate", {}), result.get("gate_confirmed")
    lines = list(verdict_lines("gate, one session" if both else "gate", gates))
    if both:
        lines += verdict_lines(
            f"gate, both sessions (the second is {result['second_session']})", both
        )
    elif gates:
        lines.append("gate: no row was measured again: no session 2, no kind of machine is known")
    lines += [profile_line(*item) for item in result.get("gate_profiles", {}).items()]
    lines += history_lines(result.get("history", {}))
    for row in result.get("recordings", []):
        said = ", ".join(f"{v} {n}" for v, n in row.items() if v != "recording")
        lines.append(f"recording {row['recording']}: {said}")
    return "\n".join(lines)
