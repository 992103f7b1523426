#!/usr/bin/env python3
"""Fails if a report was edited by hand: renders every JSON again and compares the Markdown. Fails,
too, on a plot that no Markdown shows.

Without arguments compares kernels/runtime/thresholds.h with the report that it is made of, too.

usage: tools/check_generated.py [FOLDER [RENDERER]]
FOLDER is reports/generated, RENDERER reports/nsop_report. Exit 1 on a difference.
"""

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

import thresholds

ROOT = Path(__file__).resolve().parents[1]
COMMENT = "gate.md"  # of a kept run, from which tools/test_readme_table.py renders it again
sys.path.insert(0, str(ROOT / "reports"))

from nsop_report import index  # noqa: E402


def render(renderer, source, out):
    """({file name: text} of the Markdown that `source` renders to, problem)."""
    command = [sys.executable, renderer, "--json", source, "--out", out, "--no-plots"]
    if '"nsop.judge/' in source.read_text()[:200]:
        command = [
            sys.executable,
            "-m",
            "harness.judge.evaluation",
            "--render",
            source,
            "--out",
            out,
        ]
    if '"nsop.learning-report/1"' in source.read_text()[:200]:
        command = [sys.executable, ROOT / "reports/nsop_report/learning.py", "--render", source]
        command += ["--out", out, "--no-plots"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    rendered = {path.name: path.read_text() for path in sorted(Path(out).glob("*.md"))}
    if done.returncode != 0 or not rendered:
        return {}, f"{source.name}: can't be rendered: {done.stderr.strip()}"
    return rendered, None


def difference(path, rendered):
    """A short diff of the committed Markdown against what its JSON renders to; empty if equal."""
    if not path.is_file():
        return f"{path.name}: missing; run: make publish-reports"
    lines = difflib.unified_diff(
        path.read_text().splitlines(),
        rendered.splitlines(),
        path.name,
        "rendered again",
        n=0,
        lineterm="",
    )
    return "\n".join(list(lines)[:20])


def check(folder, renderer):
    """Problems, one text each."""
    problems = []
    known = set()
    sources = sorted(path for path in folder.glob("*.json") if path.name != index.AGES)
    for source in sources:
        with tempfile.TemporaryDirectory() as out:
            rendered, problem = render(renderer, source, out)
        known |= rendered.keys()
        found = [problem] + [difference(folder / name, text) for name, text in rendered.items()]
        problems += filter(None, found)
    if (folder / "README.md").is_file():
        problems += filter(None, [difference(folder / "README.md", index.markdown(folder))])
    for path in sorted(folder.glob("*.md")):
        if path.name not in known | {"README.md", COMMENT}:
            problems.append(f"{path.name}: no JSON that it is rendered from")
    return problems + orphans(folder)


def orphans(folder):
    """One problem for each plot that no report of the folder links: one that is no longer drawn."""
    shown = "\n".join(path.read_text() for path in folder.glob("*.md"))
    plots = sorted(path.name for path in folder.iterdir() if path.suffix in (".svg", ".png"))
    return [f"{name}: no report shows it; remove it" for name in plots if f"({name})" not in shown]


def main(arguments):
    folder = Path(arguments[0]) if arguments else ROOT / "reports/generated"
    renderer = Path(arguments[1]) if len(arguments) > 1 else ROOT / "reports/nsop_report"
    problems = check(folder, renderer)
    if not arguments:
        try:
            found = thresholds.problem(
                folder / "threads.json",
                thresholds.HEADER,
                thresholds.KEPT,
            )
        except (thresholds.Damaged, thresholds.Incomplete) as error:
            found = str(error)
        problems += [found] if found else []
    for problem in problems:
        print(problem)
    reports = len({path.name for path in folder.glob("*.json")} - {index.AGES})
    print(f"check_generated: {reports} reports, {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
