"""python3 -m harness.judge.evaluation --out DIR [--full] [--recording CSV ...]"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from . import files, gate_score, history_score, live, render


OWN_RECORDINGS = Path(__file__).parent / "recordings"


def score_recording(path, folder):
    """A recording of programs against themselves, by design: every worse or better is wrong."""
    source = Path(path)
    if source.suffix == ".gz":
        plain = folder / source.stem
        plain.write_bytes(gzip.decompress(source.read_bytes()))
        source = plain
    verdicts = {}
    for row in files.ask("gate", source):
        design = row["case_id"].split("/")[0] if "/" in row["case_id"] else "all"
        verdicts.setdefault(design, Counter())[row["verdict"]] += 1
    return [
        {"recording": f"{source.name}, {design}", **counts}
        for design, counts in sorted(verdicts.items())
    ]


def write(folder, result):
    """judge.json, judge.md and its plots, the Markdown last: it names the others."""
    plots = {"power": "judge-power.png", "alarms": "judge-alarms.png", "live": "judge-live.png"}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "judge.json").write_text(json.dumps(result, indent=1) + "\n")
    (folder / plots["power"]).write_bytes(render.power_plot(result["gate"]))
    (folder / plots["alarms"]).write_bytes(render.alarm_plot(result["history"]))
    if result.get("live"):
        (folder / plots["live"]).write_bytes(render.live_plot(result["live"]))
    (folder / "judge.md").write_text(render.markdown(result, plots))
    print(folder / "judge.md")


def keep(measured):
    """Stores a live result with the project: it can't be drawn again from a seed."""
    live.RESULTS.mkdir(exist_ok=True)
    name = time.strftime("%Y-%m-%d", time.gmtime())
    (live.RESULTS / f"{name}.json").write_text(json.dumps(measured, indent=1) + "\n")


def rendered_again(out):
    """The report with its other scores as they are, and the newest live result."""
    source = out / "judge.json"
    result = json.loads(source.read_text())
    result["live"] = live.stored()
    write(out, result)
    return 0


def main():
    parser = argparse.ArgumentParser(prog="judge-eval", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of judge.json")
    parser.add_argument("--full", action="store_true", help="three seeds and more copies: an hour")
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--recording", action="append", default=[], help="A/A recording, CSV")
    parser.add_argument("--render", type=Path, metavar="JSON", help="only render stored scores")
    live.add_options(parser)
    parser.add_argument(
        "--only-live", action="store_true", help="leave the other scores as they are"
    )
    parser.add_argument("--builds", type=Path, help="live: folder that keeps the builds")
    options = parser.parse_args()
    if options.render:
        write(options.out, json.loads(options.render.read_text()))
        return 0
    seeds = range(options.seed, options.seed + (3 if options.full else 1))
    if not files.PROGRAM.exists():
        print(f"judge-eval: {files.PROGRAM} is missing; run: make build", file=sys.stderr)
        return 5
    with tempfile.TemporaryDirectory(prefix="nsop-judge-eval-") as name:
        folder = Path(name)
        if options.live:
            keep(live.measure(Path(options.builds or name), options))
            if options.only_live:
                return rendered_again(options.out)
        result = {
            "schema": "nsop.judge/1",
            "seeds": list(seeds),
            "gate": gate_score.score(folder, seeds, 40),
            "history": history_score.score(folder, seeds, 10 if options.full else 5),
            "recordings": [
                row
                for path in [*sorted(OWN_RECORDINGS.glob("*.gz")), *options.recording]
                for row in score_recording(path, folder)
            ],
            "live": live.stored(),
        }
    write(options.out, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
