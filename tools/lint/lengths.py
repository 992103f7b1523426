"""Files have at most 400 lines, functions at most 60 (kernels 100).

Pure tables are no functions, and data and generated files are not code: they may be longer.
"""

import ast
import re

import sources

FILE_LINES = 400
FUNCTION_LINES = 60
KERNEL_FUNCTION_LINES = 100
CODE_SUFFIXES = {".cpp", ".h", ".py", ".sh", ".cmake", ".j2", ".css", ".js"}
CODE_NAMES = {"Makefile", "CMakeLists.txt", "new_op", "new_layer"}
EXEMPT_FILES = ["reports/generated/*", "reference/published/*", "reports/assets/vendor/*"]

_TYPE_HEAD = re.compile(r"(?:inline\s+|export\s+)?(?:namespace|class|struct|enum|union)\b")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def _function_limit(path):
    return KERNEL_FUNCTION_LINES if path.parts[0] == "kernels" else FUNCTION_LINES


def _without_pairs(text, opening, closing):
    """`text` without everything between matching brackets, brackets included."""
    pair = re.compile(rf"\{opening}[^{opening}{closing}]*\{closing}")
    while pair.search(text):
        text = pair.sub("", text)
    return text


def _is_function_head(head):
    """Does the text between the last `;{}` and a `{` start the body of a function?"""
    head = _without_pairs(_without_pairs(head, "{", "}"), "<", ">")
    outside = _without_pairs(head, "(", ")").replace("template", "").strip()
    outside = re.sub(r"\boperator\s*[^\w\s]+", "operator", outside)
    if "(" not in head or "(" in outside or ")" in outside or "=" in outside:
        return False  # a scope, a call, or an initialiser (that is, a table)
    return bool(outside) and not _TYPE_HEAD.match(outside)


def cpp_functions(text):
    """(first line, last line, name) of every function body; lambdas count to the one around."""
    clean = sources.blank_cpp(text)
    clean = _DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), clean)
    depth = 0
    function = None  # depth of its brace, first line, name
    initialiser = None  # depth of the brace of `x_{1}`, which ends no head
    head_start = 0
    for match in re.finditer(r"[{};]", clean):
        at, sign = match.start(), match.group(0)
        if sign == "{":
            if function is None and initialiser is None:
                head = clean[head_start:at]
                if at > 0 and not clean[at - 1].isspace():
                    initialiser = depth
                elif _is_function_head(head):
                    line = text.count("\n", 0, at - len(head.lstrip())) + 1
                    name = re.search(r"([\w~:]+)\s*\(", head)
                    function = (depth, line, name.group(1) if name else "operator")
            depth += 1
        elif sign == "}":
            depth -= 1
            if function and function[0] == depth:
                yield function[1], text.count("\n", 0, at) + 1, function[2]
                function = None
        if function is None and initialiser is None:
            head_start = at + 1
        elif sign == "}" and initialiser == depth:
            initialiser = None


def python_functions(text):
    """(first line, last line, name) of every function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def _functions(path, text):
    if sources.is_cpp(path):
        return cpp_functions(text)
    return python_functions(text) if path.suffix == ".py" else []


def check(root, files):
    """Problems, one `file:line: what` each."""
    problems = []
    for path in files:
        if path.suffix not in CODE_SUFFIXES and path.name not in CODE_NAMES:
            continue
        if sources.matches(path, EXEMPT_FILES):
            continue
        text = sources.read(root, path) or ""
        lines = text.count("\n")
        if lines > FILE_LINES:
            problems.append(f"{path}:1: {lines} lines, at most {FILE_LINES}: split it by purpose")
        limit = _function_limit(path)
        for first, last, name in _functions(path, text):
            if last - first + 1 > limit:
                problems.append(
                    f"{path}:{first}: {name} has {last - first + 1} lines, at most {limit}"
                )
    return problems
