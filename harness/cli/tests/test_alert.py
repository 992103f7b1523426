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


def test_a_change_names_the_hosts_that_it_holds_on(nsop, tmp_path):
    folder = tmp_path / "nights"
    write_open_alert(folder, RELU)
    one = nsop("alert", "list", "--history", folder).stdout
    assert "; worse" not in one, "there is one host only"
    write_open_alert(folder, RELU, "g" * 64, "fedcba987654")
    done = nsop("alert", "list", "--history", folder)
    (line,) = [line for line in done.stdout.splitlines() if "; worse" in line]
    assert line.startswith("bbbbbbbbbbbb Rewrite: worse +8.0 % on (hhhhhhhh), alert 0123456789ab; ")
    assert line.endswith("worse +8.0 % on (gggggggg), alert fedcba987654")
    (change,) = json.loads(nsop("alert", "list", "--json", "--history", folder).stdout)["changes"]
    assert [host["alert"] for host in change["hosts"]] == [ALERT, "fedcba987654"]
    only = nsop("alert", "list", "--host", "hhhh", "--history", folder, code=None)
    assert "; worse" not in only.stdout
