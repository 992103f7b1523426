"""The judge on this machine: gates of a build against itself, and against one that is slower by a
known part. Everything is decided by `nsop gate`; this only counts.

A row's true effect is what a long gate of fixed length (--rounds) measures, not what was built in.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from . import files

NSOP = files.PROGRAM.with_name("nsop")
CASES = (
    "relu pass=forward n=1000 range=-3:3",
    "relu pass=forward n=100000 range=-3:3",
    "tanh pass=forward n=1000 range=-3:3",
    "matmul m=64 n=64 k=64 trans=nn",
    "softmax pass=forward rows=32 cols=1000 range=-3:3",
    "sigmoid pass=forward n=10000 range=-3:3",
)
SLOW = "relu"  # the op that is made slower; the rows of others must stay the same
RESULTS = Path(__file__).parent / "live"


def note(text):
    print(f"judge-live: {text}", file=sys.stderr, flush=True)


def build(folder, percent, layouts):
    """A folder of workers in several link orders; SLOW does `percent` % of its outputs twice."""
    out = folder / f"{SLOW}-{percent}"
    out.mkdir(parents=True, exist_ok=True)
    tree = folder / "build"
    for layout in range(layouts):
        seed = layout if layout else ""
        options = [f"-DNSOP_SLOW_KERNEL={SLOW}:{percent}", f"-DNSOP_LINK_SEED={seed}"]
        options += ["-DNSOP_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release", "-GNinja"]
        targets = ["--target", "nsop-worker", "nsop_alloc", "--parallel", str(os.cpu_count())]
        for command in (
            ["cmake", "-S", files.ROOT, "-B", tree, *options],
            ["cmake", "--build", tree, *targets],
        ):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.copy2(tree / "bin/nsop-worker", out / f"worker-{layout}")
    shutil.copy2(tree / "bin/libnsop_alloc.so", out / "libnsop_alloc.so")
    return out


def gate(folder, base, head, cases, *options):
    """The rows of one gate, controls left out; None for a void session."""
    command = [NSOP, "gate", "--base", base, "--head", head, *cases, "--json", "--quiet"]
    command += ["--time-identical", "--db", folder / "live.db", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"nsop gate failed with {done.returncode}")
    answer = json.loads(done.stdout)
    if answer["void"]:
        return None
    return [row for row in answer["rows"] if not row["control"]]


def calibrate(folder, base, head, case, rounds):
    """(change in %, lower and upper end of its interval) of the whole time of an op."""
    rows = gate(folder, base, head, [case], "--rounds", str(rounds), "--seed", "1")
    if not rows:
        return None
    first = rows[0]["first"]
    return [100 * (first[key] - 1) for key in ("ratio", "lo", "hi")]


def count(gates):
    """Per row: how often which verdict, and the median paired SD in %."""
    rows = {}
    for one in gates:
        for row in one or []:
            entry = rows.setdefault(row["case"], {"verdicts": Counter(), "sd": [], "rounds": []})
            entry["verdicts"][row["verdict"]] += 1
            entry["sd"].append(100 * row["first"]["sd"])
            entry["rounds"].append(len(row["first"]["log_ratios"]))
    return [
        {
            "case": case,
            "verdicts": dict(entry["verdicts"]),
            "sd_percent": statistics.median(entry["sd"]),
            "rounds": statistics.median(entry["rounds"]),
        }
        for case, entry in rows.items()
    ]


def claims_too_much(gates, case, true_change):
    """Gates that called the row the same with a claim below its true change."""
    too_much = 0
    for one in gates:
        for row in one or []:
            first = row["first"]
            limit = 100 * max(first["hi"] - 1, 1 / first["lo"] - 1) if first["lo"] else 0
            same = row["case"] == case and row["verdict"] == "same"
            too_much += bool(same and limit < abs(true_change))
    return too_much


def measure(folder, options):
    """The stored result: A/A and power, with what they were measured by."""
    begin = time.monotonic()
    cases = CASES[: options.rows]
    percents = sorted({0, *options.percents})
    builds = {p: build(folder, p, options.layouts) for p in percents}
    result = {"gates": options.gates, "layouts": options.layouts, "rows": len(cases)}
    budget = ("--budget", options.budget)
    for percent in percents:
        note(f"{options.gates} gates of +{percent} % in {SLOW}")
        rows = cases if percent == 0 else [c for c in cases if c.startswith(SLOW)]
        gates = [
            gate(folder, builds[0], builds[percent], rows, "--seed", str(seed), *budget)
            for seed in range(1, options.gates + 1)
        ]
        scored = {"built_percent": percent, "void": gates.count(None), "rows": count(gates)}
        for row in scored["rows"] if percent else []:
            true = calibrate(folder, builds[0], builds[percent], row["case"], options.rounds)
            row["true_percent"] = true
            row["same_below_truth"] = claims_too_much(gates, row["case"], true[0]) if true else 0
        result.setdefault("effects", []).append(scored)
    result["seconds"] = time.monotonic() - begin
    return result


def add_options(parser):
    parser.add_argument("--live", action="store_true", help="measure on this machine (an hour)")
    parser.add_argument("--gates", type=int, default=20, help="live: gates of each effect")
    parser.add_argument("--rows", type=int, default=len(CASES), help="live: rows of a gate")
    parser.add_argument("--layouts", type=int, default=10, help="live: link orders of a build")
    parser.add_argument("--rounds", type=int, default=200, help="live: rounds of a calibration")
    parser.add_argument("--budget", default="0s", help="live: of each gate's open rows")
    parser.add_argument(
        "--percents",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[1, 2, 3, 5, 10],
        help=f"live: parts of the outputs of {SLOW} that are done twice",
    )


def stored():
    """The newest result that is kept with the project, or None."""
    found = sorted(RESULTS.glob("*.json"))
    return json.loads(found[-1].read_text()) if found else None
