"""What each line of a model holds: the fields that rendering relies on, by name and kind.

Further fields are no error: they may come with a newer tool.
"""

import re

from nsop_report.site.text import finite

CELL_KINDS = set(
    "time ns ratio multiple percent count bytes rate text code missing verdict".split()
)
LATEST = 253402300799  # seconds: the last that has a date of four digits


class Wrong(Exception):
    """What is wrong with a line, for the user."""


def check(record, fields, where):
    """Raises Wrong if a field of `record` is of another kind, or missing and not optional."""
    if not isinstance(record, dict):
        raise Wrong(f"{where}: expected an object")
    for key, sound in fields.items():
        if key in record:
            sound(record[key], where, key)
        elif not hasattr(sound, "optional"):
            raise Wrong(f"{where}: `{key}` is missing")


def _kind(kind, said):
    def sound(value, where, key):
        if type(value) is not kind:
            raise Wrong(f"{where}.{key}: expected {said}")

    return sound


def _number(value, where, key):
    if not finite(value):
        raise Wrong(f"{where}.{key}: expected a number")


def _ident(pattern):
    matches = re.compile(pattern).fullmatch

    def sound(value, where, key):
        if not isinstance(value, str) or not matches(value):
            raise Wrong(f"{where}.{key}: no safe id: {str(value)[:40]!r}")

    return sound


def _or_null(inner):
    def sound(value, where, key):
        if value is not None:
            inner(value, where, key)

    return sound


def _optional(inner):
    def sound(value, where, key):
        inner(value, where, key)

    sound.optional = True
    return sound


def _list(inner):
    def sound(value, where, key):
        if type(value) is not list:
            raise Wrong(f"{where}.{key}: expected an array")
        for at, item in enumerate(value):
            inner(item, f"{where}.{key}", f"[{at}]")

    return sound


def _object(fields):
    def sound(value, where, key):
        check(value, fields, f"{where}.{key}")

    return sound


def _numbers(value, where, key):
    if type(value) is not list or not all(map(finite, value)):
        raise Wrong(f"{where}.{key}: expected an array of numbers")


def _tuple(*inner):
    def sound(value, where, key):
        if type(value) is not list or len(value) < len(inner):
            raise Wrong(f"{where}.{key}: expected an array of {len(inner)}")
        for at, (one, item) in enumerate(zip(inner, value)):
            one(item, f"{where}.{key}", f"[{at}]")

    return sound


def _cell(value, where, key):
    check(value, _CELL, f"{where}.{key}")
    if value["kind"] not in CELL_KINDS:
        raise Wrong(f"{where}.{key}: unknown kind `{value['kind'][:40]}`")
    if not (value.get("value") is None or finite(value["value"])):
        raise Wrong(f"{where}.{key}.value: expected a number or null")
    if value.get("interval") is not None:
        _ends(value["interval"], where, f"{key}.interval")
    for name in ("interval_text", "verdict", "note"):
        if type(value.get(name, "")) is not str:
            raise Wrong(f"{where}.{key}.{name}: expected a text")


def _ends(value, where, key):
    if type(value) is not list or len(value) != 2 or not all(map(finite, value)):
        raise Wrong(f"{where}.{key}: expected two numbers")


def _seconds(value, where, key):
    if not finite(value) or not 0 <= value <= LATEST:
        raise Wrong(f"{where}.{key}: expected seconds since 1970")


def _history(value, where, key):
    check(value, _HISTORY, f"{where}.{key}")
    last = len(value["points"]) - 1
    places = [change["at"] for change in value["changes"]]
    places += [at for level in value["levels"] for at in level[:2]]
    if not all(type(at) is int and 0 <= at <= last for at in places):
        raise Wrong(f"{where}.{key}: a change or level lies at no point")


TEXT, BOOL, INT = _kind(str, "a text"), _kind(bool, "true or false"), _kind(int, "a whole number")
CASE_ID, HOST = _ident("[0-9a-f]{12}"), _ident("[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
ROW_ID, GATE_ID = _ident("[A-Za-z0-9_.@+-]{1,200}"), _ident("[0-9a-zA-Z]{1,40}")
TICKS = _list(_tuple(_number, TEXT))

_CELL = {"kind": TEXT, "text": TEXT}
_HISTORY = {
    "conclusion": TEXT,
    "points": _list(_tuple(_seconds, _or_null(_number), TEXT, TEXT, TEXT, TEXT)),
    "changes": _list(
        _object({"at": INT, "text": TEXT, "verdict": TEXT, "commit": TEXT, "command": TEXT})
    ),
    "levels": _list(_tuple(INT, INT, _number)),
}
_SERIES = {
    "who": TEXT,
    "threads": INT,
    "host": HOST,
    "points": _list(_tuple(_number, _number, TEXT, CASE_ID, _or_null(_number), TEXT, TEXT)),
}
_SWEEP = {
    "conclusion": TEXT,
    "label": TEXT,
    "series": _list(_object(_SERIES)),
    "x_ticks": TICKS,
    "y_ticks": TICKS,
}
_ROW = {
    "id": ROW_ID,
    **{key: TEXT for key in "variant target who status run commit utc peer_name bound".split()},
    **{key: TEXT for key in ("command", "invocations_text")},
    "threads": INT,
    "host": HOST,
    "ours": BOOL,
    "time": _cell,
    "peer": _or_null(_cell),
    "limit": _or_null(_cell),
    "allocs": _cell,
    "bytes": _cell,
    "gap": _or_null(_number),
    "recoverable": _or_null(_cell),
    "suites": _list(TEXT),
    "doubts": _list(TEXT),
    "notes": _list(_object({"kind": TEXT, "who": TEXT, "text": TEXT})),
    "invocations": _numbers,
    "invocation_texts": _list(TEXT),
    "history": _or_null(_history),
}
CASE = {
    "id": CASE_ID,
    **{key: TEXT for key in "case op pass title conclusion".split()},
    "rows": _list(_object(_ROW)),
    "sweep": _or_null(_object(_SWEEP)),
    "elsewhere": _list(_object({"id": CASE_ID, "case": TEXT, "why": TEXT})),
    "suites": _list(_object({key: TEXT for key in "name title text command".split()})),
    "gates": _list(
        _object(
            {
                "id": GATE_ID,
                **{key: TEXT for key in "utc base head row verdict note".split()},
                "change": _cell,
            }
        )
    ),
}
GATE = {
    "id": GATE_ID,
    "host": HOST,
    **{key: TEXT for key in "utc base head headline outcome".split()},
    "worth": _number,
    "same": _number,
    "of": _optional(TEXT),  # `runs`: two runs of a machine, not a gate
    "title": _optional(TEXT),
    "before": _optional(TEXT),  # of two runs: when, which, what each measured
    "after": _optional(TEXT),
    "rows": _list(
        _object(
            {
                "case_id": CASE_ID,
                **{key: TEXT for key in "case who verdict text note exact".split()},
                "threads": INT,
                "ratio": _or_null(_number),
                "lo": _or_null(_number),
                "hi": _or_null(_number),
                "rounds": INT,
                "paired": BOOL,
            }
        )
    ),
}
_GAIN = {"case_id": CASE_ID, "row": ROW_ID, "title": TEXT, "case": TEXT, "who": TEXT, "text": TEXT}
_ALERT = {
    "id": GATE_ID,
    **{key: TEXT for key in "state text age opened owner reason first_bad last_good".split()},
    "other_hosts": _optional(_list(TEXT)),  # what they say of the change
    "rows": _list(_object({"case": TEXT, "case_id": CASE_ID, "who": TEXT, "text": TEXT})),
}
_ROOFLINE = {
    "host": HOST,
    "threads": INT,
    **{key: TEXT for key in "title conclusion x_label y_label".split()},
    "x_ticks": TICKS,
    "y_ticks": TICKS,
    "roofs": _list(_object({"label": TEXT, "text": TEXT, "x": _numbers, "y": _numbers})),
    "points": _list(
        _object(
            {
                "case_id": CASE_ID,
                **{key: TEXT for key in "title who text x_text peer_text".split()},
                "ours": _optional(BOOL),
                "row": _optional(ROW_ID),
                "case": _optional(TEXT),
                "x": _number,
                "y": _number,
                "peer": _or_null(_tuple(_number, _number)),
            }
        )
    ),
}
_CHART = {
    **{key: TEXT for key in "title conclusion x_label y_label".split()},
    "x_ticks": TICKS,
    "y_ticks": TICKS,
    "x_linear": _optional(BOOL),
    "series": _list(
        _object(
            {
                "label": TEXT,
                "points": _list(_tuple(_number, _number, _number, _number, TEXT)),
            }
        )
    ),
}
_TABLE = {"caption": TEXT, "columns": _list(TEXT), "rows": _list(_list(TEXT))}
SITE = {
    **{key: TEXT for key in "schema title tool newest".split()},
    "conclusions": _list(TEXT),
    "nightly": _object({"verdict": TEXT, "text": TEXT}),
    "alerts": _list(_object(_ALERT)),
    "gains_peers": _list(_object(_GAIN)),
    "gains_limit": _list(_object(_GAIN)),
    "stale": _list(_object({"suite": TEXT, "text": TEXT})),
    "health": _list(_object({"host": HOST, "state": TEXT, "text": TEXT})),
    "hosts": _list(_object({"id": HOST, "name": TEXT, "cpus": INT, "runs": INT, "newest": TEXT})),
    "runs": _list(
        _object(
            {
                "host": HOST,
                **{key: TEXT for key in "id commit utc origin trust profile".split()},
                "suites": _list(TEXT),
                "ok": INT,
                "not_ok": INT,
            }
        )
    ),
    "rooflines": _list(_object(_ROOFLINE)),
    "judge": _or_null(
        _object(
            {
                "conclusion": TEXT,
                "tables": _list(_object(_TABLE)),
                "charts": _optional(_list(_object(_CHART))),
            }
        )
    ),
    "method": _list(_object({"id": _ident("[a-z][a-z0-9-]{0,39}"), "title": TEXT, "text": TEXT})),
}
