"""One program per open alert, whatever an alert says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).with_name("each_alert.py")
OPEN = {
    "id": "0123456789ab",
    "state": "open",
    "direction": "worse",
    "confirmed": True,
    "first_bad": "f" * 40,
    "changed": "2020-01-01T00:00:00Z",
}
SHOWN = "alert 0123456789ab\n```\n</details> @team | \x1b[31m\n"


def program(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def each(tmp_path):
    """Runs the tool on these alerts with a stand-in for nsop; the hook copies what it is given."""

    def run(
        alerts,
        shown=SHOWN,
        hook='echo "$ALERT_ID|$ALERT_STATE|$ALERT_TITLE" >>"$OUT/log"; cp "$1" "$OUT/$ALERT_ID"',
    ):
        (tmp_path / "list").write_text(alerts if isinstance(alerts, str) else json.dumps(alerts))
        (tmp_path / "show").write_text(shown)
        nsop = program(tmp_path / "nsop", f'cat "{tmp_path}/$2"')
        return subprocess.run(
            [sys.executable, TOOL, "history", nsop, program(tmp_path / "hook", hook)],
            capture_output=True,
            text=True,
            env={"OUT": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )

    return run


@pytest.mark.parametrize(
    "kind, word",
    [("step", "Slower"), ("creep", "Slower"), ("count", "Allocates more"), ("failure", "Fails")],
)
def test_the_title_says_what_happened(each, tmp_path, kind, word):
    assert each({"alerts": [{**OPEN, "kind": kind}]}).returncode == 0
    log = (tmp_path / "log").read_text()
    assert log == f"0123456789ab|open|{word} since {'f' * 12} (alert 0123456789ab)\n"


def test_the_case_of_a_served_site_is_a_link(each, tmp_path):
    url = "https://example.org/perf/case/0123456789ab.html"
    again = "measure it again: nsop gate"
    for line, linked in [
        (f"look at it: {url}", True),
        ("look at it: build/site/case/0123456789ab.html", False),
        ("look at it: https://example.org/) [x](http://evil.example", False),
        (f"look at it: {url}\nrelu n=1", False),
    ]:
        assert each({"alerts": [OPEN]}, f"alert\n{line}\n{again}\n").returncode == 0
        text = (tmp_path / "0123456789ab").read_text()
        assert (f"[Its case]({url})" in text) == linked, line
        assert line.splitlines()[0] in text and "](http://evil" not in text.split("```")[0]


def test_every_open_alert_and_no_other(each, tmp_path):
    others = [{"state": "accepted"}, {"state": "closed"}, {"state": "inconclusive"}]
    others += [
        {"state": "closed", "changed": "2999-01-01T00:00:00Z", key: value}
        for key, value in (("direction", "better"), ("confirmed", False))
    ]
    done = each({"alerts": [OPEN, *({**OPEN, "id": "a" * 12, **other} for other in others)]})
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log").read_text()
    assert log == f"0123456789ab|open|Slower since {'f' * 12} (alert 0123456789ab)\n"
    lines = (tmp_path / "0123456789ab").read_text().splitlines()
    assert lines.count("````") == 2
    inside = lines[lines.index("````") + 1 : len(lines) - 1 - lines[::-1].index("````")]
    assert inside == ["alert 0123456789ab", "```", "</details> @team | \ufffd[31m"]


def test_a_change_on_several_hosts_is_one_alert_until_all_are_answered(each, tmp_path):
    lately = {"changed": "2999-01-01T00:00:00Z", "change": OPEN["id"]}
    hosts = [{**OPEN, **lately, "state": "closed"}, {**OPEN, **lately, "id": "a" * 12}]
    assert "1 open alerts, 0 failures" in each({"alerts": hosts}).stderr
    hosts[1]["state"] = "accepted"
    assert "0 open alerts, 0 failures" in each({"alerts": hosts}).stderr
    hosts[1]["state"] = "closed"
    each({"alerts": hosts})
    told = [line.split("|")[:2] for line in (tmp_path / "log").read_text().splitlines()]
    assert told == [[OPEN["id"], state] for state in ("open", "accepted", "closed")]


def test_answers_of_the_last_days_are_told(each, tmp_path):
    answered = {**OPEN, "state": "closed", "changed": "2999-01-01T00:00:00Z"}
    done = each({"alerts": [answered]})
    assert "0 open alerts, 0 failures" in done.stderr
    assert (tmp_path / "log").read_text().startswith("0123456789ab|closed|")
    assert "The alert is closed now." in (tmp_path / "0123456789ab").read_text()


@pytest.mark.parametrize("ticks", [0, 70_000])
def test_an_issue_is_never_longer_than_github_takes_and_says_what_is_missing(each, tmp_path, ticks):
    lines = [f"relu pass=forward n={n}  hwy@AVX2  1  +10 % [+9 %, +11 %]" for n in range(3000)]
    done = each({"alerts": [OPEN]}, shown="\n".join(["`" * ticks, *lines]) + "\n")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "0123456789ab").read_text()
    assert len(text) <= 60_000
    kept = text.count("hwy@AVX2")
    assert kept > 500 and f"{3000 - kept} of 3001 lines cut here" in text
    assert text.endswith("or `close`.\n")


@pytest.mark.parametrize("events", [1, 3000])
def test_a_cut_issue_keeps_the_command_whole(each, tmp_path, events):
    rows = [f"relu pass=forward n={n}  hwy@AVX2  1  +10 % [+9 %, +11 %]" for n in range(3000)]
    again = f"measure it again: nsop gate --base {'a' * 12} --head {'b' * 12} 'relu {'x' * 1500}'"
    told = ["when  what  by  why", *(f"2026-01-01T00:00:00Z  open  {n}" for n in range(events))]
    done = each({"alerts": [OPEN]}, shown="\n".join(["alert", *rows, again, *told]) + "\n")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "0123456789ab").read_text()
    assert len(text) <= 60_000
    lines = text.splitlines()
    assert again in lines and lines[lines.index(again) + 1] == told[0]
    assert lines[lines.index(again) - 1].startswith("relu pass=forward")
    kept = sum(line in {"alert", again, *rows, *told} for line in lines)
    assert f"{3003 + events - kept} of {3003 + events} lines cut here" in text


def test_failures_are_told(each):
    assert each({"alerts": [OPEN]}, hook="exit 1").returncode == 5
    assert each({"alerts": []}).returncode == 0


@pytest.mark.parametrize("text", ["", "[]", '{"alerts": [{}]}', "nonsense"])
def test_no_list_of_alerts(each, text):
    assert each(text).returncode == 4


def test_an_id_is_never_a_path(each):
    assert each({"alerts": [{**OPEN, "id": "../../x"}]}).returncode == 4
