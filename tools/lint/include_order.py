"""Includes go down the layer table only, and third-party headers stay in their places."""

import re
from pathlib import Path

import sources

# Folder -> folders of ours that its files may include, beside itself. The longest prefix counts.
# A folder stands for all below it; with `/.` at its end, for the files that lie directly in it.
_FLOOR = ["harness/core", "kernels/runtime", "kernels/math", "kernels/half"]
_HARNESS = [
    f"harness/{room}"
    for room in (
        "core",
        "stats",
        "store",
        "foreign",
        "run",
        "report",
        "judge",
        "shards",
        "audit",
        "adapters",
    )
]
LAYERS = {
    "kernels/runtime": ["harness/core"],
    "kernels/math": ["kernels/runtime"],
    "kernels/half": ["harness/core", "kernels/runtime"],
    "kernels/elementwise": _FLOOR,
    "kernels/activations": _FLOOR + ["kernels/elementwise"],
    "kernels/layout": _FLOOR,
    "kernels/reduce": _FLOOR,
    "kernels/gemm": _FLOOR,
    "kernels/norm": _FLOOR + ["kernels/reduce"],
    "kernels/pool2d": _FLOOR + ["kernels/norm"],
    "kernels/recurrent": _FLOOR + ["kernels/activations", "kernels/elementwise", "kernels/gemm"],
    "kernels/conv/shape": _FLOOR + ["kernels/gemm"],
    "kernels/conv/winograd": _FLOOR + ["kernels/conv/shape", "kernels/gemm"],
    "kernels/conv/ways": _FLOOR + ["kernels/conv/shape", "kernels/conv/winograd", "kernels/gemm"],
    "kernels/conv": _FLOOR
    + ["kernels/conv/shape", "kernels/conv/ways", "kernels/conv/winograd", "kernels/gemm"],
    "kernels/probes": _FLOOR + ["kernels/elementwise", "kernels/reduce"],
    "kernels/opencl": ["harness/core"],
    "layers/core": ["harness/core", "kernels"],
    "layers": ["harness/core", "kernels", "layers/core"],
    "layers/training": ["harness/core", "kernels", "layers/core"],
    "layers/apps": ["harness/core", "kernels", "layers"],
    "reference/spec": ["harness/core"],
    **{
        f"reference/{family}": ["harness/core", "reference/spec"]
        for family in (
            "conv",
            "elementwise",
            "gemm",
            "layout",
            "norm",
            "pool2d",
            "probes",
            "training",
        )
    },
    "reference/activations": ["harness/core", "reference/spec", "reference/elementwise"],
    "reference/dqn2048": ["harness/core", "reference/spec"],
    "reference/recurrent": ["harness/core", "reference/spec"],
    "reference/reduce": ["harness/core", "reference/spec"],
    "reference/before": ["harness/core", "reference"],
    "reference/peers": ["harness/core", "reference"],
    "harness/core/tensor": [],
    "harness/core": ["harness/core/tensor"],
    "harness/core/io": ["harness/core"],
    "harness/core/host": ["harness/core"],
    "harness/core/suite": ["harness/core"],
    "harness/worker/allocs": ["harness/core"],
    "harness/worker/counters": ["harness/core"],
    "harness/worker/protocol": ["harness/core"],
    "harness/worker": [
        "harness/core",
        "harness/worker/allocs",
        "harness/worker/counters",
        "harness/worker/protocol",
    ],
    "harness/library": ["harness/core", "harness/worker/."],
    "harness/adapters": ["harness/core", "harness/worker/protocol", "harness/foreign"],
    "harness/stats/base": ["harness/core"],
    "harness/stats": ["harness/core", "harness/stats/base"],
    "harness/stats/history": ["harness/core", "harness/stats/base", "harness/stats"],
    "harness/stats/gate": ["harness/core", "harness/stats/base", "harness/stats"],
    "harness/store/record": ["harness/core"],
    "harness/store/rows": ["harness/core", "harness/store/.", "harness/store/record"],
    "harness/store/history": [
        "harness/core",
        "harness/stats/base",
        "harness/store/.",
        "harness/store/record",
        "harness/store/rows",
    ],
    "harness/store/care": [
        "harness/core",
        "harness/store/.",
        "harness/store/record",
        "harness/store/rows",
        "harness/store/history",
    ],
    "harness/store/backend": ["harness/core", "harness/store/.", "harness/store/rows"],
    "harness/store": [
        "harness/core",
        "harness/store/backend",
        "harness/store/record",
        "harness/store/rows",
        "harness/store/history",
    ],
    "harness/foreign/import": [
        "harness/core",
        "harness/foreign/.",
    ],
    "harness/foreign/export": [
        "harness/core",
        "harness/stats",
        "harness/foreign/.",
    ],
    "harness/foreign": [
        "harness/core",
        "harness/store/record",
        "harness/foreign/import",
    ],
    "harness/report/base/data": ["harness/core", "harness/stats", "harness/judge/history"],
    "harness/report/base": [
        "harness/core",
        "harness/stats",
        "harness/judge/history",
        "harness/report/base/data",
    ],
    "harness/report/forms": ["harness/core", "harness/stats", "harness/report/base"],
    "harness/report/gate": [
        "harness/core",
        "harness/stats",
        "harness/report/base",
        "harness/judge/gate",
    ],
    "harness/report/stored": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/foreign",
        "harness/run",
        "harness/judge",
        "harness/report/base",
        "harness/report/gate",
    ],
    "harness/report/runs": [
        "harness/core",
        "harness/store",
        "harness/judge/history",
        "harness/report",
        "harness/report/base",
        "harness/report/forms",
        "harness/report/stored",
    ],
    "harness/report/site": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/audit/read",
        "harness/run/plan",
        "harness/judge",
        "harness/report/base",
        "harness/report/forms",
        "harness/report/gate",
        "harness/report/stored",
    ],
    "harness/report": [
        "harness/core",
        "harness/stats",
        "harness/report/base",
        "harness/report/forms",
    ],
    "harness/run/workers": ["harness/core"],
    "harness/run/plan": ["harness/core", "harness/run/workers"],
    "harness/run": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/run/plan",
        "harness/run/workers",
    ],
    "harness/shards": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/run",
        "harness/judge/builds",
        "harness/judge/gate",
    ],
    "harness/judge/builds": ["harness/core", "harness/run", "harness/adapters"],
    "harness/judge/gate": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/run",
        "harness/judge/builds",
    ],
    "harness/judge/history": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/judge/builds",
    ],
    "harness/judge/nightly": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/run",
        "harness/judge/builds",
        "harness/judge/gate",
        "harness/judge/history",
    ],
    "harness/judge/backfill": [
        "harness/core",
        "harness/stats",
        "harness/store",
        "harness/run",
        "harness/judge/builds",
        "harness/judge/gate",
        "harness/judge/history",
    ],
    "harness/judge/evaluation": ["harness/core", "harness/stats"],
    "harness/audit/read": ["harness/core"],
    "harness/audit/checks": ["harness/core", "harness/audit/read"],
    "harness/audit/consistency": ["harness/core", "harness/audit/read", "harness/audit/checks"],
    "harness/audit": [
        "harness/core",
        "harness/audit/read",
        "harness/audit/checks",
        "harness/audit/consistency",
    ],
    "harness/cli/text": _HARNESS + ["harness/cli/."],
    "harness/cli/verbs": _HARNESS + ["harness/cli/.", "harness/cli/text"],
    "harness/cli": ["harness"],
    "harness/fuzz": [
        "harness/core",
        "harness/store/record",
        "harness/foreign",
        "harness/run",
        "harness/judge",
        "harness/audit/.",
    ],
}

# Third-party header -> where alone it may be included.
PLACES = [
    (r"benchmark/.*", ["harness/worker/*.cpp"]),
    (r"soci/.*|soci\.h|sqlite3\.h|libpq-fe\.h", ["harness/store/*"]),
    (r"hwy/.*", ["kernels/*", "layers/*"]),
    (
        r"CLI/.*",
        [
            "harness/cli/*",
            "harness/judge/evaluation/judge_eval.cpp",
            "layers/core/program.h",
        ],
    ),
    (r"toml\+\+/.*|toml\.hpp", ["harness/core/*", "harness/cli/*", "harness/adapters/*"]),
    (r"openssl/.*", ["harness/core/*"]),
    (r"cmark-gfm.*", ["harness/audit/read/document.cpp"]),
]
# Programs like those of other projects, which include nothing of ours.
OTHERS = {"harness/adapters/testing/gbench_support.cpp"}
GENERATED = {"nsop_build_info.h"}  # written by the build
AT_MOST_ONE = [r"benchmark/.*", r"openssl/.*"]  # headers that a single file may include

_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def layer_of(path):
    """The entry of LAYERS that a path belongs to, or None."""
    inside = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(inside, key=len) if inside else None


def floor_of(path):
    """The folder that the rooms of a path share: `kernels`, `layers`, `reference`, `harness/x`."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] == "harness" else 1])


def is_test_code(path):
    """A test, or what tests share: that lies in a folder `testing` and ends in `_support`."""
    return "/testing/" in path or sources.is_test(Path(path))


def _place(path):
    return layer_of(path) or floor_of(path)


def _may_include(path):
    """The folders of ours whose files a file may include, with all below them, beside its own room.

    Tests may include all rooms of their floor.
    """
    if not is_test_code(path):
        return LAYERS.get(_place(path), [])
    floor = floor_of(path)
    rooms = [room for room in LAYERS if floor_of(room + "/") == floor]
    return [floor] + [folder for room in rooms for folder in LAYERS[room]]


def allowed(path, included):
    """May the file `path` include our file `included`?"""
    if is_test_code(included) and not is_test_code(path):
        return False
    place = _place(included)
    return place == _place(path) or any(
        folder == f"{place}/." or f"{place}/".startswith(f"{folder}/")
        for folder in _may_include(path)
    )


def includes(text):
    """(line, name, ours) of every #include."""
    for match in _INCLUDE.finditer(sources.blank_cpp(text, keep_strings=True)):
        line = text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
        yield line, match.group(1) or match.group(2), match.group(1) is not None


def _check_ours(root, path, line, name):
    if not (root / name).is_file():
        return (
            f'{path}:{line}: "{name}" is not a file of the project, expected a path from the root'
        )
    if not allowed(path.as_posix(), name):
        return f"{path}:{line}: {_place(path.as_posix())} must not include {name}"
    return None


def _check_third_party(path, line, name):
    for pattern, places in PLACES:
        if re.fullmatch(pattern, name) and not sources.matches(path, places):
            return f"{path}:{line}: <{name}> belongs in {', '.join(places)} only"
    return None


def check(root, files):
    """Problems, one `file:line: what` each."""
    problems = []
    users = {pattern: [] for pattern in AT_MOST_ONE}
    for path in filter(sources.is_cpp, files):
        if path.parts[0] == "examples" or str(path) in OTHERS:  # projects of their own
            continue
        for line, name, ours in includes(sources.read(root, path) or ""):
            if any(re.fullmatch(pattern, name) for pattern, _ in PLACES):
                problems.append(_check_third_party(path, line, name))
            elif ours and name not in GENERATED:
                problems.append(_check_ours(root, path, line, name))
            for pattern in AT_MOST_ONE:
                if re.fullmatch(pattern, name) and path not in users[pattern]:
                    users[pattern].append(path)
    for pattern, paths in users.items():
        if len(paths) > 1:
            names = ", ".join(map(str, paths))
            problems.append(f"{paths[1]}:1: only one file may include {pattern}: {names}")
    return [problem for problem in problems if problem]
