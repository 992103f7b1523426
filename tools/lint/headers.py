"""Every source has its header, or says in its first line why not."""

import sources

ROOMS = ["harness/*", "kernels/*", "layers/*", "reference/*"]


def check(root, files):
    """Problems, one `file:line: what` each."""
    problems = []
    for path in files:
        own = path.suffix == ".cpp" and sources.matches(path, ROOMS) and not sources.is_test(path)
        if not own or (root / path.with_suffix(".h")).is_file():
            continue
        if not (sources.read(root, path) or "").startswith("// "):
            problems.append(f"{path}:1: has no header {path.stem}.h and doesn't say why not")
    return problems
