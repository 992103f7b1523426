"""Measurements as the CSV files that nsop-judge-eval reads, and its answers."""

import collections
import csv
import io
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/release") / "bin" / "nsop-judge-eval"


def layout_of(round_, layouts):
    """The link order of a round, as in a gate; rounds stand for themselves where there is none."""
    return (round_ + round_ // layouts) % layouts if layouts else round_


GATE_ROWS = 72  # of a gate


def gates_of(names):
    """Which gate each row is of: of rows named `seed/profile/effect/copy`, 72 of a seed and a
    profile in their order. Rows of other names were measured alone."""
    counts, gates = collections.Counter(), {}
    for name in names:
        *what, _, _ = name.split("/") if name.count("/") == 3 else ("", "")
        what = "/".join(what)
        gates[name] = f"{what}/{counts[what] // GATE_ROWS}" if what else ""
        counts[what] += 1
    return gates


def write_gate(path, cases, layouts=0, firsts=None):
    """`cases`: name -> [rounds, 2, repetitions] CPU ns; in gates as gates_of() says. `firsts`:
    name -> [rounds, 2] ns of the first operation of each process, of all cases or of none."""
    gates = gates_of(cases)
    with open(path, "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        also = ["first_ns"] if firsts else []
        rows.writerow(["case_id", "round", "layout", "arm", "gate", *also, "rep", "cpu_ns"])
        for name, times in cases.items():
            for r, pair in enumerate(times):
                for arm, values in enumerate(pair):
                    told = [name, r, layout_of(r, layouts), ("base", "head")[arm], gates[name]]
                    told += [f"{firsts[name][r][arm]:.6g}"] if firsts else []
                    rows.writerows((*told, k, f"{v:.6g}") for k, v in enumerate(values))


def write_history(path, histories):
    """`histories`: name -> History."""
    with open(path, "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["series_id", "idx", "host", "rep", "ns_per_op"])
        for name, one in histories.items():
            for i, values in enumerate(one.times):
                rows.writerows((name, i, one.hosts[i], k, f"{v:.6g}") for k, v in enumerate(values))


class Refused(Exception):
    """Data that can't be scored; the text says what and where."""


def gate_answers(path, confirms=False):
    """What a session of a gate says of the cases of a file, by name; one that confirms, less."""
    return {row["case_id"]: row for row in ask("gate", path, *["--confirm"] * confirms)}


def ask(*arguments):
    """Runs nsop-judge-eval; its answer as a list of dicts."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise Refused(done.stderr.strip().removeprefix("nsop-judge-eval: "))
    return list(csv.DictReader(io.StringIO(done.stdout)))
