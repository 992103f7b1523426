"""Synthetic gates: how often the rule cries wolf, what it finds, and what it leaves open."""

import numpy as np

from . import files, sources
from .comparators import GATE_RULES

ROUNDS, REPETITIONS = 20, 5
ROWS, FALSE_DISCOVERY_RATE = files.GATE_ROWS, 0.05  # of a gate; session.h
LAYOUTS = 10  # link orders of the arm `link_orders`: a gate of revisions with --layouts 10


def make_cases(source, rows, session):
    """name -> (profile, effect, times); a second session is another day of the same builds."""
    return {
        name: (
            profile,
            effect,
            source.rounds(profile, effect, ROUNDS, REPETITIONS, "gate", name, session),
        )
        for name, profile, effect, _ in rows
    }


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


def is_found(verdict, effect):
    return verdict == ("better" if effect < 0 else "worse")


def shares(cases, verdicts):
    """Verdicts per effect; by profile the false and the open ones of the nulls, and what is found
    of each effect."""
    by_effect = {}
    for effect in dict.fromkeys(e for _, e, _ in cases.values()):
        names = [n for n, (_, e, _) in cases.items() if e == effect]
        by_effect[f"{effect:g}"] = {
            v: share(sum(verdicts[n] == v for n in names), len(names))
            for v in ("worse", "better", "same", "inconclusive")
        }
    false, inconclusive, found = {}, {}, {}
    for profile in dict.fromkeys(p for p, _, _ in cases.values()):
        named = {n: e for n, (p, e, _) in cases.items() if p == profile}
        nulls = [n for n, effect in named.items() if effect == 0]
        false[profile] = share(sum(verdicts[n] in ("worse", "better") for n in nulls), len(nulls))
        inconclusive[profile] = share(sum(verdicts[n] == "inconclusive" for n in nulls), len(nulls))
        found[profile] = {}
        for effect in dict.fromkeys(e for e in named.values() if e != 0):
            changed = [n for n, e in named.items() if e == effect]
            found[profile][f"{effect:g}"] = share(
                sum(is_found(verdicts[n], effect) for n in changed), len(changed)
            )
    return {
        "effects": by_effect,
        "false_by_profile": false,
        "inconclusive_by_profile": inconclusive,
        "found_by_profile": found,
    }


def stands(first, second):
    """Do both sessions agree, and would the row stand as the only one that changed among all rows
    of a gate? By the square of the larger p-value (verdict.cpp), at the first step of Benjamini and
    Hochberg's rule."""
    p_value = max(float(first["p"]), float(second["p"])) ** 2
    return first["verdict"] == second["verdict"] and p_value <= FALSE_DISCOVERY_RATE / ROWS


def confirmed_answers(folder, source, rows, answers):
    """What both sessions say: a flagged row that the second one, another day, does not confirm is
    inconclusive."""
    flagged = [row for row in rows if answers[row[0]]["verdict"] in ("worse", "better")]
    again = make_cases(source, flagged, 2)
    second = verdicts_of(folder, again, confirms=True) if again else {}
    said = {name: answer["verdict"] for name, answer in answers.items()}
    for name, answer in second.items():
        if not stands(answers[name], answer):
            said[name] = "inconclusive"
    return said


def score(folder, seeds, copies, source=sources.MACHINES):
    """The gate's rule before and after the second session, beside the rules of others."""
    first, confirmed, verdicts, clustered, rounds = {}, {}, {}, {}, []
    for seed in seeds:
        rows = list(sources.names(source, [seed], copies))
        cases = make_cases(source, rows, 1)
        answers = verdicts_of(folder, cases)
        grouped = verdicts_of(folder, cases, LAYOUTS)
        clustered.update({name: answer["verdict"] for name, answer in grouped.items()})
        verdicts.update({name: answer["verdict"] for name, answer in answers.items()})
        confirmed.update(confirmed_answers(folder, source, rows, answers))
        rounds += [int(answer["rounds"]) for answer in answers.values()]
        first.update(cases)
    result = {
        "cases": len(first),
        "median_rounds": float(np.median(rounds)),
        "first_session": shares(first, verdicts),
        "confirmed": shares(first, confirmed),
        "link_orders": shares(first, clustered),
        "others": {},
    }
    for rule, decide in GATE_RULES.items():
        said = {name: decide(times) for name, (_, _, times) in first.items()}
        result["others"][rule] = shares(first, said)
    return result


def shown(scored):
    """Of many kinds of machines: only our rule has its figures by kind."""
    others = {rule: {"effects": one["effects"]} for rule, one in scored["others"].items()}
    orders = {"effects": scored["link_orders"]["effects"]}
    return {**scored, "link_orders": orders, "others": others}
