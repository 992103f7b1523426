"""Includes go down the layer table only, and third-party headers stay in their places."""

import re

import sources

# Folder -> folders of ours that its files may include, beside itself. The longest prefix counts.
LAYERS = {
    "kernels": ["harness/core"],
    "layers": ["harness/core", "kernels"],
    "reference": ["harness/core"],
    "reference/before": ["harness/core", "reference"],
    "reference/peers": ["harness/core", "reference"],
    "harness/core": [],
    "harness/worker": ["harness/core"],
    "harness/stats": ["harness/core"],
    "harness/store": ["harness/core"],
    "harness/report": ["harness/core", "harness/stats", "harness/store"],
    "harness/run": ["harness/core", "harness/store"],
    "harness/judge": ["harness/core", "harness/stats", "harness/store", "harness/run"],
    "harness/cli": ["harness"],
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
            "harness/judge/judge_eval.cpp",
            "layers/program.h",
        ],
    ),
    (r"toml\+\+/.*|toml\.hpp", ["harness/core/*", "harness/cli/*"]),
    (r"openssl/.*", ["harness/core/*"]),
]
GENERATED = {"nsop_build_info.h"}  # written by the build
AT_MOST_ONE = [r"benchmark/.*", r"openssl/.*"]  # headers that a single file may include

_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def layer_of(path):
    """The entry of LAYERS that a path belongs to, or None."""
    inside = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(inside, key=len) if inside else None


def allowed(path, included):
    """May the file `path` include our file `included`?"""
    own, other = layer_of(path), layer_of(included)
    if own is None or other is None:
        return own == other
    return own == other or any((other + "/").startswith(layer + "/") for layer in LAYERS[own])


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
        return f"{path}:{line}: {layer_of(path.as_posix())} must not include {name}"
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
