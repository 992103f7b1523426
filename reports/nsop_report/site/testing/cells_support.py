"""Names and cells of invented models."""

import hashlib

HOSTS = ["ab12cd34", "77fe0012"]


def ident(text, size=12):
    """A stable hexadecimal id of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:size]


def duration(ns):
    """A duration as people read it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def time_cell(ns, doubt=False):
    text = duration(ns) + (" ?" if doubt else "")
    lo, hi = ns * 0.97, ns * 1.04
    ends = f"[{duration(lo)}, {duration(hi)}]"
    cell = {"kind": "time", "value": ns, "text": text, "interval": [lo, hi], "interval_text": ends}
    return {**cell, "doubt": True} if doubt else cell


def count_cell(number):
    return {"kind": "count", "value": number, "text": f"{number:,}"}
