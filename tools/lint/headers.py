"""Every source has its header, or says in the comment that it begins with why not: it names the
header that declares what it has, registers variants or layers, or is a program of its own. A source
of reference/ registers what an op is, or a peer, and says what. And every source includes what it
uses of the headers that debug builds read beforehand, which builds with a sanitizer don't."""

import re

import sources

ROOMS = ["harness/*", "kernels/*", "layers/*", "reference/*"]

REASON = re.compile(r"\w\.h\b|\b[Vv]ariants?\b|\b[Ll]ayers?\b|LD_PRELOAD|libFuzzer")
PROGRAM = re.compile(r"^int main\(", re.MULTILINE)

# Of gmock, by which name its use is known.
MATCHERS = (
    "AllOf|AnyOf|Contains|DoubleNear|Each|ElementsAre|ElementsAreArray|EndsWith|HasSubstr|IsEmpty|"
    "IsSupersetOf|Key|MatchesRegex|Not|Optional|Pair|Pointwise|SizeIs|StartsWith|ThrowsMessage|"
    "UnorderedElementsAre|UnorderedElementsAreArray"
)
# What is used -> the headers of which one is included.
READ_BEFOREHAND = {
    re.compile(r"\bfmt::"): re.compile(r"#include <fmt/"),
    re.compile(r"\bRC_[A-Z_]+\("): re.compile(r"#include <rapidcheck"),
    re.compile(rf"\btesting::({MATCHERS})\b"): re.compile(r"#include <gmock/"),
}


def check_headers(root, files):
    """Sources without a header."""
    problems = []
    for path in files:
        own = path.suffix == ".cpp" and sources.matches(path, ROOMS) and not sources.is_test(path)
        if not own or (root / path.with_suffix(".h")).is_file():
            continue
        text = sources.read(root, path) or ""
        head = re.match(r"(// .*\n)*", text).group()
        registers = path.parts[0] == "reference" and head
        if not registers and not REASON.search(head) and not PROGRAM.search(text):
            problems.append(f"{path}:1: has no header {path.stem}.h and doesn't say why not")
    return problems


def check_includes(root, files):
    """Uses without their include."""
    problems = []
    for path in files:
        if not sources.is_cpp(path) or not sources.matches(path, ROOMS):
            continue
        text = sources.read(root, path) or ""
        for use, include in READ_BEFOREHAND.items():
            used = use.search(text)
            if used and not include.search(text):
                line = text.count("\n", 0, used.start()) + 1
                what = include.pattern.removeprefix("#include ")
                problems.append(f"{path}:{line}: uses {used.group(0)} but includes no {what}...>")
    return problems


def check(root, files):
    """Problems, one `file:line: what` each."""
    return check_headers(root, files) + check_includes(root, files)
