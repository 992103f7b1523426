"""Loading and checking of reports, nsop.report/2 and /1: what passes here renders.

The published contract is docs/report.schema.json. This checks by hand what rendering relies on, so
that reading a report needs no package beyond the standard library.
"""

import json
import math
import re

from nsop_report import site_links
from nsop_report.errors import BAD_DATA, ReportError
from nsop_report.expand import FILE, MODEL, expanded

KINDS = "text code time ns count bytes rate ratio multiple percent verdict missing".split()
PLOT = "nsop.plot/1"
NAME = re.compile(r"[a-z][a-z0-9_]*")  # of a form: `nsop list forms`, part of a file name
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def load(path):
    """The checked report in the file `path`. Raises ReportError (bad data)."""
    return checked(parsed(path), path)


def load_plot(path):
    """The checked history plot in the file `path`. Raises ReportError (bad data)."""
    plot = parsed(path)
    try:
        if _get(plot, "schema", str, "plot") != PLOT:
            raise _Wrong(f"schema is `{plot['schema']}`, this renderer draws `{PLOT}`")
        _check_history(plot)
    except _Wrong as wrong:
        raise ReportError(BAD_DATA, f"{path}: {wrong}") from wrong
    return plot


def parsed(path):
    """The JSON in the file `path`, a report as its model. Raises ReportError (bad data)."""
    try:
        with open(path, encoding="utf-8") as file:
            return expanded(json.load(file, parse_constant=_no_constant))
    except OSError as error:
        raise ReportError(BAD_DATA, f"{path}: can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # JSON and UTF-8 errors are ValueErrors
        raise ReportError(BAD_DATA, f"{path}: no valid JSON: {error}") from error


def checked(report, where):
    """`report` itself if it is a sound model of a report. Raises ReportError (bad data)."""
    try:
        _check_report(report)
    except _Wrong as wrong:
        raise ReportError(BAD_DATA, f"{where}: {wrong}") from wrong
    return report


class _Wrong(Exception):
    pass


def _no_constant(name):
    raise ValueError(f"{name} is no JSON number")


def _get(parent, key, kind, where):
    """parent[key], which must be of type `kind`."""
    if not isinstance(parent, dict):
        raise _Wrong(f"{where}: expected an object")
    if key not in parent:
        raise _Wrong(f"{where}: `{key}` is missing")
    value = parent[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _Wrong(f"{where}.{key}: expected {_type_name(kind)}")
    return value


def _type_name(kind):
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false"}
    return names.get(kind, "a number")


def _strings(parent, key, where):
    values = _get(parent, key, list, where)
    if not all(isinstance(value, str) for value in values):
        raise _Wrong(f"{where}.{key}: expected strings only")
    return values


def _numbers(parent, key, where, allow_null=False):
    values = _get(parent, key, list, where)
    for value in values:
        if allow_null and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _Wrong(f"{where}.{key}: expected numbers only")
        if not math.isfinite(value) or value <= 0:
            raise _Wrong(f"{where}.{key}: a logarithmic axis has no place for {value}")
    return values


def _check_report(report):
    schema = _get(report, "schema", str, "report")
    if schema != MODEL:
        raise _Wrong(f"schema is `{schema}`, this renderer reads `{FILE}` and `{MODEL}`")
    for key in ("name", "title", "about"):
        _get(report, key, str, "report")
    if not NAME.fullmatch(_get(report, "form", str, "report")):
        raise _Wrong(f"unknown form `{report['form']}`: no form has such a name")
    if not site_links.is_site(report.get("site", "site")):
        raise _Wrong("report.site: expected a folder or a URL")
    _check_metadata(report)
    ids = []
    for index, section in enumerate(_get(report, "sections", list, "report")):
        ids += _check_section(section, f"sections[{index}]")
    if len(ids) != len(set(ids)):
        raise _Wrong("two plots have the same id")


def _check_metadata(report):
    run = _get(report, "run", dict, "report")
    for key in ("id", "started_utc", "state", "profile"):
        _get(run, key, str, "run")
    if report.get("previous") is not None:
        for key in ("id", "started_utc"):
            _get(_get(report, "previous", dict, "report"), key, str, "previous")
    _strings(report, "commits", "report")
    _strings(report, "warnings", "report")
    for key in ("before", "after"):
        _get(_get(report, "roles", dict, "report"), key, str, "roles")
    _get(_get(report, "host", dict, "report"), "cpu_model", str, "host")
    for index, item in enumerate(_get(report, "footer", list, "report")):
        for key in ("label", "text"):
            _get(item, key, str, f"footer[{index}]")


def _check_section(section, where):
    """Checks a section and returns the ids of its plots."""
    _get(section, "title", str, where)
    _strings(section, "notes", where)
    for index, table in enumerate(_get(section, "tables", list, where)):
        _check_table(table, f"{where}.tables[{index}]")
    plots = _get(section, "plots", list, where)
    for index, plot in enumerate(plots):
        _check_plot(plot, f"{where}.plots[{index}]")
    return [plot["id"] for plot in plots]


def _check_table(table, where):
    _get(table, "title", str, where)
    _get(table, "collapsed", bool, where)
    if "notes" in table:
        _strings(table, "notes", where)
    columns = _get(table, "columns", list, where)
    if not columns:
        raise _Wrong(f"{where}: no columns")
    for index, column in enumerate(columns):
        _get(column, "label", str, f"{where}.columns[{index}]")
        if _get(column, "align", str, f"{where}.columns[{index}]") not in ("left", "right"):
            raise _Wrong(f"{where}.columns[{index}]: align is neither left nor right")
    for index, row in enumerate(_get(table, "rows", list, where)):
        _check_row(row, len(columns), f"{where}.rows[{index}]")


def _check_row(row, width, where):
    _get(row, "label", str, where)
    cells = _get(row, "cells", list, where)
    if len(cells) != width:
        raise _Wrong(f"{where}: {len(cells)} cells for {width} columns")
    for index, cell in enumerate(cells):
        _check_cell(cell, f"{where}.cells[{index}]")
    for index, note in enumerate(_get(row, "notes", list, where)):
        for key in ("kind", "who", "text"):
            _get(note, key, str, f"{where}.notes[{index}]")


def _check_cell(cell, where):
    _get(cell, "text", str, where)
    if _get(cell, "kind", str, where) not in KINDS:
        raise _Wrong(f"{where}: unknown kind `{cell['kind']}`")
    if "value" not in cell:
        raise _Wrong(f"{where}: `value` is missing")
    for key in ("interval_text", "verdict", "note"):
        if key in cell:
            _get(cell, key, str, where)


def _check_plot(plot, where):
    kind = _get(plot, "kind", str, where)
    _get(plot, "title", str, where)
    if not SLUG.fullmatch(_get(plot, "id", str, where)):
        raise _Wrong(f"{where}.id: expected lower case letters, digits and single dashes")
    _check_axis(plot, "x_axis", where)
    if kind == "bars":
        _check_bars(plot, where)
    elif kind == "scatter":
        _check_scatter(plot, where)
    elif kind == "lines":
        for index, panel in enumerate(_get(plot, "panels", list, where)):
            _check_panel(panel, f"{where}.panels[{index}]")
    else:
        raise _Wrong(f"{where}: unknown kind `{kind}`")


def _check_axis(parent, key, where):
    axis = _get(parent, key, dict, where)
    _get(axis, "label", str, f"{where}.{key}")
    ticks = _get(axis, "ticks", list, f"{where}.{key}")
    if len(ticks) < 2:
        raise _Wrong(f"{where}.{key}: needs at least two ticks")
    for index, tick in enumerate(ticks):
        _get(tick, "text", str, f"{where}.{key}.ticks[{index}]")
    _numbers({"ticks": [tick.get("value") for tick in ticks]}, "ticks", f"{where}.{key}")


def _check_bars(plot, where):
    size = len(_strings(plot, "categories", where))
    for index, series in enumerate(_get(plot, "series", list, where)):
        here = f"{where}.series[{index}]"
        _get(series, "label", str, here)
        values = _numbers(series, "values", here, allow_null=True)
        if len(values) != size or len(_strings(series, "texts", here)) != size:
            raise _Wrong(f"{here}: expected {size} values and texts")
        for key in ("lo", "hi"):
            if key in series and len(_numbers(series, key, here)) != size:
                raise _Wrong(f"{here}.{key}: expected {size} numbers")
    if "baseline" in plot:
        _numbers({"baseline": [plot["baseline"]]}, "baseline", where)


def _check_scatter(plot, where):
    _check_axis(plot, "y_axis", where)
    for key in ("series", "roofs"):
        for index, points in enumerate(_get(plot, key, list, where)):
            here = f"{where}.{key}[{index}]"
            _get(points, "label", str, here)
            if len(_numbers(points, "x", here)) != len(_numbers(points, "y", here)):
                raise _Wrong(f"{here}: x and y differ in length")


def _check_panel(panel, where):
    _check_axis(panel, "y_axis", where)
    for index, series in enumerate(_get(panel, "series", list, where)):
        here = f"{where}.series[{index}]"
        _get(series, "label", str, here)
        lengths = {len(_numbers(series, key, here)) for key in ("x", "y", "lo", "hi")}
        if len(lengths) != 1:
            raise _Wrong(f"{here}: x, y, lo and hi differ in length")


def _check_history(plot):
    if _get(plot, "kind", str, "plot") != "history":
        raise _Wrong("a plot on its own is a history")
    _get(plot, "title", str, "plot")
    for key in ("x_axis", "y_axis"):
        _check_axis(plot, key, "plot")
    _numbers(plot, "failed", "plot")
    for key, numbers in (
        ("points", ("x", "y")),
        ("left_out", ("x", "y")),
        ("levels", ("from", "to", "y")),
        ("changes", ("x",)),
    ):
        for index, item in enumerate(_get(plot, key, list, "plot")):
            here = f"plot.{key}[{index}]"
            for name in numbers:
                _numbers({name: [_get(item, name, (int, float), here)]}, name, here)
            if key == "changes":
                for name, kind in (("worse", bool), ("text", str), ("commit", str)):
                    _get(item, name, kind, here)
