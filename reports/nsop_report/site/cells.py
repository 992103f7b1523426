"""Typed cells, verdicts and doubts as HTML: each badge leads to its paragraph on Method."""

import re

from markupsafe import Markup, escape

from nsop_report.site.text import clipped

NUMBERS = set("time ns ratio multiple percent count bytes rate".split())
DOUBT = " ?"  # how the text of a doubtful value ends
_DOUBTS = re.compile(r" \?(?=$|[\s;,.)])")
# Verdict, outcome or state: class (its mark and colour are in site.css), paragraph of Method.
VERDICTS = {
    "worse": ("worse", "worse"),
    "better": ("better", "better"),
    "same": ("same", "same"),
    "passed": ("same", "gate"),
    "ok": ("same", "verdict"),
    "warn": ("unsure", "verdict"),
    "open": ("worse", "alert"),
    "noted": ("unsure", "alert"),
    "noise": ("none", "alert"),
    "accepted": ("none", "alert"),
    "closed": ("none", "alert"),
    "new": ("none", "not-judged"),
    "missing": ("none", "not-judged"),
    "incomparable": ("none", "not-judged"),
    "inconclusive": ("unsure", "inconclusive"),
    "void": ("unsure", "gate"),
    "error": ("unsure", "gate"),
    "not judged": ("none", "not-judged"),
    "unjudged": ("none", "not-judged"),
    "none": ("none", "not-judged"),
}


class Cells:
    """Makes cells for a page that lies `root` away from the site's folder."""

    def __init__(self, root, methods):
        self.root, self.methods = root, methods
        self._doubt = Markup(" ") + self.link("doubt", "?", "doubt")
        self._badges = {}

    def link(self, method, text, css=""):
        """`text`, leading to the paragraph `method` where there is one."""
        if method not in self.methods:
            return escape(text)
        look = Markup(' class="%s"') % css if css else ""
        return Markup('<a%s href="%smethod.html#%s">%s</a>') % (look, self.root, method, text)

    def help(self, method, of):
        """The `?` behind the head of a column; nothing if Method says nothing of it."""
        if method not in self.methods:
            return ""
        return Markup(' <a class=q href="%smethod.html#%s" aria-label="What %s means">?</a>') % (
            self.root,
            method,
            of,
        )

    def badge(self, verdict):
        """A verdict with its shape, colour and word."""
        made = self._badges.get(verdict)
        if made is None:
            css, method = VERDICTS.get(verdict, ("none", "verdict"))
            made = self.link(method, clipped(verdict), f"v v-{css}")
            if method not in self.methods:
                made = Markup('<span class="v v-%s">%s</span>') % (css, clipped(verdict))
            if len(self._badges) < 1000:
                self._badges[verdict] = made
        return made

    def looks(self):
        """{verdict: class, paragraph or ""} for scripts; of the doubt, too."""
        known = {verdict: [css, method] for verdict, (css, method) in VERDICTS.items()}
        known[DOUBT] = ["doubt", "doubt"]
        looks = {v: [css, m if m in self.methods else ""] for v, (css, m) in known.items()}
        return looks if "doubt" in self.methods else {v: looks[v] for v in VERDICTS}

    def doubted(self, text):
        """A text whose closing `?`, if any, leads to what it means."""
        if text.endswith(DOUBT):
            return escape(text[: -len(DOUBT)]) + self._doubt
        return escape(text)

    def prose(self, text):
        """Sentences in which each number in doubt leads to what its `?` means."""
        return self._doubt.join(escape(part) for part in _DOUBTS.split(text))

    def inner(self, cell):
        """What stands in a cell."""
        parts = [self.badge(cell["verdict"])] if cell.get("verdict") else []
        if cell["text"]:
            parts.append(self.doubted(cell["text"]))
        if cell.get("interval_text"):
            parts.append(Markup("<small>%s</small>") % cell["interval_text"])
        if cell.get("note"):
            parts.append(Markup("<small class=note>%s</small>") % cell["note"])
        return Markup(" ").join(parts)

    def td(self, cell):
        """A cell of a table; None is an empty one."""
        if cell is None:
            return Markup("<td></td>")
        css = Markup(" class=n") if cell["kind"] in NUMBERS else ""
        return Markup("<td%s>%s</td>") % (css, self.inner(cell))
