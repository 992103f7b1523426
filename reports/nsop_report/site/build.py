"""Writes a site: a page per case as the model is read, then what is said over all of them."""

import functools
import json
import os
import re
import shutil

import jinja2

from nsop_report.errors import BAD_DATA, ReportError
from nsop_report.site import contract, data, folder, rows, text
from nsop_report.site.cells import Cells
from nsop_report.site.index import Index

REPORTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = "core grid table explore chart case history roofline compare pairs sides judge".split()
ASSETS = {
    "site": ["site.css", *(f"{name}.js" for name in SCRIPTS)],
    "uplot": ["uPlot.iife.min.js", "uPlot.min.css", "LICENSE"],
}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
ROWS_IN_EXPLORE = 300  # without scripts; the others are on pages of their own
ROWS_A_PAGE = 1000
MOST_OF_A_CASE = 30_000  # bytes of its page
# How many of the newest points of each history it shows (None: all; 0: no table of sizes either),
# whether it has remarks and commands of other libraries, and their rows, and the table of
# processes: the first way that is small enough, or the last; a page beside it has the rest.
WAYS = [
    (None, True, True, True),
    (None, True, True, False),
    (12, True, True, False),
    (3, True, True, False),
    (3, False, True, False),
    (0, False, True, False),
    (0, False, False, False),
]
RUNS_SHOWN = 100
GATE_ROWS_SHOWN = 2000


def write_site(model, target):
    """Writes the site of the file `model` into the folder `target`. Raises ReportError."""
    folder.refuse_strangers(target)
    known = contract.survey(model)
    with folder.replacing(target) as new:
        try:
            _Site(new, known).write(model)
        except UnicodeError as error:
            raise ReportError(BAD_DATA, f"{model}: {error}") from error


def _size(html):
    """Bytes of a page as it is stored."""
    return len(html.encode())


def environment():
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.join(REPORTS, "templates", "site")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    env.globals.update(
        policy=POLICY,
        name=text.name,
        long_name=text.long_name,
        clipped=text.clipped,
        date=text.date,
        columns=rows.COLUMNS,
        point_rows=rows.points,
        point_ids=data.point_ids,
        runs_shown=RUNS_SHOWN,
    )
    return env


def lean(source):
    """A script or style sheet of ours without indentation and lines of comments: every page loads
    some. None of ours has a text of several lines."""
    return re.sub(r"^(\s*//.*\n|\s*/\*[^*]*\*/\n|\s+)", "", source, flags=re.MULTILINE)


class _Site:
    def __init__(self, out, known):
        self.out, self.known, self.site = out, known, known.site
        self.methods = {entry["id"] for entry in self.site["method"]}
        self.here, self.inside = Cells("", self.methods), Cells("../", self.methods)
        self.hosts = {host["id"]: host["name"] for host in self.site["hosts"]}
        env = environment()
        env.globals.update(
            site=self.site,
            cases=known.cases,
            hosts=self.hosts,
            verdicts=text.as_json(self.here.looks()),
            doubt=" data-doubt" if "doubt" in self.methods else "",
            sizes=self._sizes,
        )
        self.templates = {}
        self.env = env
        # Cases of one sweep have one table: of a thousand sizes it would be made a thousand times.
        self.table_of_sizes = functools.lru_cache(maxsize=16)(self._table_of_sizes)
        self.index = Index()
        self.plain, self.page = [], 0

    def write(self, model):
        for name in ("assets", "case", "cases", "data", "gate"):
            os.mkdir(os.path.join(self.out, name))
        self._copy_assets()
        first, gates = [], []
        for record in contract.records(model):
            if record["kind"] == "case":
                self.index.add(record)
                self._case(record)
                self._add_rows(record, first)
            elif record["kind"] == "gate":
                gates.append(self._gate(record))
        if self.plain or not self.page:
            self._plain_page()
        self._text("data/index.js", text.data_script("index", self.index.data(self.hosts)))
        self._overviews(first, gates)
        marker = {"schema": folder.SCHEMA, "model": contract.SCHEMA, "tool": self.site["tool"]}
        self._text(folder.MARKER, text.as_json(marker) + "\n")

    def _text(self, path, content):
        with open(os.path.join(self.out, path), "w", encoding="utf-8", newline="\n") as file:
            file.write(content)

    def _html(self, path, template, **values):
        self._text(path, self._rendered(path, template, **values))

    def _rendered(self, path, template, **values):
        made = self.templates.get(template)
        if made is None:
            made = self.templates[template] = self.env.get_template(template)
        inside = "/" in path
        return made.render(
            root="../" if inside else "", c=self.inside if inside else self.here, **values
        )

    def _sizes(self, root, sweep):
        return self.table_of_sizes(root, text.as_json(sweep))

    def _table_of_sizes(self, root, sweep):
        parts = self.env.get_template("_parts.html.j2").module
        cells = self.inside if root else self.here
        return parts.sizes(cells, root, self.known.cases, json.loads(sweep))

    def _ways(self, case):
        """Those of WAYS that can be small enough."""
        if case["sweep"] and _size(self._sizes("../", case["sweep"])) > MOST_OF_A_CASE:
            return [way for way in WAYS if way[0] == 0]
        return WAYS

    def _copy_assets(self):
        for name, files in ASSETS.items():
            for file in files:
                source = os.path.join(REPORTS, "assets", name, file)
                shown = f"uPlot.{file}.txt" if file == "LICENSE" else file
                if name == "site":
                    with open(source, encoding="utf-8") as own:
                        self._text(f"assets/{file}", lean(own.read()))
                else:
                    shutil.copyfile(source, os.path.join(self.out, "assets", shown))

    def _case(self, case):
        for gate in case["gates"]:
            gate["known"] = gate["id"] in self.known.gates
        drawn = data.of_case(case, self.known.cases)
        values = {"case": case, "histories": data.with_history(case), "drawn": drawn}
        page = f"case/{case['id']}"
        for newest, all_rows, others, processes in self._ways(case):
            content = self._rendered(
                f"{page}.html",
                "case.html.j2",
                newest=newest,
                all_rows=all_rows,
                others=others,
                processes=processes,
                **values,
            )
            if _size(content) <= MOST_OF_A_CASE:
                break
        self._text(f"{page}.html", content)
        self._text(f"data/case-{case['id']}.js", text.data_script("case", drawn))
        if not processes:
            self._html(
                f"{page}-points.html", "points.html.j2", newest=None, others=others, **values
            )

    def _add_rows(self, case, first):
        for row in case["rows"]:
            if len(first) < ROWS_IN_EXPLORE:
                first.append(rows.html(case, row, self.here))
            self.plain.append(rows.html(case, row, self.inside))
            if len(self.plain) == ROWS_A_PAGE:
                self._plain_page()

    def _plain_page(self):
        self.page += 1
        self._html(
            f"cases/{self.page}.html",
            "cases.html.j2",
            rows=self.plain,
            page=self.page,
            pages=max(1, -(-self.known.rows // ROWS_A_PAGE)),
        )
        self.plain = []

    def _gate(self, gate):
        gate = {"of": "gate", "title": f"Gate {gate['id']}", **gate}
        drawn = data.of_gate(gate, self.known)
        self._text(f"data/gate-{gate['id']}.js", text.data_script(f"gate-{gate['id']}", drawn))
        self._html(f"gate/{gate['id']}.html", "gate.html.j2", gate=gate, shown=GATE_ROWS_SHOWN)
        return {key: value for key, value in gate.items() if key != "rows"} | {
            "count": len(gate["rows"])
        }

    def _overviews(self, first, gates):
        self._html("index.html", "index.html.j2")
        self._html("explore.html", "explore.html.j2", rows=first, count=self.known.rows)
        block = text.data_block(data.of_rooflines(self.site))
        self._html("roofline.html", "roofline.html.j2", block=block)
        heads = text.data_block([[gate["id"], gate["headline"]] for gate in gates])
        self._html("compare.html", "compare.html.j2", gate_list=gates, block=heads)
        block = text.data_block(data.of_judge(self.site))
        self._html("judge.html", "judge.html.j2", block=block)
        self._html("method.html", "method.html.j2")
