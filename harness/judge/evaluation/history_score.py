"""Synthetic histories, replayed night by night: false alarms, what is found and after how long,
before and after each suspect was measured again against the last good commit."""

import numpy as np

from . import files, noise
from .comparators import hand_made

REPETITIONS, FIRST_NIGHT = 5, 40
NEAR, LATEST = 7, 30  # a hit is within so many nights of the step, told within so many after it
SLACK = 2  # nights by which a suspect's range is wider than the detector says (suspects.cpp)


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


def paired(folder, made, alerts, session):
    """Verdicts of measuring both commits of every suspect side by side, as a gate does: the commits
    of the nights around the change, up to SLACK of them out, because a detector may be off."""
    cases = {}
    for k, alert in enumerate(alerts):
        profile, _, one = made[alert["series_id"]]
        index, night = int(alert["idx"]), int(alert["night"])
        before = one.level[max(0, index - SLACK)]
        after = one.level[min(index + SLACK, night)]
        effect = 100 * np.expm1(after - before)
        rng = noise.generator("confirm", alert["series_id"], index, alert["kind"], session)
        cases[f"{k}"] = noise.gate_rounds(rng, noise.PROFILES[profile], effect, 20, REPETITIONS)
    if not cases:
        return []
    files.write_gate(folder / "confirm.csv", cases)
    said = files.gate_answers(folder / "confirm.csv", confirms=session == 2)
    return [said[f"{k}"]["verdict"] for k in range(len(alerts))]


def direction(alert):
    return "worse" if float(alert["ratio"]) > 1 else "better"


def confirm(folder, made, alerts):
    """The suspects that both sessions of a gate confirm, in the direction that was suspected."""
    for session in (1, 2):
        said = paired(folder, made, alerts, session)
        alerts = [a for a, verdict in zip(alerts, said) if verdict == direction(a)]
    return alerts


def retracted(folder, made, alerts):
    """Of confirmed alerts, those that a further measurement calls the same, or the other way."""
    said = paired(folder, made, alerts, 3)
    gone = sum(v not in ("inconclusive", direction(a)) for a, v in zip(alerts, said))
    return {"alerts": len(alerts), "retracted": gone}


def withdrawn(levels, final):
    """Of the levels that were told, those that the last night's look at the whole series lacks."""
    kept = {}
    for alert in final:
        kept.setdefault(alert["series_id"], []).append(int(alert["idx"]))
    gone = sum(
        not any(abs(int(a["idx"]) - index) <= NEAR for index in kept.get(a["series_id"], []))
        for a in levels
    )
    return {"levels": len(levels), "withdrawn": gone}


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
        nights += max(0, len(one.hosts) - FIRST_NIGHT)
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
        "false_per_100": 100 * false / max(nights, 1),
        "effects": effects,
    }


def score(folder, seeds, copies, nights=200):
    made, alerts, final = {}, [], []
    for seed in seeds:
        part = make_histories(seed, copies, nights)
        path = folder / "history.csv"
        files.write_history(path, {n: one for n, (_, _, one) in part.items()})
        alerts += files.ask("history", path, "--tripwire")
        final += files.ask(
            "history", path, "--once", "--first-night", nights - 1, "--window", nights
        )
        made.update(part)
    return {**scored(folder, made, alerts, final), "others": scored_others(made)}


def scored(folder, made, alerts, final):
    levels = [a for a in alerts if a["kind"] == "level"]
    confirmed = confirm(folder, made, alerts)
    return {
        "series": len(made),
        "levels": summary(made, levels),
        "suspects": summary(made, alerts),
        "tripwire": summary(made, [a for a in alerts if a["kind"] == "tripwire"]),
        "confirmed": summary(made, confirmed),
        "retractions": {**withdrawn(levels, final), **retracted(folder, made, confirmed)},
    }


def scored_others(made):
    others = {}
    for rule, find in hand_made.HISTORY_RULES.items():
        told = [
            {"series_id": name, "idx": i, "night": i}
            for name, (_, _, one) in made.items()
            for i in find(np.median(one.times, axis=1))
        ]
        others[rule] = summary(made, told)
    return others
