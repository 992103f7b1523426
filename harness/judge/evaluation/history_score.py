"""Synthetic histories, replayed night by night: false alarms, what is found and after how long,
before and after each suspect was measured again against the last good commit."""

import numpy as np

from . import clusters, compare, files, sources
from .comparators import POINT_RULES

REPETITIONS, FIRST_NIGHT = 5, 40
NEAR, LATEST = 7, 30  # a hit is within so many nights of the step, told within so many after it
POINT_NAMES = {
    "levels": "new levels",
    "tripwire": "newest night alone",
    "suspects": "suspects with the newest night",
    "confirmed": "confirmed alerts",
}
SLACK = 2  # nights by which a suspect's range is wider than the detector says (suspects.cpp)


def make_histories(source, rows, nights):
    return {
        name: (
            profile,
            effect,
            source.nights(profile, effect, copy, nights, REPETITIONS, "history", name),
        )
        for name, profile, effect, copy in rows
    }


def paired(folder, made, alerts, session, source):
    """Verdicts of measuring both commits of every suspect side by side, as a gate does: the commits
    of the nights around the change, up to SLACK of them out, because a detector may be off."""
    cases = {}
    for k, alert in enumerate(alerts):
        profile, _, one = made[alert["series_id"]]
        key = "confirm", alert["series_id"], int(alert["idx"]), alert["kind"], session
        index, night = int(alert["idx"]), int(alert["night"])
        before = one.level[max(0, index - SLACK)]
        after = one.level[min(index + SLACK, night)]
        effect = 100 * np.expm1(after - before)
        cases[f"{k}"] = source.rounds(profile, effect, 20, REPETITIONS, *key)
    if not cases:
        return []
    files.write_gate(folder / "confirm.csv", cases)
    said = files.gate_answers(folder / "confirm.csv", confirms=session == 2)
    return [said[f"{k}"]["verdict"] for k in range(len(alerts))]


def direction(alert):
    return "worse" if float(alert["ratio"]) > 1 else "better"


def confirm(folder, made, alerts, source=sources.MACHINES):
    """The suspects that both sessions of a gate confirm, in the direction that was suspected."""
    for session in (1, 2):
        said = paired(folder, made, alerts, session, source)
        alerts = [a for a, verdict in zip(alerts, said) if verdict == direction(a)]
    return alerts


def retracted(folder, made, alerts, source=sources.MACHINES):
    """Of confirmed alerts, those that a further measurement calls the same, or the other way."""
    said = paired(folder, made, alerts, 3, source)
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


def delays_of(step, told):
    """In nights, of what was told near a step and in time."""
    return [
        max(1, int(a["night"]) - step + 1)
        for a in told
        if abs(int(a["idx"]) - step) <= NEAR and int(a["night"]) - step <= LATEST
    ]


def summary(made, alerts):
    """False alarms per 100 nights and, by effect, the share of steps found and the median delay,
    each with what its interval needs."""
    by_series = {}
    for alert in alerts:
        by_series.setdefault(alert["series_id"], []).append(alert)
    by_seed, found = {}, {}
    for name, (_, effect, one) in made.items():
        told = by_series.get(name, [])
        counts = by_seed.setdefault(name.split("/")[0], [0, 0])
        counts[0] += sum(not is_hit(a, one) for a in told)
        counts[1] += max(0, len(one.hosts) - FIRST_NIGHT)
        for step in one.steps:
            delays = delays_of(step, told)
            found.setdefault(f"{effect:g}", []).append(min(delays) if delays else None)
    effects = {}
    for effect, delays in found.items():
        hits = [d for d in delays if d is not None]
        effects[effect] = {
            "steps": len(delays),
            "found_percent": 100 * len(hits) / len(delays),
            "median_delay_nights": float(np.median(hits)) if hits else None,
            "delay_interval": clusters.median_interval(hits),
        }
    false, nights = (sum(column) for column in zip(*by_seed.values()))
    return {
        "false": false,
        "nights": nights,
        "false_per_100": 100 * false / max(nights, 1),
        "interval": clusters.rate(by_seed.values()),
        "effects": effects,
    }


def profiles(made, alerts):
    """A summary for each kind of machine."""
    kinds = {}
    for name, row in made.items():
        kinds.setdefault(row[0], {})[name] = row
    return {
        profile: summary(rows, [a for a in alerts if a["series_id"] in rows])
        for profile, rows in kinds.items()
    }


def shown(scored):
    """By kind of machine, what the tables show: steps of 2 % and more."""
    for kinds in scored["by_profile"].values():
        for one in kinds.values():
            one["effects"].pop("1", None)
    return scored


def score(folder, seeds, copies, nights=200, source=sources.MACHINES):
    made, alerts, final = {}, [], []
    for seed in seeds:
        part = make_histories(source, sources.names(source, [seed], copies), nights)
        path = folder / "history.csv"
        files.write_history(path, {n: one for n, (_, _, one) in part.items()})
        alerts += files.ask("history", path, "--tripwire")
        final += files.ask(
            "history", path, "--once", "--first-night", nights - 1, "--window", nights
        )
        made.update(part)
    scores, told = scored(folder, made, alerts, final, source)
    return {**scores, "others": scored_others(made), "compared": compared(made, told)}


def points(alerts):
    """What is told at each operating point, before and after it was measured again."""
    return {
        "levels": [a for a in alerts if a["kind"] == "level"],
        "tripwire": [a for a in alerts if a["kind"] == "tripwire"],
        "suspects": alerts,
    }


def scored(folder, made, alerts, final, source=sources.MACHINES):
    """(the scores, what was told at each operating point)."""
    confirmed = confirm(folder, made, alerts, source)
    told = {**points(alerts), "confirmed": confirmed}
    gone = retracted(folder, made, confirmed, source)
    scores = {
        "series": len(made),
        **{point: summary(made, alarms) for point, alarms in told.items()},
        "by_profile": {point: profiles(made, alarms) for point, alarms in told.items()},
        "retractions": {**withdrawn(told["levels"], final), **gone},
    }
    return scores, told


def scored_others(made):
    return {
        rule: summary(made, compare.told_by(find, made, FIRST_NIGHT))
        for rule, find in POINT_RULES.items()
    }


def compared(made, told):
    """Our rule and those that others find change points with, on the same series."""
    few = compare.chosen(made)
    ours = {
        point: summary(few, [a for a in alerts if a["series_id"] in few])
        for point, alerts in told.items()
    }
    others = compare.told_by_fits(few, FIRST_NIGHT)
    theirs = {rule: summary(few, alerts) for rule, alerts in others.items()}
    return {"series": len(few), "ours": ours, "others": theirs}
