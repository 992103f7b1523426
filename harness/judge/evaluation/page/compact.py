"""Scores as judge.json holds them: short texts for what comes by the hundred, and nothing that
follows from the rest. Results of earlier versions are read as they are.

| Text | What it holds |
|---|---|
| `1001/1320` | a share |
| `1 0 7974 825` | rows that are worse, better, the same, inconclusive |
| `1001/1320 5 5 6` | steps found of all, their median delay in nights, its interval |
| `0/6 -` | the same, where none was found |
| `3048/1056000 0.27 0.3 0.29` | alarms in nights; per 100 nights the interval and the bound |
"""

import re

NUMBER = r"([\d.e+-]+)"
SHARE = re.compile(r"(\d+)/(\d+)")
STEPS = re.compile(r"(\d+)/(\d+) (?:-|([\d.]+) (\d+) (\d+))")
VERDICTS = re.compile(r"(\d+) (\d+) (\d+) (\d+)")
ALARMS = re.compile(rf"(\d+)/(\d+) {NUMBER} {NUMBER} {NUMBER}")
VERDICT_KEYS = "worse", "better", "same", "inconclusive"
STEP_KEYS = {"steps", "found_percent", "median_delay_nights", "delay_interval"}
ALARM_KEYS = {"false", "nights", "false_per_100", "interval"}
BOUNDS = "low", "high", "at_most"
DIGITS = 5


def packed(value):
    if isinstance(value, list):
        return [packed(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if not isinstance(value, dict):
        return value
    if set(value) == {"hits", "count", "percent"}:
        return f"{value['hits']}/{value['count']}"
    if set(value) == set(VERDICT_KEYS):
        return " ".join(str(value[verdict]["hits"]) for verdict in VERDICT_KEYS)
    if set(value) == STEP_KEYS:
        return packed_steps(value)
    if ALARM_KEYS <= set(value):
        rest = {key: packed(one) for key, one in value.items() if key not in ALARM_KEYS}
        return {"alarms": packed_alarms(value), **rest}
    return {key: packed(one) for key, one in value.items()}


def packed_steps(one):
    found = round(one["found_percent"] * one["steps"] / 100)
    if not found:
        return f"0/{one['steps']} -"
    low, high = one["delay_interval"]
    return f"{found}/{one['steps']} {one['median_delay_nights']:g} {low} {high}"


def packed_alarms(one):
    bounds = " ".join(f"{one['interval'][bound]:.{DIGITS}g}" for bound in BOUNDS)
    return f"{one['false']}/{one['nights']} {bounds}"


def unpacked(value):
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if isinstance(value, str):
        return unpacked_text(value)
    if not isinstance(value, dict):
        return value
    found = {key: unpacked(one) for key, one in value.items() if key != "alarms"}
    return {**unpacked_alarms(value["alarms"]), **found} if "alarms" in value else found


def share(hits, count):
    return {"hits": hits, "count": count, "percent": 100 * hits / count if count else None}


def unpacked_text(text):
    if one := SHARE.fullmatch(text):
        return share(*map(int, one.groups()))
    if rows := VERDICTS.fullmatch(text):
        counts = list(map(int, rows.groups()))
        return {v: share(hits, sum(counts)) for v, hits in zip(VERDICT_KEYS, counts)}
    if steps := STEPS.fullmatch(text):
        found, count = int(steps[1]), int(steps[2])
        return {
            "steps": count,
            "found_percent": 100 * found / count,
            "median_delay_nights": float(steps[3]) if steps[3] else None,
            "delay_interval": [int(steps[4]), int(steps[5])] if steps[4] else None,
        }
    return text


def unpacked_alarms(text):
    false, nights, *bounds = ALARMS.fullmatch(text).groups()
    return {
        "false": int(false),
        "nights": int(nights),
        "false_per_100": 100 * int(false) / max(int(nights), 1),
        "interval": dict(zip(BOUNDS, map(float, bounds))),
    }
