"""Data of others: folders in the format of the synthetic sets, and recordings, scored as they are.

  gate.csv        case_id, round, arm, cpu_ns, perhaps session (1 or 2)
  gate_truth.csv  case_id, profile, effect_pct
  series.csv      series_id, idx, host, ns_per_op
  truth.csv       series_id, profile, event, idx, effect_pct, alert
  any other .csv or .csv.gz with an arm and a cpu_ns: a recording of programs against themselves
"""

import bisect
import csv
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from .. import files, gate_score, history_score, noise, sources
from .tables import Readable, effect_of, night, rows_of, split_by, unpacked

SESSIONS = ("1", "2")


def recording(path, folder):
    """Verdicts by design: every worse or better is wrong."""
    source = unpacked(path, folder)
    verdicts = {}
    for row in Readable(source, folder).ask("gate"):
        design = row["case_id"].split("/")[0] if "/" in row["case_id"] else "all"
        verdicts.setdefault(design, Counter())[row["verdict"]] += 1
    return [
        {"recording": f"{source.name}, {design}", **counts}
        for design, counts in sorted(verdicts.items())
    ]


def answers_of(path, folder, confirms=False):
    said = Readable(path, folder).ask("gate", *["--confirm"] * confirms)
    return {row["case_id"]: row for row in said}


def second_session(path, folder, truths, flagged):
    """(how, answers) of a second session of the flagged rows: measured by its owners, where the
    file has one, or drawn, where the truth names kinds of machines that are known; (None, {}) where
    neither is."""
    parts = split_by(path, "session", folder, SESSIONS)
    if parts:
        lines = len(rows_of(parts["2"], "case_id"))
        return "measured", answers_of(parts["2"], folder, confirms=True) if lines else {}
    known = [n for n in flagged if truths.get(n, ("", 0.0))[0] in noise.PROFILES]
    if not truths or len(known) < len(flagged):
        return None, {}
    cases = {
        str(k): sources.machine_rounds(
            *truths[name], gate_score.ROUNDS, gate_score.REPETITIONS, "second session", name
        )
        for k, name in enumerate(flagged)
    }
    if not cases:
        return "drawn", {}
    files.write_gate(folder / "second.csv", cases)
    drawn = files.gate_answers(folder / "second.csv", confirms=True)
    return "drawn", {name: drawn[str(k)] for k, name in enumerate(flagged)}


def counts_by_effect(truths, said):
    """{effect: {verdict: rows}}, the effect `all` where there is no truth."""
    if not truths:
        return {"all": dict(Counter(said.values()))}
    counted = {}
    for name, (_, effect) in truths.items():
        counted.setdefault(f"{effect:g}", Counter())[said.get(name, "missing")] += 1
    return {effect: dict(counts) for effect, counts in counted.items()}


def counts_by_profile(truths, said):
    kinds = {}
    for name, (profile, effect) in truths.items():
        kinds.setdefault(profile, {})[name] = profile, effect
    return {profile: counts_by_effect(part, said) for profile, part in kinds.items()}


def gates(path, truth, folder):
    """Verdicts by true effect of the first session, and of both; by kind of machine. Without a
    truth the effect is `all`. A flagged row that the second session does not confirm, or did not
    measure, is inconclusive."""
    truths = {}
    if truth.exists():
        for row in rows_of(truth, "case_id", "effect_pct"):
            truths[row["case_id"]] = row.get("profile") or "", effect_of(truth, row)
    parts = split_by(path, "session", folder, SESSIONS)
    first = answers_of(parts["1"] if parts else path, folder)
    said = {name: answer["verdict"] for name, answer in first.items()}
    result = {"gate": counts_by_effect(truths, said)}
    flagged = [name for name, verdict in said.items() if verdict in ("worse", "better")]
    how, second = second_session(path, folder, truths, flagged)
    if how:
        result["second_session"] = how
        for name in flagged:
            if name not in second or not gate_score.stands(first[name], second[name]):
                said[name] = "inconclusive"
        result["gate_confirmed"] = counts_by_effect(truths, said)
    if len({profile for profile, _ in truths.values()}) > 1:
        result["gate_profiles"] = counts_by_profile(truths, said)
    return result


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
    with open(path, newline="", encoding="utf-8-sig") as lines, open(to, "w", newline="") as out:
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
            told += Readable(part, folder).ask(
                "history", "--once", "--first-night", count - 1, "--window", count
            )
    return told


def score_histories(folder, path, truth):
    """Scores as of the synthetic histories; without a truth, only how many suspects there are."""
    alerts = Readable(path, folder).ask("history", "--tripwire")
    if not truth.exists():
        return {"suspects": len(alerts)}
    made = histories(path, truth)
    final = last_answers(path, {name: len(one.hosts) for name, (_, _, one) in made.items()})
    unknown = {profile for profile, _, _ in made.values()} - set(noise.PROFILES)
    if unknown:  # nothing is known to draw the second measurement from
        told = history_score.points(alerts)
        return {
            **{point: history_score.summary(made, alarms) for point, alarms in told.items()},
            "by_profile": {p: history_score.profiles(made, alarms) for p, alarms in told.items()},
        }
    return history_score.scored(folder, made, alerts, final)[0]


def score(source, folder):
    """Everything that a folder holds (or one recording)."""
    if source.is_file():
        return {"recordings": recording(source, folder)}
    known = {n: source / n for n in ("gate.csv", "gate_truth.csv", "series.csv", "truth.csv")}
    result = {}
    if known["gate.csv"].exists():
        result.update(gates(known["gate.csv"], known["gate_truth.csv"], folder))
    if known["series.csv"].exists():
        result["history"] = score_histories(folder, known["series.csv"], known["truth.csv"])
    others = [p for p in sorted(source.glob("*.csv*")) if p not in known.values()]
    result["recordings"] = [row for path in others for row in recording(path, folder)]
    if not any(result.values()):
        raise files.Refused(f"{source}: no gate.csv, series.csv or recording there")
    return result
