"""Synthetic gates: how often the rule cries wolf, what it finds, and what it leaves open."""

import numpy as np

from . import files, noise
from .comparators import hand_made

ROUNDS, REPETITIONS = 20, 5
ROWS, FALSE_DISCOVERY_RATE = 72, 0.05  # of a gate; session.h
LAYOUTS = 10  # link orders of the arm `link_orders`: a gate of revisions with --layouts 10


def make_cases(seed, copies, session):
    """name -> (profile, effect, times); a second session is another day of the same builds."""
    cases = {}
    for profile in noise.PROFILES:
        for effect in noise.EFFECTS:
            for copy in range(copies):
                name = f"{seed}/{profile}/{effect:g}/{copy}"
                rng = noise.generator("gate", name, session)
                times = noise.gate_rounds(rng, noise.PROFILES[profile], effect, ROUNDS, REPETITIONS)
                cases[name] = (profile, effect, times)
    return cases


def verdicts_of(folder, cases, layouts=0, confirms=False):
    path = folder / "gate.csv"
    files.write_gate(path, {name: times for name, (_, _, times) in cases.items()}, layouts)
    return files.gate_answers(path, confirms)


def share(hits, count):
    return {
        "hits": int(hits),
        "count": int(count),
        "percent": 100 * hits / count if count else None,
    }


def shares(cases, verdicts):
    """Verdicts per effect, and the false ones of the nulls per profile."""
    by_effect = {}
    for effect in noise.EFFECTS:
        names = [n for n, (_, e, _) in cases.items() if e == effect]
        by_effect[f"{effect:g}"] = {
            v: share(sum(verdicts[n] == v for n in names), len(names))
            for v in ("worse", "better", "same", "inconclusive")
        }
    false, inconclusive = {}, {}
    for profile in noise.PROFILES:
        names = [n for n, (p, e, _) in cases.items() if p == profile and e == 0]
        false[profile] = share(sum(verdicts[n] in ("worse", "better") for n in names), len(names))
        inconclusive[profile] = share(sum(verdicts[n] == "inconclusive" for n in names), len(names))
    return {
        "effects": by_effect,
        "false_by_profile": false,
        "inconclusive_by_profile": inconclusive,
    }


def stands(first, second):
    """Do both sessions agree, and would the row stand as the only one that changed among all rows
    of a gate? By the square of the larger p-value (verdict.cpp), at the first step of Benjamini and
    Hochberg's rule."""
    p_value = max(float(first["p"]), float(second["p"])) ** 2
    return first["verdict"] == second["verdict"] and p_value <= FALSE_DISCOVERY_RATE / ROWS


def score(folder, seeds, copies):
    """The gate's rule before and after the second session, beside the rules of others."""
    first, second, verdicts, clustered, rounds = {}, {}, {}, {}, []
    for seed in seeds:
        cases = make_cases(seed, copies, 1)
        answers = verdicts_of(folder, cases)
        grouped = verdicts_of(folder, cases, LAYOUTS)
        clustered.update({name: answer["verdict"] for name, answer in grouped.items()})
        flagged = {n: a for n, a in answers.items() if a["verdict"] in ("worse", "better")}
        again = make_cases_named(cases, flagged)
        confirmed = verdicts_of(folder, again, confirms=True) if again else {}
        for name, answer in answers.items():
            rounds.append(int(answer["rounds"]))
            verdicts[name] = answer["verdict"]
            agreed = name not in flagged or stands(answer, confirmed[name])
            second[name] = answer["verdict"] if agreed else "inconclusive"
        first.update(cases)
    result = {
        "cases": len(first),
        "median_rounds": float(np.median(rounds)),
        "first_session": shares(first, verdicts),
        "confirmed": shares(first, second),
        "link_orders": shares(first, clustered),
        "others": {},
    }
    for rule, decide in hand_made.GATE_RULES.items():
        said = {name: decide(times) for name, (_, _, times) in first.items()}
        result["others"][rule] = shares(first, said)
    return result


def make_cases_named(cases, names):
    """The second session of some of the cases."""
    again = {}
    for name in names:
        profile, effect, _ = cases[name]
        rng = noise.generator("gate", name, 2)
        again[name] = (
            profile,
            effect,
            noise.gate_rounds(rng, noise.PROFILES[profile], effect, ROUNDS, REPETITIONS),
        )
    return again
