#!/usr/bin/env python3
"""Runs a program once for every open alert, and for every one that was answered lately. A change
that several hosts have is one alert.

usage: tools/each_alert.py HISTORY NSOP PROGRAM [ARGUMENT...]

NSOP is the program that tells the alerts of the folder HISTORY. PROGRAM gets the name of a Markdown
file as its last argument, and ALERT_ID, ALERT_TITLE and ALERT_STATE (open, accepted, closed) in its
environment. Exit 5 when one of the
programs failed, 4 when NSOP's answer is no list of alerts, else NSOP's own code when it failed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reports"))

from nsop_report import escape  # noqa: E402

ANSWERED_DAYS = 30  # for so long is a program told of an answer: a night may fail
STATES = ["open", "accepted", "closed"]  # the first that any host has is that of the change
MOST_CHARACTERS = 60_000  # GitHub refuses issues above 65,536
LOOK = "look at it: "  # begins the line before, with the case's address in the site
AGAIN = "measure it again: "  # begins the line with the command, between the rows and the events


def ask(nsop, history, *arguments):
    """What nsop prints."""
    command = [nsop, "alert", *arguments, "--history", history]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def clipped(line):
    """A line of any text is cut where it is too long, a command never."""
    if len(line) <= escape.LONGEST_TEXT or line.startswith(AGAIN):
        return line
    return line[: escape.LONGEST_TEXT - 1] + "…"


def first_of(lines, most):
    """(as many of the lines as fit into so many characters, the characters that are left)."""
    for count, line in enumerate(lines):
        if len(line) + 1 > most:
            return lines[:count], most
        most -= len(line) + 1
    return lines, most


def fitting(lines, most):
    """As many of the lines as fit into so many characters: the command that measures again, events
    in at most half of the rest, and then rows."""
    at = max((i for i, line in enumerate(lines) if line.startswith(AGAIN)), default=len(lines))
    command, most = first_of(lines[at : at + 1], most)
    events, left = first_of(lines[at + 1 :], most // 2)
    rows, _ = first_of(lines[:at], most - most // 2 + left)
    return rows + command + events


def address_of(lines):
    """The address of the case in a site that is served; None where there is none."""
    at = max((i for i, line in enumerate(lines) if line.startswith(AGAIN)), default=0)
    before = lines[at - 1] if at else ""
    found = re.fullmatch(LOOK + r"(https?://[A-Za-z0-9._~/:%+-]+)", before)
    return found and found[1]


def body(alert, shown):
    """What the issue says: nsop's own words, in a fence that nothing inside can end."""
    whole = [clipped(escape.clean(line)) for line in shown.splitlines()]
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", "\n".join(whole)))])
    advice = f"Answer it with `nsop alert accept {alert['id']} --reason ...` or `close`."
    head = "A nightly check found a change and confirmed it by measuring again."
    if alert["state"] != "open":
        head += f" The alert is {alert['state']} now."
    if address := address_of(whole):
        head += f" [Its case]({address}) shows every measurement and its history."
    room = MOST_CHARACTERS - 2 * len(fence) - len(head) - len(advice) - 200
    lines = fitting(whole, room)
    cut = len(whole) - len(lines)
    if cut:
        advice = f"{cut} of {len(whole)} lines cut here: `nsop alert show` has them.\n\n{advice}"
    return "\n".join([head, "", fence, *lines, fence, "", advice]) + "\n"


def title(alert):
    """The issue's title; it is found again by the id."""
    what = {"count": "Allocates more", "failure": "Fails"}.get(alert.get("kind"), "Slower")
    return escape.clean(f"{what} since {alert['first_bad'][:12]} (alert {alert['id']})")


def is_told(alert, today):
    """Is this a regression that is open, or that got an answer lately?"""
    if alert["direction"] != "worse" or not alert["confirmed"]:
        return False
    if alert["state"] not in STATES:
        return False
    since = (today - timedelta(days=ANSWERED_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return alert["state"] == "open" or alert["changed"] >= since


def of_changes(alerts):
    """One alert for each change: that of the host that waits most urgently, by the change's id."""
    spoken = {}
    for alert in alerts:
        change = alert.get("change", alert["id"])
        known = spoken.get(change)
        if not known or STATES.index(alert["state"]) < STATES.index(known["state"]):
            spoken[change] = {**alert, "id": change}
    return list(spoken.values())


def run_all(history, nsop, command):
    """(alerts, programs that failed)."""
    alerts = json.loads(ask(nsop, history, "list", "--all", "--json"))["alerts"]
    today = datetime.now(timezone.utc)
    alerts = of_changes([one for one in alerts if is_told(one, today)])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for alert in alerts:
            if not re.fullmatch("[0-9a-f]{12}", alert["id"]):
                raise ValueError(f"no id of an alert: {alert['id']!r}")
            file = Path(folder) / "alert.md"
            file.write_text(body(alert, ask(nsop, history, "show", alert["id"])))
            environment = dict(
                os.environ,
                ALERT_ID=alert["id"],
                ALERT_STATE=alert["state"],
                ALERT_TITLE=title(alert),
            )
            failed += subprocess.run([*command, file], env=environment).returncode != 0
    return len([one for one in alerts if one["state"] == "open"]), failed


def main(arguments):
    if len(arguments) < 3:
        print("usage: tools/each_alert.py HISTORY NSOP PROGRAM [ARGUMENT...]", file=sys.stderr)
        return 2
    history, nsop, *command = arguments
    try:
        count, failed = run_all(history, nsop, command)
    except subprocess.CalledProcessError as error:
        return error.returncode
    except (ValueError, KeyError, TypeError) as error:
        print(f"each_alert: no list of alerts: {error!r}", file=sys.stderr)
        return 4
    print(f"each_alert: {count} open alerts, {failed} failures", file=sys.stderr)
    return 5 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
