"""Makes any text inert in GitHub-flavoured Markdown: names come from suites, workers and hosts.

Nothing here can be trusted to be free of pipes, backticks, HTML, links, mentions or line breaks.
"""

import functools
import re
import unicodedata

LONGEST_TEXT = 1000  # a longer name or message is cut, a command never

# Only what would do something: numbers, intervals and snake_case names stay readable as source.
# An underscore between letters or digits does nothing; beside another one it may open emphasis.
_SPECIAL = re.compile(r"[\\`*~|$]|(?<![^\W_])_|_(?![^\W_])")
_LINK = re.compile(r"\](?=[(\[:])")  # `](`, `][` and `]:` make links of brackets
_URL = re.compile(r":(?=//)")
_BLOCK_START = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[-+=>]|#(?!\d)|\[[ xX]\]))")
_WWW = re.compile(r"(?i)(?<![^\W_])www(?=\.)")  # behind an underscore, too
# `@name` behind anything but a word would notify somebody, `a@b.c` is made a link; `hwy@AVX2` is
# none of those.
_ISSUE = re.compile(r"#(?=\d)")  # `#1` and `owner/name#1` would become links to issues
_MENTION = re.compile(r"(?<![^\W_])@(?=\w)|@(?=[\w.-]*\.\w)")


def clean(text):
    """Control, bidirectional and zero-width characters and lone surrogates become U+FFFD."""
    if text.isprintable():
        return text
    # Cc control, Cf format (bidi, zero width), Cs surrogates, Zl and Zp line separators.
    bad = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return "".join("\ufffd" if unicodedata.category(c) in bad else c for c in text)


@functools.lru_cache(maxsize=20_000)  # a page repeats most of its texts
def markdown(text):
    """Text that stands for itself anywhere in a paragraph or a table cell."""
    text = clean(text)
    if len(text) > LONGEST_TEXT:
        text = text[: LONGEST_TEXT - 1] + "…"
    text = _SPECIAL.sub(r"\\\g<0>", text.strip())
    text = _LINK.sub(r"\]", text)
    text = _URL.sub(r":\\", text)
    text = _WWW.sub(r"\g<0>\\", text)
    text = _BLOCK_START.sub(lambda match: match.group(0) + "\\", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _ISSUE.sub("<span>#</span>", _MENTION.sub("<span>@</span>", text))


def brackets(text):
    """markdown(...) that can stand between the brackets of a link."""
    return re.sub(r"\\.|[\[\]]", lambda m: m[0] if len(m[0]) > 1 else "\\" + m[0], text)


def prose(text):
    """A sentence of ours or of a suite's authors: `words` between backticks are code, all else is
    text that stands for itself."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(code(part) if at % 2 else _piece(part) for at, part in enumerate(parts))


def _piece(text):
    """markdown(text) with the blanks around it."""
    inner = text.strip()
    if not inner:
        return text
    start = text[: len(text) - len(text.lstrip())]
    return start + markdown(inner) + text[len(text.rstrip()) :]


def code(text):
    """A code span outside of tables, its fence longer than any run of backticks inside."""
    text = clean(text)
    if not text.strip():
        return markdown(text)
    runs = [len(run) for run in re.findall(r"`+", text)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_cell(text):
    """A code span inside a table, where a pipe would end the cell even between backticks."""
    return code(text).replace("|", "\\|")
