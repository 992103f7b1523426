"""Synthetic histories, replayed night by night: false alarms, what is found and after how long,
before and after each suspect was measured again against the last good commit."""

import numpy as np

from . import files, noise, rules

REPETITIONS, FIRST_NIGHT = 5, 40
NEAR, LATEST = 7, 30  # a hit is within so many nights of the step, told within so many after it


def make_histories(seed, copies, nights):
    made = {}
    for profile in noise.PROFILES:
        for effect in noise.EFFECTS:
            for copy in range(copies):
                name = f"{seed}/{profile}/{effect:g}/{copy}"
                rng = noise.generator("history", name)
                one = noise.history(rng, noise.PROFILES[profile], effect, copy, nights, REPETITIONS)
                made[name] = (profile, effect, one)
    return made


def confirm(folder, made, alerts):
    """Measures both commits of every suspect side by side, as a gate would: which are confirmed."""
    cases = {}
    for k, alert in enumerate(alerts):
        profile, _, one = made[alert["series_id"]]
        index = int(alert["idx"])
        before, after = one.level[max(0, index - NEAR)], one.level[int(alert["night"])]
        effect = 100 * np.expm1(after - before)
        rng = noise.generator("confirm", alert["series_id"], index, alert["kind"])
        cases[f"{k}"] = noise.gate_rounds(rng, noise.PROFILES[profile], effect, 20, REPETITIONS)
    if not cases:
        return []
    files.write_gate(folder / "confirm.csv", cases)
    verdicts = {row["case_id"]: row["verdict"] for row in files.ask("gate", folder / "confirm.csv")}
    return [a for k, a in enumerate(alerts) if verdicts[f"{k}"] in ("worse", "better")]


def is_hit(alert, one):
    return any(abs(int(alert["idx"]) - step) <= NEAR for step in one.steps)


def summary(made, alerts):
    """False alarms per 100 nights and, by effect, the share of steps found and the median delay."""
    by_series = {}
    for alert in alerts:
        by_series.setdefault(alert["series_id"], []).append(alert)
    false, nights, found = 0, 0, {}
    for name, (_, effect, one) in made.items():
        told = by_series.get(name, [])
        false += sum(not is_hit(a, one) for a in told)
        nights += len(one.hosts) - FIRST_NIGHT
        for step in one.steps:
            delays = [
                max(1, int(a["night"]) - step + 1)
                for a in told
                if abs(int(a["idx"]) - step) <= NEAR and int(a["night"]) - step <= LATEST
            ]
            found.setdefault(f"{effect:g}", []).append(min(delays) if delays else None)
    effects = {}
    for effect, delays in found.items():
        hits = [d for d in delays if d is not None]
        effects[effect] = {
            "steps": len(delays),
            "found_percent": 100 * len(hits) / len(delays),
            "median_delay_nights": float(np.median(hits)) if hits else None,
        }
    return {
        "false": false,
        "nights": nights,
        "false_per_100": 100 * false / nights,
        "effects": effects,
    }


def score(folder, seeds, copies, nights=200):
    made, alerts = {}, []
    for seed in seeds:
        part = make_histories(seed, copies, nights)
        files.write_history(folder / "history.csv", {n: one for n, (_, _, one) in part.items()})
        alerts += files.ask("history", folder / "history.csv", "--tripwire")
        made.update(part)
    levels = [a for a in alerts if a["kind"] == "level"]
    tripped = [a for a in alerts if a["kind"] == "tripwire"]
    result = {
        "series": len(made),
        "levels": summary(made, levels),
        "suspects": summary(made, alerts),
        "tripwire": summary(made, tripped),
        "confirmed": summary(made, confirm(folder, made, alerts)),
        "others": {},
    }
    for rule, find in rules.HISTORY_RULES.items():
        told = [
            {"series_id": name, "idx": i, "night": i}
            for name, (_, _, one) in made.items()
            for i in find(np.median(one.times, axis=1))
        ]
        result["others"][rule] = summary(made, told)
    return result
