"""The judge on this machine: gates of a build against itself, and against ones that are slower by a
known part. Everything is decided by `nsop gate`; this only asks and keeps the answers.

A row's true effect is what a long gate of fixed length measures, not what was built in. Every
answer is appended to a journal beside the builds at once; what is in there is not measured again.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import files, live_builds, live_plan, live_score
from .page import live_targets

NSOP = files.PROGRAM.with_name("nsop")
JOURNAL = "measured.ndjson"
RESULTS = Path(__file__).parent / "live"
MOST_FAILURES = 3  # in a row, before the run ends
FEWEST_LAYOUTS = 6  # but one: fewer decide nothing


class Failed(Exception):
    """nsop gate ended in a way that is no verdict."""


def note(text):
    print(f"judge-live: {text}", file=sys.stderr, flush=True)


def kept_row(row):
    """What is counted later, of one row of an answer."""
    first, second = row["first"], row["second"]
    return {
        "case": row["case"],
        "verdict": row["verdict"],
        "note": row["note"],
        **{key: first[key] for key in ("ratio", "lo", "hi", "rounds")},
        "first": first["verdict"],
        "second": second["verdict"] if second else None,
        "second_rounds": second["rounds"] if second else 0,
        "log_ratios": [[round(d, 6), cluster] for d, cluster in first["log_ratios"]],
    }


def rows_as_arguments(job, folder):
    """Case lines; where they take several threads, the folder of a suite that says so."""
    if job.threads() == 1:
        return job.rows()
    suites = folder / "suites"
    suites.mkdir(exist_ok=True)
    cases = "".join(
        f'[[cases]]\nlabel = "{at}"\ncase = "{case}"\nthreads = [{job.threads()}]\n'
        for at, case in enumerate(job.rows())
    )
    head = '[report]\nname = "live"\ntitle = "Live"\nform = "peers"\nafter = "hwy"\n'
    (suites / "live.toml").write_text(head + cases)
    return ("--suites", suites)


def answer_of(job, folder, budget):
    """One gate, asked and read; its rows without the controls."""
    command = [NSOP, "gate", "--base", folder / "base", "--head", folder / job.head()]
    command += rows_as_arguments(job, folder)
    command += ["--json", "--quiet", "--time-identical", "--db", folder / "live.db"]
    command += ["--lock-wait", "600"]
    command += ["--seed", str(job.seed + 1), "--budget", budget]
    if job.kind == "calibration":
        command += ["--rounds", str(live_plan.ROUNDS)]
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 3) or not done.stdout.strip():
        raise Failed(f"nsop gate: exit {done.returncode}: {done.stderr.strip()[-500:]}")
    answer = json.loads(done.stdout)
    return {
        "key": job.key(),
        "kind": job.kind,
        "op": job.op,
        "percent": job.percent,
        "slow": job.slow,
        "exit": done.returncode,
        "void": answer["void"],
        "layouts": answer["layouts"],
        "judge": live_builds.git("rev-parse", "--short=12", "HEAD"),
        "seconds": answer["seconds"],
        "wall_seconds": time.monotonic() - begin,
        "at_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "rows": [kept_row(row) for row in answer["rows"] if not row["control"]],
    }


def journal_of(folder):
    """What was measured before; a last line that was cut off is left out."""
    path = folder / JOURNAL
    entries = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            note(f"{path}: a line is cut off, that gate is measured again")
    return entries


def append(folder, entry):
    path = folder / JOURNAL
    whole = not path.exists() or not path.stat().st_size or path.read_bytes().endswith(b"\n")
    with open(path, "a") as out:
        out.write(("" if whole else "\n") + json.dumps(entry) + "\n")
        out.flush()
        os.fsync(out.fileno())


def expected_seconds(job, entries):
    """What such a gate took so far; 0: nothing is known."""
    alike = [
        e
        for e in entries
        if (e["kind"], e["percent"], e.get("slow", "")) == (job.kind, job.percent, job.slow)
    ]
    times = [entry["wall_seconds"] for entry in alike]
    return sum(times) / len(times) if times else 0


def measure(folder, jobs, minutes, budget):
    """Measures what the journal lacks, in order, until the minutes are spent. A gate that fails is
    left out, for the same command to measure again."""
    begin = time.monotonic()
    failures = 0
    entries = journal_of(folder)
    # A void gate counts as one; what is true of a build must be known, however often it takes.
    done = {e["key"] for e in entries if not (e["kind"] == "calibration" and e["void"])}
    for number, job in enumerate(jobs, 1):
        spent = time.monotonic() - begin
        if job.key() in done:
            continue
        if spent + expected_seconds(job, entries) > 60 * minutes:
            note(f"{minutes} minutes are spent; the same command goes on from here")
            return
        try:
            entry = answer_of(job, folder, budget)
        except Failed as failure:
            failures += 1
            if failures == MOST_FAILURES:
                raise
            note(f"{job.key()}: {failure}")
            continue
        failures = 0
        append(folder, entry)
        entries.append(entry)
        said = ", ".join(f"{n} {v}" for v, n in sorted(live_score.verdicts(entry["rows"]).items()))
        note(
            f"{number}/{len(jobs)} {job.key()}: {entry['void'] or said}; "
            f"{entry['wall_seconds']:.0f} s, {(time.monotonic() - begin) / 60:.1f} min in all"
        )


def cpu_name():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def keep(folder):
    """Scores the journal and stores the result with the project: no seed draws it again."""
    entries = journal_of(folder)
    if not entries:
        raise live_builds.NotBuilt(f"{folder}: nothing was measured yet")
    result = live_score.score(entries)
    result.update(commit=folder.name, cpu=cpu_name(), cpus=len(os.sched_getaffinity(0)))
    RESULTS.mkdir(exist_ok=True)
    out = RESULTS / f"{entries[0]['at_utc'][:10]}-{folder.name}.json"
    incoming = out.with_suffix(".incoming")
    incoming.write_text(json.dumps(result, indent=1) + "\n")
    incoming.replace(out)
    return out


def link_orders(text):
    """As `nsop gate` takes them."""
    count = int(text)
    if count < 1 or 1 < count < FEWEST_LAYOUTS:
        raise argparse.ArgumentTypeError(f"{count}: take 1, or {FEWEST_LAYOUTS} and more")
    return count


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def add_options(parser):
    group = parser.add_argument_group("live, on this machine")
    group.add_argument("--live", action="store_true", help="measure and report")
    group.add_argument("--build-only", action="store_true", help="only build what is measured")
    group.add_argument("--report-only", action="store_true", help="only report what was measured")
    group.add_argument(
        "--distributions",
        action="store_true",
        help="only heads that are slower now and then: in some repetitions or processes",
    )
    group.add_argument("--commit", default="", help="measure these builds (default: the newest)")
    group.add_argument("--gates", type=int, default=20, help="gates of each effect (20)")
    group.add_argument("--minutes", type=float, default=60, help="begin no gate after that (60)")
    group.add_argument(
        "--layouts", type=link_orders, default=20, help="link orders of a session (20)"
    )
    group.add_argument("--budget", default="40s", help="of each gate's open rows (40s)")
    group.add_argument(
        "--builds", type=Path, default=files.ROOT / "build/live", help="of the builds"
    )
    group.add_argument(
        "--percents",
        type=numbers,
        default=[2, 5, 10],
        help="parts of the outputs that are done twice, in order of importance (2,5,10)",
    )


def run(options):
    """Builds or measures as asked; the name of the stored result, None after building."""
    if options.build_only:
        heads = live_plan.heads(options.percents)
        if options.distributions:
            heads = live_plan.distribution_heads()
        note(f"built: {live_builds.build(options.builds, heads, options.layouts, note)}")
        return None
    folder = live_builds.built(options.builds, options.commit)
    if not options.report_only:
        jobs = live_plan.jobs(options.gates, options.percents)
        if options.distributions:
            jobs = live_plan.distribution_jobs(options.gates)
        note(f"measuring {folder}: {len(jobs)} gates, {options.minutes:g} minutes at most")
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            measure(folder, jobs, options.minutes, options.budget)
        except KeyboardInterrupt:
            note("interrupted; what was measured is kept")
        except Failed:
            if journal_of(folder):
                keep(folder)
            raise
    return keep(folder)


def best_of(parts):
    """The newest that has as many gates as the targets speak of, else the one that has most; void
    ones don't count."""
    whole = [part for part in parts if live_score.judged_gates(part) >= live_targets.LIVE_GATES]
    return whole[-1] if whole else max(parts, key=live_score.judged_gates)


def stored():
    """What is kept with the project, or None: each part from the newest result of this kind of
    machine that has enough of it, with the commit, the judge's and the day that it was measured."""
    results = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    results.sort(key=lambda result: result["last_utc"])
    if not results:
        return None
    machine = [(result["cpu"], result["cpus"]) for result in results]
    results = [result for result, of in zip(results, machine) if of == machine[-1]]
    for result in results:
        judges = ", ".join(result.get("judges") or [result["commit"]])
        of = {"commit": result["commit"], "judge": judges, "day": result["first_utc"][:10]}
        slower = result.get("distributions", [])
        for part in (result["nulls"], result["cost"], *result["effects"], *slower):
            if part:
                part.update(of)
    percents = sorted({effect["built_percent"] for r in results for effect in r["effects"]})
    effects = [
        [e for r in results for e in r["effects"] if e["built_percent"] == p] for p in percents
    ]
    costs = [result["cost"] for result in results if result["cost"]]
    slower = {d["slow"]: [] for r in results for d in r.get("distributions", [])}
    for result in results:
        for one in result.get("distributions", []):
            slower[one["slow"]].append(one)
    return {
        **results[-1],
        "nulls": best_of([result["nulls"] for result in results]),
        "effects": [best_of(parts) for parts in effects],
        "distributions": [best_of(parts) for parts in slower.values()],
        "cost": costs[-1] if costs else None,
        "seconds": sum(result["seconds"] for result in results),
    }
