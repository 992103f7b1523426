"""SQL is written in harness/store only; no tracked file names a path of somebody's machine; layers
copy floats by layers/core/copy.h; threads start where ThreadSanitizer looks."""

import ast
import re

import sources

SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM"
    r"|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|VIEW|TRIGGER)|PRAGMA\s+\w+"
    r"|BEGIN\s+(IMMEDIATE|EXCLUSIVE))\b",
    re.DOTALL,
)
SQL_PLACES = ["harness/store/*"]

# Written so that this file does not match itself.
MACHINE_PATH = re.compile(
    r"(?<![\w.$}/-])/(?:workspace|work|root|home|Users)(?:/[\w.-]+|\b(?![\w/-]))"
)
MACHINE_PATH_PLACES = ["LICENSE", "tools/lint/test_*.py"]

THREAD = re.compile(
    r"std::(jthread|thread|async)\b(?!::)|\bpthread_create\b|\b(ThreadPool|shared_threads)\b"
    r"|std::execution::par|#pragma omp"
)
THREAD_PLACES = ["kernels/*", "layers/*", "reference/*", "harness/core/*", "harness/worker/*"]

# Loops over single floats in GCC 12, several times as long as memcpy and memset.
FLOAT_LOOP = re.compile(r"std::ranges::(copy\(|fill\([^;]*, 0\.0[fF]\))")
FLOAT_LOOP_PLACES = [
    "*/testing/*",
    "layers/apps/dqn2048/functional*",  # the plain tensors that reports compare with
    "layers/training/model_file.cpp",  # bytes of a file
]


def _python_strings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def check_sql(root, files):
    """SQL in string literals outside the store. Tests may damage a database as they like."""
    problems = []
    for path in files:
        if sources.matches(path, SQL_PLACES) or sources.is_test(path):
            continue
        if sources.is_cpp(path):
            strings = sources.cpp_strings(sources.read(root, path) or "")
        elif path.suffix == ".py" and path.parts[:2] != ("tools", "lint"):
            strings = _python_strings(sources.read(root, path) or "")
        else:
            continue
        for line, content in strings:
            found = SQL.search(content)
            if found:
                words = " ".join(found.group(0).split())[:40]
                problems.append(f"{path}:{line}: SQL outside harness/store: {words}")
    return problems


def check_machine_paths(root, files):
    """Absolute paths that exist on one developer's machine only."""
    problems = []
    for path in files:
        if sources.matches(path, MACHINE_PATH_PLACES):
            continue
        for number, line in enumerate((sources.read(root, path) or "").splitlines(), start=1):
            found = MACHINE_PATH.search(line)
            if found:
                problems.append(f"{path}:{number}: path of a machine: {found.group(0)}")
    return problems


def check_float_loops(root, files):
    """Copies and zeros in layers that are no memcpy or memset."""
    problems = []
    for path in files:
        if path.parts[0] != "layers" or not sources.is_cpp(path) or sources.is_test(path):
            continue
        if sources.matches(path, FLOAT_LOOP_PLACES):
            continue
        for number, line in enumerate((sources.read(root, path) or "").splitlines(), start=1):
            if FLOAT_LOOP.search(line):
                what = "copy_floats or clear_floats of layers/core/copy.h"
                problems.append(f"{path}:{number}: a loop over single floats: use {what}")
    return problems


def check_threads(root, files):
    """Threads where ThreadSanitizer does not look (CMakeLists.txt)."""
    problems = []
    for path in files:
        if not sources.is_cpp(path) or sources.matches(path, THREAD_PLACES):
            continue
        for number, line in enumerate((sources.read(root, path) or "").splitlines(), start=1):
            if THREAD.search(line):
                problems.append(
                    f"{path}:{number}: starts a thread where no ThreadSanitizer looks: "
                    "see CMakeLists.txt"
                )
    return problems


def check(root, files):
    return (
        check_sql(root, files)
        + check_machine_paths(root, files)
        + check_float_loops(root, files)
        + check_threads(root, files)
    )
