"""Files of `nsop export` made by hand, with the digests that nsop would have put in."""

import hashlib
import json
import re


class Number:
    """A fraction as it was written: nsop prints some with other digits than Python does."""

    def __init__(self, text):
        self.text = text


def lines_of(exported):
    """The lines of an export, parsed."""
    return [json.loads(line, parse_float=Number) for line in exported.splitlines()]


def compact(value):
    mark = "\ue000"  # for private use: in no text of an export
    text = json.dumps(
        value,
        separators=(",", ":"),
        ensure_ascii=False,
        default=lambda number: f"{mark}{number.text}{mark}",
    )
    return re.sub(f'"{mark}([^"{mark}]*){mark}"', r"\1", text)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def body(line, *without):
    return compact({key: value for key, value in line.items() if key not in without})


def sealed(lines):
    """The text of a run: its lines (run, host, builds, invocations) and the end line."""
    run, host, *rest = lines
    kinds = {"build": [], "invocation": []}
    for line in rest:
        kinds.get(line["type"], []).append(sha256(body(line, "type", "samples")))
    bare = sha256(body(run, "schema", "type", "state", "ended_utc", "sha256"))
    said = f"nsop.digest/1\nrun {bare}\nstate {run['state']}\nended {run['ended_utc']}\n"
    said += f"host {sha256(body(host, 'type'))}\n"
    said += "".join(f"{kind} {one}\n" for kind, all_ in kinds.items() for one in all_)
    text = "".join(compact(line) + "\n" for line in (dict(run, sha256=sha256(said)), host, *rest))
    end = {"type": "end", "n": text.count("\n"), "sha256": sha256(text)}
    return text + compact(end) + "\n"


def renamed(lines, writer, turn):
    """The lines of an export as those of another run."""
    run = f"{writer:04d}{turn:04d}-0000-4000-8000-000000000000"
    others = [dict(line) for line in lines]
    others[0]["id"] = run
    for number, line in enumerate(others):
        if line["type"] == "invocation":
            line["run_id"], line["id"] = run, f"{run}-{number}"
    return run, sealed(others)
