"""Data of others: folders in the format of the synthetic sets, and recordings, scored as they are.

  gate.csv        case_id, round, arm, cpu_ns
  gate_truth.csv  case_id, profile, effect_pct
  series.csv      series_id, idx, host, ns_per_op
  truth.csv       series_id, profile, event, idx, effect_pct, alert
  any other .csv or .csv.gz with an arm and a cpu_ns: a recording of programs against themselves
"""

import bisect
import csv
import gzip
import math
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from . import files, history_score, noise


def rows_of(path, *columns):
    with open(path, newline="") as lines:
        table = csv.DictReader(lines)
        lacking = [c for c in columns if c not in (table.fieldnames or ())]
        if lacking:
            raise files.Refused(f"{path}:1: no column {', '.join(lacking)}")
        return list(table)


def number(path, row, column):
    try:
        value = float(row[column])
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise files.Refused(f"{path}: {column} {row[column]!r} is no number")
    return value


def effect_of(path, row):
    """In percent."""
    value = number(path, row, "effect_pct")
    if value <= -100:
        raise files.Refused(f"{path}: effect_pct {row['effect_pct']!r} leaves no time")
    return value


def night(path, row):
    value = number(path, row, "idx")
    if not (value >= 0 and value == int(value)):
        raise files.Refused(f"{path}: idx '{row['idx']}' is no night")
    return int(value)


def unpacked(path, folder):
    """The file, or a copy that is not compressed."""
    if path.suffix != ".gz":
        return path
    plain = folder / path.stem
    try:
        plain.write_bytes(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError) as error:
        raise files.Refused(f"{path}: can't be unpacked: {error}") from None
    return plain


def recording(path, folder):
    """Verdicts by design: every worse or better is wrong."""
    source = unpacked(path, folder)
    verdicts = {}
    for row in files.ask("gate", source):
        design = row["case_id"].split("/")[0] if "/" in row["case_id"] else "all"
        verdicts.setdefault(design, Counter())[row["verdict"]] += 1
    return [
        {"recording": f"{source.name}, {design}", **counts}
        for design, counts in sorted(verdicts.items())
    ]


def gates(path, truth):
    """Verdicts by true effect, one session; by None where there is no truth."""
    said = {row["case_id"]: row["verdict"] for row in files.ask("gate", path)}
    if not truth.exists():
        return {"all": dict(Counter(said.values()))}
    by_effect = {}
    for row in rows_of(truth, "case_id", "effect_pct"):
        effect = f"{effect_of(truth, row):g}"
        by_effect.setdefault(effect, Counter())[said.get(row["case_id"], "missing")] += 1
    return {effect: dict(counts) for effect, counts in by_effect.items()}


def place_of(truth, row, nights):
    """Which of the series' nights is the first at or after the event."""
    event = night(truth, row)
    if not nights[0] <= event <= nights[-1]:
        told = f"{row['series_id']}, which has nights {nights[0]} to {nights[-1]}"
        raise files.Refused(f"{truth}: idx {row['idx']!r} is not in {told}")
    return bisect.bisect_left(nights, event)


def histories(path, truth):
    """name -> (profile, effect, History) as the truth tells it. Nights that are not there leave no
    gap: alerts are told by place. What the truth doesn't name never changed, on unknown kinds of
    machines."""
    hosts = {}
    for row in rows_of(path, "series_id", "idx", "host"):
        hosts.setdefault(row["series_id"], {})[night(path, row)] = row["host"]
    made, places = {}, {}
    for name, nights in hosts.items():
        places[name] = sorted(nights)
        level, known = np.zeros(len(nights)), [nights[i] for i in places[name]]
        made[name] = ("", 0.0, noise.History(np.ones((len(level), 1)), known, level, []))
    events = rows_of(truth, "series_id", "profile", "event", "idx", "effect_pct", "alert")
    for row in sorted(events, key=lambda row: row["event"] not in ("none", "has_steps")):
        name = row["series_id"]
        if name not in made:
            raise files.Refused(f"{truth}: no series {name} in {path.name}")
        _, known, one = made[name]
        if row["event"] in ("none", "has_steps"):
            known = effect_of(truth, row)
        elif row["alert"] == "1":
            at = place_of(truth, row, places[name])
            effect = effect_of(truth, row)
            one.level[at:] += np.log1p(effect / 100)
            one.steps.append(at)
            known = known or effect  # of its first change, where no line tells it
        made[name] = (row["profile"], known, one)
    return made


def only(names, path, to):
    """Copies the lines of these series."""
    with open(path, newline="") as lines, open(to, "w", newline="") as out:
        table = csv.DictReader(lines)
        copy = csv.DictWriter(out, table.fieldnames, extrasaction="ignore", lineterminator="\n")
        copy.writeheader()
        copy.writerows(row for row in table if row["series_id"] in names)
    return to


def last_answers(path, nights):
    """What the last night of each series says of the whole of it; `nights`: how many it has."""
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for count in sorted(set(nights.values())):
            if count < 12:
                continue  # too short to say anything
            names = {name for name, length in nights.items() if length == count}
            part = only(names, path, Path(folder) / "series.csv")
            told += files.ask(
                "history", part, "--once", "--first-night", count - 1, "--window", count
            )
    return told


def score_histories(folder, path, truth):
    """Scores as of the synthetic histories; without a truth, only how many suspects there are."""
    alerts = files.ask("history", path, "--tripwire")
    if not truth.exists():
        return {"suspects": len(alerts)}
    made = histories(path, truth)
    final = last_answers(path, {name: len(one.hosts) for name, (_, _, one) in made.items()})
    unknown = {profile for profile, _, _ in made.values()} - set(noise.PROFILES)
    if unknown:  # nothing is known to draw the second measurement from
        levels = [a for a in alerts if a["kind"] == "level"]
        return {
            name: history_score.summary(made, told)
            for name, told in (("levels", levels), ("suspects", alerts))
        }
    return history_score.scored(folder, made, alerts, final)[0]


def score(source, folder):
    """Everything that a folder holds (or one recording)."""
    if source.is_file():
        return {"recordings": recording(source, folder)}
    known = {n: source / n for n in ("gate.csv", "gate_truth.csv", "series.csv", "truth.csv")}
    result = {}
    if known["gate.csv"].exists():
        result["gate"] = gates(known["gate.csv"], known["gate_truth.csv"])
    if known["series.csv"].exists():
        result["history"] = score_histories(folder, known["series.csv"], known["truth.csv"])
    others = [p for p in sorted(source.glob("*.csv*")) if p not in known.values()]
    result["recordings"] = [row for path in others for row in recording(path, folder)]
    if not any(result.values()):
        raise files.Refused(f"{source}: no gate.csv, series.csv or recording there")
    return result


def by_effect(item):
    return float(item[0])


def text(result):
    """For a terminal."""
    lines = []
    gates = result.get("gate", {})
    for effect, counts in gates.items() if "all" in gates else sorted(gates.items(), key=by_effect):
        total = sum(counts.values())
        said = ", ".join(f"{v} {n} ({100 * n / total:.1f} %)" for v, n in sorted(counts.items()))
        lines.append(f"gate, effect {effect} %, {total} rows: {said}")
    history = result.get("history", {})
    for name in ("levels", "tripwire", "suspects", "confirmed"):
        if isinstance(one := history.get(name), dict):
            found = ", ".join(
                f"{effect} %: {e['found_percent']:.1f} %"
                for effect, e in sorted(one["effects"].items(), key=by_effect)
            )
            lines.append(
                f"history, {name}: {one['false_per_100']:.2f} false per 100 nights "
                f"({one['false']} in {one['nights']}); found at {found or '-'}"
            )
    if "levels" in history and "confirmed" not in history:
        lines.append("history: no suspect was measured again: kinds of machines that aren't known")
    if isinstance(history.get("suspects"), int):
        lines.append(f"history: {history['suspects']} suspects")
    if "retractions" in history:
        r = history["retractions"]
        lines.append(
            f"history: {r['retracted']} of {r['alerts']} alerts retracted, "
            f"{r['withdrawn']} of {r['levels']} levels withdrawn before they were confirmed"
        )
    for row in result.get("recordings", []):
        said = ", ".join(f"{v} {n}" for v, n in row.items() if v != "recording")
        lines.append(f"recording {row['recording']}: {said}")
    return "\n".join(lines)
