"""python3 -m harness.judge.evaluation --out DIR [--full] [--data FOLDER ...]

Without more: the score of the rules on synthetic data and own recordings. With --live or
--build-only: gates on this machine."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import distribution_score, files, gate_score, hidden_score, history_score
from . import layout_score, live, live_builds, margin_score, recorded_score, sources
from .page import charts, compact, plots, render, targets
from .unseen import score as unseen, text as unseen_text

RECORDINGS = Path(__file__).parent / "recordings"
PLOTS = {"power": "judge-power.svg", "alarms": "judge-alarms.svg", "live": "judge-live.svg"}


def lines(result):
    """JSON with a line for each score."""
    stored = compact.packed(result)
    parts = (f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in stored.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(path):
    return compact.unpacked(json.loads(path.read_text()))


def write(folder, result):
    """judge.json, and what that renders to: judge.md and its plots, the Markdown last, which names
    the others."""
    folder.mkdir(parents=True, exist_ok=True)
    said = {"headline": targets.headline(targets.rows(result)), "charts": charts.of(result)}
    result = {**result, **said}
    (folder / "judge.json").write_text(lines(result))
    result = read(folder / "judge.json")
    (folder / PLOTS["power"]).write_bytes(plots.power_plot(result["gate"]))
    (folder / PLOTS["alarms"]).write_bytes(plots.alarm_plot(result["history"]))
    if result.get("live"):
        (folder / PLOTS["live"]).write_bytes(plots.live_plot(result["live"]))
    (folder / "judge.md").write_text(render.markdown(result, PLOTS))
    print(folder / "judge.md")


def rendered_again(out):
    """The report with its other scores as they are, and the newest live result."""
    source = out / "judge.json"
    if not source.exists():
        raise files.Refused(f"{source}: no report to add to; run: make judge-eval")
    result = read(source)
    result["live"] = live.stored()
    write(out, result)


def speed():
    """CPU seconds of the change points of a large suite."""
    (row,) = files.ask("speed")
    return {key: float(value) for key, value in row.items()}


def timed(name, score, *arguments, **options):
    """The score; says on stderr how long it took."""
    begin = time.monotonic()
    scores = score(*arguments, **options)
    print(f"judge-eval: {name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return scores


def independent(folder, seeds, copies):
    """Gates and histories of generators that share nothing with those that the rules grew up on."""
    return {
        "gate": gate_score.score(folder, seeds, 4 * copies, source=sources.OTHERS),
        "history": history_score.shown(
            history_score.score(folder, seeds, copies, source=sources.OTHERS)
        ),
    }


def drawn(folder, seeds, full):
    """Everything that needs no clock, and the speed of the change points."""
    copies = 10 if full else 5
    return {
        "schema": "nsop.judge/2",
        "seeds": list(seeds),
        "gate": gate_score.shown(timed("gates", gate_score.score, folder, seeds, 40)),
        "distributions": timed("distributions", distribution_score.score, folder, seeds, 20),
        "margin": timed("margin", margin_score.score, folder, seeds, 1000),
        "layouts": timed("layouts", layout_score.score, folder, seeds, 20),
        "history": history_score.shown(
            timed("histories", history_score.score, folder, seeds, copies)
        ),
        "hidden": timed("hidden changes", hidden_score.score, folder, seeds, 1),
        "independent": timed("other generators", independent, folder, seeds, copies),
        "recordings": [
            row
            for path in sorted(RECORDINGS.glob("*.gz"))
            for row in recorded_score.equal_builds(path, folder)
        ],
        "neighbours": [
            row
            for path in sorted(RECORDINGS.glob("*.gz"))
            for row in recorded_score.neighbours(path, folder)
        ],
        "public": [
            recorded_score.public(path, folder) for path in sorted(RECORDINGS.glob("*.csv"))
        ],
        "speed": speed(),
        "live": live.stored(),
    }


def parsed():
    parser = argparse.ArgumentParser(prog="judge-eval", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of judge.json")
    parser.add_argument("--full", action="store_true", help="more copies: an hour")
    parser.add_argument("--seed", type=int, default=201, help="first of the synthetic sets (201)")
    parser.add_argument("--seeds", type=int, default=20, help="so many of them (20)")
    parser.add_argument(
        "--data",
        type=Path,
        action="append",
        default=[],
        help="only score this folder or recording, in the CSV formats of docs/statistics.md",
    )
    parser.add_argument("--render", type=Path, metavar="JSON", help="only render stored scores")
    live.add_options(parser)
    return parser.parse_args()


def score(options):
    if options.render:
        return write(options.out, read(options.render))
    if not files.PROGRAM.exists():
        raise files.Refused(f"{files.PROGRAM} is missing; run: make build")
    if options.build_only or options.live:
        kept = live.run(options)
        return rendered_again(options.out) if kept else None
    seeds = range(options.seed, options.seed + options.seeds)
    with tempfile.TemporaryDirectory(prefix="nsop-judge-eval-") as name:
        for source in options.data:
            print(unseen_text.text(unseen.score(source, Path(name))))
        return None if options.data else write(options.out, drawn(Path(name), seeds, options.full))


def main():
    try:
        score(parsed())
    except (files.Refused, live_builds.NotBuilt, live.Failed, OSError) as error:
        print(f"judge-eval: {error}", file=sys.stderr)
        return 5
    except subprocess.CalledProcessError as error:
        print(
            f"judge-eval: {' '.join(map(str, error.cmd))}: exit {error.returncode}", file=sys.stderr
        )
        return 5
    return 0


if __name__ == "__main__":
    sys.exit(main())
