"""Every source has its header, or begins with a comment, and one of these is why it has none:

- it is a program of its own: it has a `main`;
- it registers ops, variants or layers, and defines nothing that other files could use;
- the comment names the headers, which it includes, that declare all that it defines;
- the comment says `No header: REASON`.

All but the last are looked up in the code: a comment that speaks of layers or variants is no
reason.
And every source includes what it uses of the headers that debug builds read beforehand, which
builds with a sanitizer don't."""

import re

import sources

ROOMS = ["harness/*", "kernels/*", "layers/*", "reference/*"]

REASON = re.compile(r"\bNo header: \w.{9}")
PROGRAM = re.compile(r"^int main\(", re.MULTILINE)
REGISTRATION = re.compile(r"\b(Op|Variant|Forking|Layer)Row(\s+\w+\s*)?[({]")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

DIRECTIVE = re.compile(r"^[ \t]*#(.*\\\n)*.*", re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
LINKAGE = re.compile(r"\bextern\s*$")  # extern "C", whose string is blanked out
# What other files can't use: types and aliases declare, constants stay in their file.
UNSEEN = re.compile(
    r"(template\s*<[^>]*>\s*)?(static|constexpr|class|struct|enum|union|using|typedef)\b"
    r"|const\b[^(]*(=|$)"
)
DEFINED = re.compile(r"(\w+)\s*(?:\(|=|$)")

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


def _name(statement):
    """What a statement outside of functions defines for other files: its name; "" is nothing."""
    text = " ".join(statement.split())
    if not text or text.startswith("HWY_") or UNSEEN.match(text):
        return ""
    return DEFINED.search(text).group(1)


def visible_names(text):
    """Names of the functions and variables that a source defines outside of unnamed namespaces.
    Those of a namespace HWY_NAMESPACE are compiled once per target, so nobody names them either."""
    code = DIRECTIVE.sub("", sources.blank_cpp(text))
    names, scopes, start = set(), [], 0
    for mark in re.finditer(r"[{};]", code):
        statement = code[start : mark.start()]
        outside = all(scopes)
        if mark.group() == "{":
            namespace = NAMESPACE.search(statement)
            named = namespace and namespace.group(1) and "HWY_NAMESPACE" not in namespace.group(1)
            opens = namespace or LINKAGE.search(statement)
            scopes.append(bool(named or (opens and not namespace)))
            if outside and not opens:
                names.add(_name(statement))
        elif mark.group() == "}" and scopes:
            scopes.pop()
        elif outside and "=" in statement:  # without a value: a declaration
            names.add(_name(statement))
        if all(scopes) or (outside and mark.group() == ";"):
            start = mark.end()
    return names - {""}


def _includes(root, path):
    return [root / name for name in INCLUDE.findall(sources.read(root, path) or "")]


def _declared(root, path, head, names):
    """Whether the headers that the first comment names have `names`. The source includes them, or
    one of its headers does."""
    named = set(re.findall(r"[\w-]+\.h\b", head))
    direct = [header for header in _includes(root, path) if header.is_file()]
    reached = {*direct, *(further for header in direct for further in _includes(root, header))}
    declaring = [header for header in reached if header.name in named and header.is_file()]
    words = set()
    for header in declaring:
        words.update(re.findall(r"\w+", sources.blank_cpp(header.read_text())))
    return bool(declaring) and names <= words


def _says_why_not(root, path):
    """Whether a source without a header has a reason."""
    text = sources.read(root, path) or ""
    head = re.match(r"(// .*\n)*", text).group()
    sentences = re.sub(r"\n// ", " ", head)
    names = visible_names(text)
    registers = REGISTRATION.search(sources.blank_cpp(text)) and not names
    return bool(head) and bool(
        PROGRAM.search(text)
        or registers
        or REASON.search(sentences)
        or _declared(root, path, head, names)
    )


def check_headers(root, files):
    """Sources without a header."""
    problems = []
    for path in files:
        own = path.suffix == ".cpp" and sources.matches(path, ROOMS) and not sources.is_test(path)
        if not own or (root / path.with_suffix(".h")).is_file():
            continue
        if not _says_why_not(root, path):
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
