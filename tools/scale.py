#!/usr/bin/env python3
"""Times the verbs that look back on a database of many nights.

usage: tools/scale.py NSOP FOLDER [--nights N[,N...]] [--rows N] [--repetitions N]
                      [--db ADDRESS [--files FOLDER]] [--figure FILE.svg]

Measures one row for a second, makes nights of it (times wander by 1 %; the texts are sealed as nsop
seals them), fills FOLDER/scale.db with them by `nsop import` and FOLDER/nights with the files of a
data branch, up to each number of NIGHTS, each of a commit of its own in FOLDER/repository, where
the verbs run. Prints a Markdown table: seconds of wall time of each verb, the least of three; of
`import` the median over the new nights; the most memory that one of them took; the bytes on disk
per sample. A database that is there goes on from the nights that it has. With --db the nights go to
a server's database, whose files lie in --files; --figure draws the growth of each column.
"""

import argparse
import copy
import json
import math
import os
import random
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "reports")]

from nsop_report import plots  # noqa: E402

from harness.cli.testing.exchange_support import compact, sealed, sha256  # noqa: E402

FIRST = datetime(2020, 1, 1, 3, tzinfo=timezone.utc)


def start_of(number):
    return FIRST + timedelta(days=number)


def commits(repository, nights):
    """The names of that many commits of the repository, oldest first; makes those that lack."""

    def git(*words, **options):
        done = subprocess.run(
            ["git", *words],
            cwd=repository,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        return done.stdout.split()

    if not repository.is_dir():
        repository.mkdir(parents=True)
        git("init", "-q", "-b", "main")
        (repository / "nsop.toml").write_text("")  # the project, for what is run in it
    there = len(git("rev-list", "main")) if git("for-each-ref", "refs/heads/main") else 0
    stream = "".join(
        f"commit refs/heads/main\n"
        f"committer scale <scale@example.org> {int(start_of(number).timestamp()) - 3600} +0000\n"
        f"data 0\n" + ("from refs/heads/main^0\n" if number == there > 0 else "")
        for number in range(there, nights)
    )
    git("fast-import", "--quiet", input=stream)
    git("gc", "--quiet")  # as git does by itself now and then
    return git("rev-list", "--reverse", "main")[:nights]


def night(number, commit, rows, repetitions, template):
    """A run of that many rows; times wander by 1 %."""
    noise = random.Random(number)
    run, host, build, model = (copy.deepcopy(line) for line in template)
    start = start_of(number)
    run["id"] = f"{number:08d}-0000-4000-8000-000000000000"
    run["started_utc"] = start.strftime("%Y-%m-%dT%H:%M:%SZ")
    run["ended_utc"] = (start + timedelta(minutes=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    run["state"], run["plan"], run["profile"] = "complete", "", "quick"
    run["facts"] = {}
    build["commit"], build["dirty"] = commit, False
    build["id"] = sha256(build["commit"])
    invocations = []
    for row in range(rows):
        one = dict(model, id=f"{number:08d}-{row:08d}", run_id=run["id"], build_id=build["id"])
        one["row"] = dict(model["row"], case=f"relu pass=forward n={row + 1} range=-3:3")
        one["round"], one["session"] = 0, 0
        one["slot"], one["at_utc"] = row, run["started_utc"]
        ns = int(2_000_000 * (1 + 0.01 * noise.gauss(0, 1)))
        walls = [ns + noise.randrange(20_000) for _ in range(repetitions)]
        processes = [wall - noise.randrange(3000) for wall in walls]
        threads = [process - noise.randrange(1000) for process in processes]
        zeros = [0] * repetitions
        one["samples"] = {
            **{"iterations": [1000] * repetitions, "wall_ns": walls, "process_cpu_ns": processes},
            **{"thread_cpu_ns": threads, "involuntary_switches": zeros, "minor_faults": zeros},
            "major_faults": zeros,
        }
        one["metrics"] = {
            "process_cpu_ns_per_op": min(processes) / 1000,
            "wall_ns_per_op": min(walls) / 1000,
        }
        one["samples_sha256"] = sha256(compact(one["samples"]))
        order = [key for key in model if key not in ("metrics", "samples_sha256", "samples")]
        one = {key: one[key] for key in (*order, "metrics", "samples_sha256", "samples")}
        invocations.append(one)
    return [run, host, build, *invocations]


def night_file(lines, folder):
    """The file that a data branch holds of such a night."""
    run, host, build, *invocations = lines
    head = {"schema": "nsop.night/1", "type": "night", "run": run["id"]}
    head |= {key: run[key] for key in ("started_utc", "profile", "tool_version")}
    head |= {"commit": build["commit"], "toolchain": build["compiler"]}
    head["host"] = {key: value for key, value in host.items() if key != "type"}
    texts = [compact(head)]
    for one in invocations:
        row = {"type": "row", **one["row"], "status": "ok", "inputs": one["inputs_sha256"]}
        row |= {"ns": one["metrics"]["process_cpu_ns_per_op"]}
        row |= {"wall_ns": one["metrics"]["wall_ns_per_op"], "invocations": 1}
        texts.append(compact(row | {"allocs": None, "bytes": None}))
    text = "".join(line + "\n" for line in texts)
    end = {"type": "end", "n": len(invocations), "sha256": sha256(text)}
    name = run["started_utc"].translate({ord("-"): None, ord(":"): None})
    (folder / f"{name}-{run['id'][:8]}.ndjson").write_text(text + compact(end) + "\n")


def measured(nsop, folder):
    """The lines run, host, build and a timing invocation of a short run."""
    environment = dict(os.environ, NSOP_DB=str(folder / "template.db"))
    case = "relu pass=forward n=1000 range=-3:3"
    words = ["run", case, "--variant", "hwy", "--rounds", "1", "--quiet"]
    subprocess.run([nsop, *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    text = subprocess.check_output([nsop, "export", "@last"], env=environment, text=True)
    lines = [json.loads(line) for line in text.splitlines()]
    of_type = {line["type"]: line for line in lines}
    timed_one = next(one for one in lines if one.get("phase") == "time" and one["status"] == "ok")
    return of_type["run"], of_type["host"], of_type["build"], timed_one


def timed(command, environment, folder):
    """(seconds, bytes of memory) of a command that ends with 0, 1 or 3."""
    begin = time.perf_counter()
    started = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    seconds = time.perf_counter() - begin
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in (0, 1, 3):
        sys.exit(f"scale: exit {started.returncode}: {' '.join(map(str, command))}")
    return seconds, used.ru_maxrss * 1024


def ticks(values, text):
    """Powers of ten around the values, as a plot wants them."""
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    return [{"value": 10.0**power, "text": text(10.0**power)} for power in range(low, high + 1)]


def figure(points, repetitions_of_a_night):
    """A plot (reports/nsop_report/plots.py) of [(nights, {verb: seconds})]."""
    names = [name for name in points[0][1] if all(row.get(name) for _, row in points)]
    series = []
    for name in names:
        x = [nights * repetitions_of_a_night for nights, _ in points]
        y = [row[name] for _, row in points]
        series.append({"label": name, "x": x, "y": y, "lo": y, "hi": y})
    seconds = [row[name] for _, row in points for name in names]
    samples = [nights * repetitions_of_a_night for nights, _ in points]
    return {
        "kind": "lines",
        "title": "What looking back takes as the history grows",
        "x_axis": {"label": "samples stored", "ticks": ticks(samples, lambda n: f"{n:,.0f}")},
        "panels": [
            {
                "y_axis": {"label": "seconds", "ticks": ticks(seconds, lambda n: f"{n:g}")},
                "series": series,
            }
        ],
    }


def bytes_of(files):
    if files.is_dir():
        return sum(path.stat().st_size for path in files.rglob("*") if path.is_file())
    return files.stat().st_size


def nights_there(nsop, environment):
    asked = [nsop, "list", "runs", "--json"]
    done = subprocess.run(asked, env=environment, capture_output=True, check=False)
    return len(json.loads(done.stdout)["runs"]) if done.returncode == 0 else 0


def absolute(path):
    return Path(path).resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nsop", type=absolute)
    parser.add_argument("folder", type=absolute)
    parser.add_argument("--nights", default="125,250,500,1000")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--db")
    parser.add_argument("--files", type=Path)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    nights_folder, repository = options.folder / "nights", options.folder / "repository"
    nights_folder.mkdir(parents=True, exist_ok=True)
    template = measured(options.nsop, options.folder)
    environment = dict(os.environ, NSOP_DB=options.db or str(options.folder / "scale.db"))
    files = options.files or (None if options.db else options.folder / "scale.db")
    no_database = dict(os.environ, NSOP_DB=str(options.folder / "none.db"))
    one = "relu pass=forward n=7 range=-3:3"
    verbs = {
        "diff": ["diff", "@last~1", "@last", "--json"],
        "check": ["check", "--run", "@last", "--suspects-only"],
        "history, one case": ["history", one],
        "history, all rows": ["history", "relu pass=forward n=*"],
        "list runs": ["list", "runs"],
        "report": ["report", "@last", "--suite", "activations", "--out", options.folder / "pages"],
        "db verify": ["db", "verify"],
        "alerts of a folder": ["alert", "list", "--history", str(nights_folder)],
    }
    print("| Nights | import | " + " | ".join(verbs) + " | Memory | Bytes per sample |")
    print("|---:|" + "---:|" * (len(verbs) + 3))
    there = nights_there(options.nsop, environment)
    points = []
    for nights in map(int, options.nights.split(",")):
        imports, names = [], commits(repository, nights)
        for number in range(there, nights):
            file = options.folder / "night.ndjson"
            lines = night(number, names[number], options.rows, options.repetitions, template)
            night_file(lines, nights_folder)
            file.write_text(sealed(lines))
            command = [options.nsop, "import", file, "--quiet"]
            imports.append(timed(command, environment, repository)[0])
        there = max(there, nights)
        took = {"import": sorted(imports)[len(imports) // 2]} if imports else {}
        cells, memory = [f"{took['import']:.3g}" if imports else "-"], 0
        for name, words in verbs.items():
            where = no_database if name.startswith("alerts") else environment
            ran = [timed([options.nsop, *words], where, repository) for _ in range(3)]
            took[name] = min(seconds for seconds, _ in ran)
            cells.append(f"{took[name]:.3g}")
            memory = max(memory, *(used for _, used in ran))
        samples = there * options.rows * options.repetitions
        size = f"{bytes_of(files) / samples:.0f}" if files else "-"
        cells += [f"{memory / 1e6:.0f} MB", size]
        points.append((there, took))
        print(f"| {nights} | " + " | ".join(cells) + " |", flush=True)
    if options.figure:
        drawn = plots.image(figure(points, options.rows * options.repetitions))
        options.figure.write_bytes(drawn)


if __name__ == "__main__":
    main()
