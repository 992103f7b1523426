"""What the gates of a machine add up to: wrong verdicts, finds, claims, cost."""

import math
import statistics
from collections import Counter

from . import live_plan

QUIET_SD = 2.0  # per cent: the paired standard deviation up to which a row is asked to be decided


def verdicts(rows):
    return dict(Counter(row["verdict"] for row in rows))


def sd_percent(row):
    """Of the log ratios of single rounds, layouts included: the row's noise in this gate."""
    ratios = [d for d, _ in row["log_ratios"]]
    return 100 * statistics.stdev(ratios) if len(ratios) > 1 else math.inf


def limit_percent(row):
    """The smallest change that a row called the same excludes."""
    if row["lo"] <= 0 or row["hi"] is None:
        return math.inf
    return 100 * (max(row["hi"], 1 / row["lo"]) - 1)


def judged_gates(part):
    """How many of the gates of nulls() or effect() said anything."""
    return part["gates"] - part["void"]


def table(gates):
    """Per row: verdicts, median paired SD, median rounds; and of quiet rows, how many are open."""
    rows = {}
    for gate in gates:
        for row in gate["rows"]:
            rows.setdefault(row["case"], []).append(row)
    return [
        {
            "case": case,
            "verdicts": verdicts(seen),
            "sd_percent": statistics.median(map(sd_percent, seen)),
            "rounds": statistics.median(row["rounds"] for row in seen),
            "quiet": sum(sd_percent(row) <= QUIET_SD for row in seen),
            "quiet_inconclusive": sum(
                sd_percent(row) <= QUIET_SD and row["verdict"] == "inconclusive" for row in seen
            ),
        }
        for case, seen in rows.items()
    ]


def nulls(entries):
    """Gates of a build against itself; the gate that measures the cost is kept apart."""
    gates = [e for e in entries if e["kind"] == "gate" and not e["percent"]]
    whole = [e for e in gates if not e["void"]]
    rows = [row for gate in whole for row in gate["rows"]]
    quiet = [row for row in rows if sd_percent(row) <= QUIET_SD]
    said = Counter(row["verdict"] for row in rows)
    return {
        "gates": len(gates),
        "void": len(gates) - len(whole),
        "judged": len(rows),
        "wrong": said["worse"] + said["better"],
        "wrong_one_session": sum(row["first"] in ("worse", "better") for row in rows),
        "inconclusive": said["inconclusive"],
        "quiet": len(quiet),
        "quiet_inconclusive": sum(row["verdict"] == "inconclusive" for row in quiet),
        "seconds": sum(gate["seconds"] for gate in gates),
        "rows": table(whole),
    }


def truths(entries):
    """(op, percent) -> case -> [change in %, its lower end, its upper end]."""
    found = {}
    for entry in entries:
        if entry["kind"] != "calibration" or entry["void"]:
            continue
        for row in entry["rows"]:
            change = [100 * (row[key] - 1) for key in ("ratio", "lo", "hi")]
            found.setdefault((entry["op"], entry["percent"]), {})[row["case"]] = change
    return found


def is_named_alone(gate, case):
    """Exit 1, the row is worse, and so is nothing that doesn't call the slowed op."""
    worse = {row["case"] for row in gate["rows"] if row["verdict"] == "worse"}
    return (
        gate["exit"] == 1
        and case in worse
        and all(live_plan.is_of(other, gate["op"]) for other in worse)
    )


SD_CLASSES = ((0, 2), (2, 4), (4, 8), (8, math.inf))  # per cent
LOOKS = (10, 20, 40, 80, 160)


def is_about(row, percent):
    """Can the slow-down have cost what it was built for, within a fifth? The calibration's interval
    must reach there. None: nobody measured it."""
    true = row["true_percent"]
    return None if true is None else true[1] <= 1.2 * percent and true[2] >= 0.8 * percent


def power(seen):
    """By paired SD: how many gates found the row by which round, and how many confirmed it."""
    table = []
    for least, most in SD_CLASSES:
        of_class = [row for row in seen if least < sd_percent(row) <= most]
        if not of_class:
            continue
        found = [row["rounds"] for row in of_class if row["first"] == "worse"]
        table.append(
            {
                "sd_percent": [least, None if math.isinf(most) else most],
                "judged": len(of_class),
                "found_by": {str(look): sum(n <= look for n in found) for look in LOOKS},
                "confirmed": sum(row["verdict"] == "worse" for row in of_class),
                "same": sum(row["verdict"] == "same" for row in of_class),
            }
        )
    return table


def slowed_row(case, gates, truth):
    """What the gates said of one row of the slowed op; `truth` may be None."""
    seen = [(gate, row) for gate in gates for row in gate["rows"] if row["case"] == case]
    quiet = [(gate, row) for gate, row in seen if sd_percent(row) <= QUIET_SD]
    same = [row for _, row in seen if row["verdict"] == "same"]
    return {
        "case": case,
        "gates": len(seen),
        "verdicts": verdicts([row for _, row in seen]),
        "sd_percent": statistics.median(sd_percent(row) for _, row in seen),
        "rounds": statistics.median(row["rounds"] for _, row in seen),
        "named_alone": sum(is_named_alone(gate, case) for gate, _ in seen),
        "quiet": len(quiet),
        "quiet_named_alone": sum(is_named_alone(gate, case) for gate, _ in quiet),
        "true_percent": truth,
        "same_below_truth": sum(limit_percent(row) < abs(truth[0]) for row in same)
        if truth
        else None,
    }


def effect(percent, entries, truth):
    """All gates of builds that are slower by one part."""
    gates = [e for e in entries if e["kind"] == "gate" and e["percent"] == percent]
    whole = [gate for gate in gates if not gate["void"]]
    rows = []
    for op in live_plan.OPS:
        of_op = [gate for gate in whole if gate["op"] == op]
        cases = {
            row["case"]: None
            for g in of_op
            for row in g["rows"]
            if live_plan.is_of(row["case"], op)
        }
        rows += [slowed_row(case, of_op, truth.get((op, percent), {}).get(case)) for case in cases]
    about = {row["case"] for row in rows if is_about(row, percent)}
    others = [r for g in whole for r in g["rows"] if not live_plan.is_of(r["case"], g["op"])]
    return {
        "built_percent": percent,
        "gates": len(gates),
        "void": len(gates) - len(whole),
        "rows": rows,
        "power": power([r for g in whole for r in g["rows"] if r["case"] in about]),
        "most_rounds": max((r["rounds"] for g in whole for r in g["rows"]), default=0),
        "others": verdicts(others),
    }


def distributions(entries):
    """What gates said of heads that are slower now and then, one line for each kind."""
    lines = []
    for slow, what in live_plan.DISTRIBUTIONS.items():
        gates = [e for e in entries if e["kind"] == "distribution" and e["slow"] == slow]
        whole = [gate for gate in gates if not gate["void"]]
        rows = [(live_plan.is_of(r["case"], g["op"]), r) for g in whole for r in g["rows"]]
        seen = [row for is_slow, row in rows if is_slow]
        if not seen:
            continue
        lines.append(
            {
                "slow": slow,
                "what": what,
                "gates": len(gates),
                "void": len(gates) - len(whole),
                "verdicts": verdicts(seen),
                "one_session": sum(row["first"] == "worse" for row in seen),
                "sd_percent": statistics.median(map(sd_percent, seen)),
                "others": verdicts([row for is_slow, row in rows if not is_slow]),
            }
        )
    return lines


def cost(entries):
    """The gate of a whole suite: rows, seconds, and when half of the rows were decided."""
    for entry in entries:
        if entry["kind"] == "cost" and not entry["void"]:
            rounds = sorted(row["rounds"] for row in entry["rows"])
            return {
                "rows": len(rows := entry["rows"]),
                "seconds": entry["seconds"],
                "median_rounds": rounds[len(rounds) // 2],
                "verdicts": verdicts(rows),
            }
    return None


def score(entries):
    """The stored result of a journal."""
    truth = truths(entries)
    gates = [e for e in entries if e["kind"] == "gate"]
    percents = sorted({e["percent"] for e in gates if e["percent"]})
    return {
        "first_utc": min(e["at_utc"] for e in entries),
        "last_utc": max(e["at_utc"] for e in entries),
        "layouts": max(e["layouts"] for e in gates or entries),
        "seconds": sum(e["wall_seconds"] for e in entries),
        "judges": sorted({e["judge"] for e in entries if e.get("judge")}),
        "nulls": nulls(entries),
        "effects": [effect(percent, entries, truth) for percent in percents],
        "distributions": distributions(entries),
        "cost": cost(entries),
    }
