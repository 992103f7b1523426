"""Our rules and those of others on recordings: pairs of equal builds, and a public history, as it
is and with steps put into its calm part."""

import csv
from collections import Counter

import numpy as np

from . import compare, files, history_score
from .comparators import CHANGE_POINT_RULES, GATE_RULES, POINT_RULES, widened
from .generators import series
from .unseen.score import recording
from .unseen.tables import unpacked

CALM = 212  # the first night after the last change that Otava's tests expect of it, p < 0.00001
PLACES = range(60, 121, 10)  # nights of the calm part at which a step is put
EFFECTS = (2.0, 5.0, 10.0, -5.0)


def pairs_of(path):
    """case -> [rounds, 2 arms, 1]: the shortest repetition of each; rounds that have both."""
    least = {}
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            case = "/".join(row[k] for k in ("design", "block", "kernel"))
            key = int(row["round"]), row["arm"]
            value = float(row["cpu_ns"])
            known = least.setdefault(case, {})
            known[key] = min(value, known.get(key, value))
    pairs = {}
    for case, values in least.items():
        rounds = sorted({r for r, _ in values if (r, "a") in values and (r, "b") in values})
        pairs[case] = np.array([[[values[r, arm]] for arm in "ab"] for r in rounds])
    return pairs


def equal_builds(path, folder):
    """Verdicts by rule and design: every worse or better is wrong."""
    ours = [{"rule": "nsop, one session", **row} for row in recording(path, folder)]
    pairs = pairs_of(unpacked(path, folder))
    name = path.name.removesuffix(".gz")
    for rule, decide in GATE_RULES.items():
        by_design = {}
        for case, times in pairs.items():
            by_design.setdefault(case.split("/")[0], Counter())[decide(times)] += 1
        ours += [
            {"rule": rule, "recording": f"{name}, {design}", **counts}
            for design, counts in sorted(by_design.items())
        ]
    return ours


def neighbours(path, folder):
    """By design, the mean correlation of neighbouring rounds' ln(b / a), with half of its 95 %
    interval over the pairs of builds. What is estimated of independent rounds is 1 / rounds too low
    (Kendall 1954, doi:10.1093/biomet/41.3-4.403), which is added."""
    by_design = {}
    for case, times in pairs_of(unpacked(path, folder)).items():
        logs = np.log(times[:, 1, 0] / times[:, 0, 0])[None]
        found = widened.neighbour_correlation(logs, 0.2)[0] + 1 / logs.size
        by_design.setdefault(case.split("/")[0], []).append(found)
    return [
        {
            "design": design,
            "pairs": len(values),
            "mean": float(np.mean(values)),
            "half": float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values))),
        }
        for design, values in sorted(by_design.items())
    ]


def recorded(path):
    with open(path, newline="") as lines:
        return np.array([float(row["ns_per_op"]) for row in csv.DictReader(lines)])


def made_of(values):
    """The recording as it is, and its calm part with a step of each size at each place, as series
    with a truth. What else changed there nobody knows."""

    def one(values, steps):
        return series.Series(values[:, None], ["h"] * len(values), np.zeros(len(values)), steps)

    made = {"whole/0": ("recorded", 0.0, one(values, []))}
    calm = values[CALM:]
    for effect in EFFECTS:
        for place in PLACES:
            factor = np.where(np.arange(len(calm)) < place, 1, series.ratio(effect))
            made[f"calm/{effect:g}/{place}"] = "recorded", effect, one(calm * factor, [place])
    return made


def counted(made, alerts):
    """What is told of the whole recording, and, of the steps, found and after how many nights."""
    whole = sum(a["series_id"] == "whole/0" for a in alerts)
    steps = {name: row for name, row in made.items() if name != "whole/0"}
    told = [a for a in alerts if a["series_id"] in steps]
    return {"told": whole, "effects": history_score.summary(steps, told)["effects"]}


def public(path, folder):
    """By rule: how often it tells something of a history whose truth nobody knows, and what it
    finds of steps that were put into it."""
    made = made_of(recorded(path))
    source = folder / "public.csv"
    files.write_history(source, {name: one for name, (_, _, one) in made.items()})
    ours = history_score.points(files.ask("history", source, "--tripwire"))
    told = {f"nsop, {history_score.POINT_NAMES[point]}": alerts for point, alerts in ours.items()}
    for rule, nightly in {**POINT_RULES, **CHANGE_POINT_RULES}.items():
        told[rule] = compare.told_by(nightly, made, history_score.FIRST_NIGHT)
    return {
        "recording": path.name,
        "nights": len(made["whole/0"][2].hosts),
        "rules": {rule: counted(made, alerts) for rule, alerts in told.items()},
    }
