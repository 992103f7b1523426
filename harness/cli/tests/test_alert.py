"""What people do with an alert, from a folder that holds one event."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.alert_support import ALERT, write_open_alert
from harness.cli.testing.repository_support import BIN, RELU

pytestmark = pytest.mark.faults

STEPPED_CLOCK = BIN / "libnsop_stepped_clock.so"
DAY = 86400


def day(days):
    """The date so many days from now."""
    return (datetime.now(timezone.utc) + timedelta(days=days)).strftime("%Y-%m-%d")


@pytest.fixture
def folder(tmp_path):
    """A history with an open alert."""
    write_open_alert(tmp_path / "nights", RELU)
    return tmp_path / "nights"


@pytest.fixture
def alert(nsop, folder):
    def call(*arguments, **options):
        return nsop("alert", *arguments, "--history", str(folder), **options)

    return call


def state(alert, **options):
    [one] = json.loads(alert("list", "--all", "--json", **options).stdout)["alerts"]
    return one


@pytest.mark.skipif(not STEPPED_CLOCK.exists(), reason="a sanitizer build has no preload")
def test_an_acceptance_ends_with_its_day(alert, tmp_path):
    soon, late = day(2), day(9)  # also when the day ends meanwhile
    alert("accept", ALERT[:4], "--reason", "exact", "--owner", "bob", "--expires", soon)
    assert (state(alert)["state"], state(alert)["expires"]) == ("accepted", soon)
    assert f"accepted until {soon}" in alert("list").stdout
    clock = {"LD_PRELOAD": str(STEPPED_CLOCK), "NSOP_TEST_CLOCK": str(tmp_path / "clock")}
    (tmp_path / "clock").write_text(str(1 * DAY))
    assert state(alert, env=clock)["state"] == "accepted"
    (tmp_path / "clock").write_text(str(4 * DAY))
    later = state(alert, env=clock)
    assert later["state"] == "open" and later["owner"] == "bob"
    assert later["reason"] == f"accepted until {soon}: exact"
    done = alert("accept", ALERT, "--reason", "x", "--expires", soon, code=2, env=clock)
    assert f"--expires {soon}: is in the past" in one_line(done)
    alert("accept", ALERT, "--reason", "still", "--expires", late, env=clock)
    assert state(alert, env=clock)["state"] == "accepted"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("accept", ALERT, "--reason", " "), "--reason: a few words why"),
        (("accept", ALERT, "--reason", "x", "--expires", "soon"), "expected a day like"),
        (("reopen", ALERT, "--reason", "x"), "is open: reopen is for alerts that are closed or"),
        (("show", "ff"), "no alert is called 'ff'"),
    ],
)
def test_refusals_leave_no_event(alert, folder, arguments, message):
    assert message in one_line(alert(*arguments, code=2))
    assert len(list(folder.iterdir())) == 1


OTHER = "fedcba987654"  # of the same change, on another host


@pytest.fixture
def two_hosts(alert, folder):
    """Commands on a history with an open alert of one change on each of two hosts."""
    one = alert("list").stdout
    assert "; worse" not in one, "there is one host only"
    write_open_alert(folder, RELU, "g" * 64, OTHER, at="2026-01-02T00:00:00Z")
    return alert


def test_a_change_is_one_alert_with_the_hosts_that_it_holds_on(two_hosts):
    lines = two_hosts("list").stdout.splitlines()
    (row,) = [line for line in lines if line.startswith(ALERT)]
    assert " open " in row and not any(line.startswith(OTHER) for line in lines)
    (line,) = [line for line in lines if "; worse" in line]
    assert line.startswith(f"bbbbbbbbbbbb Rewrite: worse +8.0 % on (hhhhhhhh), alert {ALERT}; ")
    assert line.endswith(f"worse +8.0 % on (gggggggg), alert {OTHER}")
    told = json.loads(two_hosts("list", "--json").stdout)
    (change,) = told["changes"]
    assert (change["id"], change["state"]) == (ALERT, "open")
    assert [host["alert"] for host in change["hosts"]] == [ALERT, OTHER]
    assert [(one["id"], one["change"]) for one in told["alerts"]] == [
        (ALERT, ALERT),
        (OTHER, ALERT),
    ]
    only = two_hosts("list", "--host", "hhhh", code=None)
    assert "; worse" not in only.stdout


def test_either_id_shows_the_change_on_all_its_hosts(two_hosts):
    shown = two_hosts("show", OTHER).stdout
    assert shown == two_hosts("show", ALERT).stdout
    heads = [line for line in shown.splitlines() if line.startswith("alert ")]
    assert heads == [f"alert {ALERT}: step worse, open", f"alert {OTHER}: step worse, open"]
    both = json.loads(two_hosts("show", OTHER, "--json").stdout)["alerts"]
    assert [(one["id"], len(one["events"])) for one in both] == [(ALERT, 1), (OTHER, 1)]


def test_one_answer_is_that_of_all_hosts_and_of_the_named_one_alone(two_hosts):
    said = two_hosts("close", OTHER, "--reason", "mended", "--host", "gggg").stderr
    assert f"alert {OTHER} is closed now" in said and ALERT not in said
    assert " open on 1 of 2 " in two_hosts("list").stdout
    said = two_hosts("accept", ALERT, "--reason", "exact").stderr
    assert f"alert {ALERT} is accepted now" in said and OTHER not in said, "closed is answered"
    said = two_hosts("reopen", ALERT, "--reason", "no").stderr
    assert f"alert {ALERT} is open now on host hhhhhhhh" in said
    assert f"alert {OTHER} is open now on host gggggggg" in said
    two_hosts("close", ALERT, "--reason", "mended")
    assert "no open, accepted or inconclusive alerts" in two_hosts("list").stderr
    assert "is closed" in one_line(two_hosts("accept", OTHER, "--reason", "x", code=2))
