"""Links from rows to their cases in the offline site (docs/site.md)."""

import hashlib
import re

# A folder or a URL, which a link of Markdown can hold as it is.
SITE = re.compile(r"(?:https?://[A-Za-z0-9._~/:%+-]{1,500}|[A-Za-z0-9._~/%+-]{1,500})")
MOST = "Most links"  # all but the first of a page
CASE = "case"  # the label of a gate's column of cases
NEW = "new"  # its word for a row that only the head has


def is_site(text):
    """Can this be the model's `site`?"""
    return isinstance(text, str) and SITE.fullmatch(text) is not None


def of_case(site, case):
    """The address of the case's page: named by its text, as harness/report/site/links.h does."""
    digest = hashlib.sha256(case.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{site}/case/{digest[:12]}.html"


def is_elsewhere(site):
    """Is the site served, so that it is there for whoever reads the page?"""
    return site.startswith(("http://", "https://"))


def linked(report, each=True):
    """The report with `href` in the first cell of each open row whose case has none above, or of
    the first such row; as it is where the model names no site."""
    if "site" not in report:
        return report
    known = set()
    sections = [
        {
            **section,
            "tables": [_linked(table, report["site"], known, each) for table in section["tables"]],
        }
        for section in report["sections"]
    ]
    return {**report, "sections": sections}


def _linked(table, site, known, each):
    if table["collapsed"]:
        return table
    rows = []
    for row in table["rows"]:
        case = row.get("case")
        if case and case not in known and (each or not known):
            known.add(case)
            row = _with_link(row, 0, of_case(site, case))
        rows.append(row)
    return {**table, "rows": rows}


def linked_gate(report):
    """A gate's report with `href` in the cells of cases; as it is where the model names no site."""
    if "site" not in report:
        return report
    groups = [
        {**group, "table": _gate_table(group["table"], report["site"])}
        for group in report["groups"]
    ]
    return {**report, "groups": groups, "all": _gate_table(report["all"], report["site"])}


def _gate_table(table, site):
    labels = [column["label"] for column in table["columns"]]
    if CASE not in labels:
        return table
    at = labels.index(CASE)
    rows = [
        # The site can't have seen a new case yet.
        row
        if row["cells"][0]["text"] == NEW
        else _with_link(row, at, of_case(site, row["cells"][at]["text"]))
        for row in table["rows"]
    ]
    return {**table, "rows": rows}


def _with_link(row, at, href):
    cells = list(row["cells"])
    cells[at] = {**cells[at], "href": href}
    return {**row, "cells": cells}
