"""The index behind Explore: a column per field, words by number, texts in one string each.

Rows of a case stand together: `per` says how many it has. Texts of a column are joined by line
ends, which no visible text contains.
"""

from nsop_report.site import text

SCHEMA = "nsop.site.index/1"
BARS = 16  # of a sparkline, each one of 16 heights
WORDS = "op pass target who host peer verdict bound row allocs title run changed".split()


class Words:
    """Words by number, in the order in which they were met."""

    def __init__(self):
        self.numbers = {}

    def number(self, word):
        return self.numbers.setdefault(word, len(self.numbers))

    def joined(self):
        return "\n".join(self.numbers)


class Index:
    """Takes cases one by one; hands out the whole as data."""

    def __init__(self):
        self.words = {name: Words() for name in WORDS}
        self.values = {}  # by text of the allocations
        self.cases = {name: [] for name in "id text title op pass per".split()}
        self.columns = {
            name: []
            for name in "row who target threads host ours peer verdict bound doubt allocs run"
            " changed time gap limit recoverable".split()
        }
        self.texts = {
            name: []
            for name in "time interval peer_time peer_interval limit recoverable"
            " spark change".split()
        }

    def add(self, case):
        words = self.words
        self.cases["id"].append(case["id"])
        self.cases["text"].append(text.clipped(case["case"], text.LONGEST_SEARCHED))
        for key in ("title", "op", "pass"):
            self.cases[key].append(words[key].number(text.clipped(case[key])))
        self.cases["per"].append(len(case["rows"]))
        for row in case["rows"]:
            self._add_row(row)

    def _add_row(self, row):
        empty = {"text": "", "value": None}
        peer, limit = row["peer"] or empty, row["limit"] or empty
        rest = row["recoverable"] or empty
        change = last_change(row["history"])
        word = {
            "row": row["id"],
            "who": text.clipped(row["who"]),
            "target": text.clipped(row["target"]),
            "host": row["host"],
            "peer": text.clipped(row["peer_name"]),
            "verdict": peer.get("verdict", ""),
            "bound": text.clipped(row["bound"]),
            "allocs": row["allocs"]["text"],
            "run": row["run"],
            "changed": change["verdict"],
        }
        self.values[row["allocs"]["text"]] = row["allocs"].get("value")
        for name, value in word.items():
            self.columns[name].append(self.words[name].number(value))
        for name, value in (
            ("threads", row["threads"]),
            ("ours", int(row["ours"])),
            ("doubt", int(bool(row["doubts"]))),
            ("time", text.drawn(row["time"].get("value"))),
            ("gap", text.drawn(row["gap"])),
            ("limit", text.drawn(limit.get("value"))),
            ("recoverable", text.drawn(rest.get("value"))),
        ):
            self.columns[name].append(value)
        for name, value in (
            ("time", row["time"]["text"]),
            ("interval", row["time"].get("interval_text", "")),
            ("peer_time", peer["text"]),
            ("peer_interval", peer.get("interval_text", "")),
            ("limit", limit["text"]),
            ("recoverable", rest["text"]),
            ("spark", spark(row["history"])),
            ("change", change["text"]),
        ):
            self.texts[name].append(value)

    def data(self, hosts):
        """The whole, with the names of the machines by id."""
        cases = {**self.cases, "id": "\n".join(self.cases["id"])}
        cases["text"] = "\n".join(self.cases["text"])
        return {
            "schema": SCHEMA,
            "rows": len(self.columns["row"]),
            "hosts": hosts,
            "allocs_values": [self.values[word] for word in self.words["allocs"].numbers],
            "cases": cases,
            "words": {name: words.joined() for name, words in self.words.items()},
            "columns": self.columns,
            "texts": {name: "\n".join(texts) for name, texts in self.texts.items()},
        }


def spark(history):
    """A history as heights of at most BARS bars, each a hexadecimal digit; "" without one."""
    if not history:
        return ""
    values = [point[1] for point in history["points"] if not point[5] and point[1] is not None]
    if len(values) < 2:
        return ""
    count = min(BARS, len(values))
    edges = [len(values) * at // count for at in range(count + 1)]
    groups = [sorted(values[a:b]) for a, b in zip(edges, edges[1:])]
    bars = [group[len(group) // 2] for group in groups]
    low, high = min(bars), max(bars)
    # A change of less than a tenth isn't drawn as if it were the whole.
    room = max(high - low, 0.1 * abs(high)) or 1
    return "".join(f"{min(15, int(15.999 * (bar - low) / room)):x}" for bar in bars)


def last_change(history):
    """The newest change of a history; empty texts where there is none."""
    changes = history["changes"] if history else []
    return changes[-1] if changes else {"text": "", "verdict": ""}
