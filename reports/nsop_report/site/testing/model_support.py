"""Invented models of sites, of any size, by the contract nsop.site/1; the same for the same call.

As a program: `python3 -m nsop_report.site.testing.model_support CASES FILE [--hostile|--failed]`.
"""

import json
import random
import sys

from nsop_report.site.testing.cells_support import HOSTS, count_cell, duration, ident, time_cell
from nsop_report.site.testing.charts_support import judge, roofline, sweep

OPS = [
    ("conv2d", "forward", "conv2d pass=forward in=8x64x32x32 out={n} k=3 s=1 p=1 bias=1"),
    ("relu", "forward", "relu pass=forward n={n} range=-3:3"),
    ("dense", "backward", "dense pass=backward batch=32 in=1024 out={n} bias=1"),
    ("softmax", "forward", "softmax pass=forward rows=64 n={n}"),
    ("sum", "", "sum n={n}"),
]
BOUNDS = ["compute", "L1", "L2", "L3", "DRAM", "overhead", "unknown"]
VERDICTS = ["better", "worse", "same", "inconclusive", "not judged"]
METHODS = (
    "case suite variant threads machine run note alert"
    " time interval doubt peer gap limit bound allocs verdict same worse better inconclusive"
    " not-judged history change gate margin trust recoverable roofline power"
).split()
HOSTILE = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"quotes' and `ticks` & entities &lt;",
    "right \u202eto left\u202c and \u2066isolates\u2069",
    "ansi \x1b[31mred\x1b[0m \x07 and \x00",
    "]]> --> {{ 7*7 }} {% raw %}",
    "line\nbreak\u2028separator\u2029",
    "lone \ud800 surrogate",
    "long " + "x" * 10_000,
    "__proto__",
    "javascript:window.pwned=1",
    "שלום עולם",
]


def history(rng, ns, size, with_change):
    """A history of `size` runs; one with a change has it at two thirds."""
    at = size * 2 // 3
    points, commit = [], ""
    for i in range(size):
        level = ns * (0.9 if with_change and i < at else 1)
        value = level * rng.uniform(0.985, 1.02)
        seconds = 1_780_000_000 + i * 86_400
        commit = ident(f"{ns} {i}")
        why = "the machine was busy" if i % 17 == 5 else ""
        said = duration(value)
        if i % 23 == 7:
            value, said, why = None, "", "crashed"
        points.append([seconds, value, said, ident(f"run {i}", 8), commit, why])
    changes, levels = [], [[0, size - 1, ns]]
    if with_change and size > 6:
        changed = points[at][4]
        text = "+10.2 % [+6.0 %, +14.5 %]"
        command = f"nsop bisect {points[at - 1][4]} {changed} 'relu n=1000'"
        changes = [
            {"at": at, "text": text, "verdict": "worse", "commit": changed, "command": command}
        ]
        levels = [[0, at - 1, ns * 0.9], [at, size - 1, ns]]
    said = "One change of its level in" if changes else "No change of its level in"
    return {
        "conclusion": f"{said} {size} runs.",
        "points": points,
        "changes": changes,
        "levels": levels,
    }


def row(rng, line, who, threads, host, ns, **options):
    """A row of a case; ours if `who` has a target."""
    variant, _, target = who.partition("@")
    ours = bool(target)
    failed = options.get("failed")
    points = options.get("points", 24)
    cell = {"kind": "missing", "value": None, "text": "wrong"} if failed else None
    cell = cell or time_cell(ns, doubt=rng.random() < 0.1)
    doubts = ["only 5 invocations, of which one was preempted"] if cell.get("doubt") else []
    gap = rng.uniform(0.3, 3)
    verdict = VERDICTS[rng.randrange(5)]
    peer = {"kind": "ratio", "value": gap, "text": f"{gap:.2f}x the time", "verdict": verdict}
    peer["interval_text"] = f"[{gap * 0.97:.2f}, {gap * 1.03:.2f}]"
    share = rng.uniform(0.2, 1)
    limit = {"kind": "percent", "value": share, "text": f"{100 * share:.0f} %"}
    rest = {"kind": "time", "value": ns * (1 - share), "text": duration(ns * (1 - share))}
    known = ours and not failed
    if doubts:
        for one in (peer, limit, rest):
            one["text"] += " ?"
    note = {"kind": "chose", "who": who, "text": "winograd, because of its 3 x 3 kernel"}
    made = {
        "id": f"{variant}-{target or 'any'}-{threads}-{host}",
        "variant": variant,
        "target": target,
        "threads": threads,
        "host": host,
        "who": who,
        "ours": ours,
        "suites": ["conv"],
        "status": "wrong" if failed else "ok",
        "run": "5f41c9cd",
        "commit": "d58d7c57abcd",
        "utc": "2026-11-26 10:00",
        "time": cell,
        "peer_name": "onednn" if known else "",
        "peer": peer if known else None,
        "limit": limit if known else None,
        "bound": BOUNDS[rng.randrange(7)] if known else "unknown",
        "allocs": count_cell(0 if ours else 3),
        "bytes": {"kind": "bytes", "value": 0, "text": "0 B"},
        "gap": gap if known else None,
        "recoverable": rest if known else None,
        "doubts": doubts,
        "notes": [note] if known else [],
        "command": f"nsop run '{line}' --variant {who}",
        "invocations": [] if failed else [ns * rng.uniform(0.97, 1.05) for _ in range(25)],
        "invocations_text": "" if failed else f"25 processes, from {duration(ns * 0.97)}",
        "history": history(rng, ns, points, rng.random() < 0.3) if known and points > 1 else None,
    }
    made["invocation_texts"] = [duration(time) for time in made["invocations"]]
    return made


def gate_of(rng, case, gate):
    change = {"kind": "percent", "value": 0.102, "text": "+10.2 %", "interval_text": "[+6, +14]"}
    return {
        **{key: gate[key] for key in ("id", "utc", "base", "head")},
        "row": "hwy@AVX3, 1 thread",
        "verdict": VERDICTS[rng.randrange(5)],
        "change": change,
        "note": "",
    }


def gate(number, rows, rng):
    def one(case):
        ratio = rng.choice([0.9, 1.0, 1.0, 1.0, 1.03, 1.1]) * rng.uniform(0.995, 1.005)
        half = rng.uniform(1.002, 1.03)
        lo, hi = ratio / half, ratio * half
        verdict = "inconclusive"
        if lo > 1.01:
            verdict = "worse"
        elif hi < 1 / 1.01:
            verdict = "better"
        elif lo > 1 / 1.02 and hi < 1.02:
            verdict = "same"
        ends = f"[{100 * (lo - 1):+.1f} %, {100 * (hi - 1):+.1f} %]"
        return {
            "case": case["case"],
            "case_id": case["id"],
            "who": "hwy@AVX3",
            "threads": 1,
            "verdict": verdict,
            "ratio": ratio,
            "lo": lo,
            "hi": hi,
            "text": f"{100 * (ratio - 1):+.1f} % {ends}",
            "note": "",
            "rounds": 10,
            "paired": rng.random() < 0.9,
            "exact": "allocs 0 -> 2" if rng.random() < 0.05 else "",
        }

    return {
        "kind": "gate",
        "id": ident(f"gate {number}", 8),
        "utc": "2026-11-27 04:36",
        "base": ident(f"base {number}"),
        "head": ident(f"head {number}"),
        "host": HOSTS[0],
        "headline": f"2 of {len(rows)} rows are slower",
        "outcome": "worse",
        "worth": 0.01,
        "same": 0.02,
        "rows": [one(case) for case in rows],
    }


def site(cases):
    def gain(case):
        first = case["rows"][0]
        keys = {"case_id": case["id"], "row": first["id"], "title": case["title"]}
        return {
            **keys,
            "case": case["case"],
            "who": first["who"],
            "text": "1.45x the time of onednn",
        }

    gains = [gain(case) for case in cases[:10] if case["rows"]]
    alert = {
        **{"id": "0123456789ab", "state": "open", "age": "3 days", "opened": "2026-11-23"},
        **{"text": "tanh got 10.2 % slower in abc123", "owner": "", "reason": ""},
        **{"first_bad": "d58d7c57abcd", "last_good": "693e526c0000"},
        "other_hosts": ["no change found on Zen 5 (1a2b3c4d), 14 runs before and 20 since"],
        "rows": [
            {"case": c["case"], "case_id": c["id"], "who": "hwy@AVX3", "text": "+10 %"}
            for c in cases[:2]
        ],
    }
    run = {
        **{"id": "5f41c9cd", "host": HOSTS[0], "commit": "d58d7c57abcd", "utc": "2026-11-26 10:00"},
        **{"origin": "local", "trust": "own", "profile": "full", "suites": ["conv", "layers"]},
        **{"ok": sum(len(case["rows"]) for case in cases), "not_ok": 0},
    }
    method = [
        {"id": one, "title": one.replace("-", " ").capitalize(), "text": f"What {one} means."}
        for one in METHODS
    ]
    return {
        "kind": "site",
        "schema": "nsop.site/1",
        "title": "nsop",
        "tool": "0.1.0",
        "newest": "2026-11-26 10:00 UTC",
        "conclusions": ["Convolutions are 1.45x as slow as the best peer at the most."],
        "nightly": {"verdict": "worse", "text": "2 rows changed their level."},
        "alerts": [alert] if cases else [],
        "gains_peers": gains,
        "gains_limit": gains,
        "stale": [{"suite": "layers", "text": "measured 14 commits ago"}] if cases else [],
        "health": [{"host": HOSTS[0], "state": "ok", "text": "two equal programs differ by 0.4 %"}],
        "hosts": [
            {"id": host, "name": "Intel® Xeon® 6", "cpus": 2, "runs": 12, "newest": "2026-11-26"}
            for host in HOSTS
        ],
        "runs": [run] if cases else [],
        "rooflines": [{**roofline(cases[:200]), "host": host} for host in HOSTS] if cases else [],
        "judge": judge(),
        "method": method,
    }


def suite_of(rows):
    return {
        **{"name": "conv", "title": "Convolutions", "text": f"all {rows} rows of this case"},
        "command": "nsop report 5f41c9cd --suite conv",
    }


def case_of(number, hostile=None, failed=False, points=24):
    """The case of that number with two machines, two variants of ours and a peer: 10 rows."""
    rng = random.Random(number)
    op, direction, form = OPS[number % len(OPS)]
    n = 16 + number
    line = hostile if hostile is not None else form.format(n=n)
    title = hostile if hostile is not None else f"{op.capitalize()} {direction}".strip()
    ns = 10 ** rng.uniform(1, 8)
    rows = []
    factors = {"hwy@AVX3": 1, "hwy@AVX2": 1.6, "onednn": 1.2, "onednn_winograd": 4}
    for who, factor in factors.items():
        for threads in (1, 2) if "@" in who else (1,):
            for host in HOSTS if "@" in who or who == "onednn" else HOSTS[:1]:
                options = {"failed": failed, "points": points if who == "hwy@AVX3" else 0}
                time = ns * factor / threads**0.8 * (1.3 if host == HOSTS[1] else 1)
                rows.append(row(rng, line, who, threads, host, time, **options))
    if hostile is not None:
        for one in rows:
            one["notes"].append({"kind": hostile[:50], "who": hostile, "text": hostile})
            one["doubts"].append(hostile)
            one["peer_name"] = hostile
            one["time"]["text"] = hostile[:200]
        rows[0]["who"] = hostile
        suite = dict.fromkeys(("name", "title", "text", "command"), hostile)
    own = ident(f"{number} {line}")
    return {
        "kind": "case",
        "id": own,
        "case": line,
        "op": op,
        "pass": direction,
        "title": title,
        "conclusion": "It takes 1.2 ms ? on 1 thread; 1.20x as fast as onednn ?.",
        "rows": rows,
        "sweep": sweep(line, n, [own] * 3) if number % 5 == 1 else None,
        "elsewhere": [],
        "suites": [suite_of(len(rows)) if hostile is None else suite],
        "gates": [],
    }


def _changes(case):
    histories = [row["history"] for row in case["rows"] if row["history"]]
    return [change for history in histories for change in history["changes"]]


def model(cases=4, gates=1, hostile=False, failed=False, points=24):
    """The lines of a model: `cases` cases of 11 rows each."""
    rng = random.Random(1)
    made = []
    for number in range(cases):
        text = HOSTILE[number % len(HOSTILE)] if hostile else None
        made.append(case_of(number, text, failed, points))
    made_gates = [gate(number, made[:977], rng) for number in range(gates)] if cases else []
    changed = next((case for case in made if _changes(case)), None)
    if made_gates and changed:
        made_gates[0]["head"] = _changes(changed)[0]["commit"]
    for at, case in enumerate(made):
        if made_gates and (at % 2 == 0 or case is changed):
            case["gates"] = [gate_of(rng, case, made_gates[0])]
        if at:
            why = {"id": made[at - 1]["id"], "case": made[at - 1]["case"], "why": "with another n"}
            case["elsewhere"] = [why]
    return [*made, *made_gates, site(made)]


def write(path, lines):
    """Writes the lines as NDJSON; returns the path as text."""
    with open(path, "wb") as file:
        for line in lines:
            try:
                file.write(json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n")
            except UnicodeEncodeError:  # a lone surrogate
                file.write(json.dumps(line).encode("ascii") + b"\n")
    return str(path)


if __name__ == "__main__":
    write(
        sys.argv[2],
        model(int(sys.argv[1]), 1, *("--" + w in sys.argv for w in ("hostile", "failed"))),
    )
