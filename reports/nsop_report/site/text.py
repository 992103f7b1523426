"""Texts of the model made inert: for HTML, for data inside HTML, and for data in scripts."""

import json
import math
import time
import unicodedata

from markupsafe import Markup, escape

LONGEST = 160  # characters of a name in a table; its page has all of it
LONGEST_SEARCHED = 300  # characters of a name in the index
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, bidi and zero width, surrogates, separators
_IN_HTML = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def visible(text):
    """`text` with each control, bidi, zero-width and surrogate character as a visible escape."""
    if text.isprintable():
        return text
    return "".join(_shown(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _shown(character):
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def all_visible(value):
    """`value` of JSON with visible() applied to every text in it."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [all_visible(item) for item in value]
    if isinstance(value, dict):
        return {key: all_visible(item) for key, item in value.items()}
    return value


def clipped(text, most=LONGEST):
    """`text`, cut where it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def name(text, most=LONGEST):
    """A name in HTML: kept from turning the text around it, cut where it is long."""
    if text.isascii():  # turns nothing
        return escape(clipped(text, most))
    return Markup("<bdi>%s</bdi>") % clipped(text, most)


def long_name(text):
    """A name in HTML in full, folded where it is long."""
    if len(text) <= LONGEST:
        return name(text)
    return Markup("<details class=long><summary>%s</summary><bdi>%s</bdi></details>") % (
        name(text),
        text,
    )


def drawn(number):
    """A number as precise as a screen: five digits; None stays None."""
    if number is None:
        return None
    short = float(f"{number:.5g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def date(seconds):
    """Unix seconds as a date and time of UTC."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


def as_json(value):
    """Compact JSON, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def data_block(value):
    """JSON that can stand in a `<script type="application/json">`."""
    text = as_json(value)
    for character, instead in _IN_HTML.items():
        text = text.replace(character, instead)
    return Markup(text)


def data_script(name_of_data, value):
    """A classic script that hands `value` to the page."""
    text = as_json(value).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"nsop.data({json.dumps(name_of_data)},{text});\n"


def finite(number):
    """Is it a number that can be drawn?"""
    kind = type(number)
    return kind is int or (kind is float and math.isfinite(number))
