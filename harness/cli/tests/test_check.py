"""nsop check end to end: nights of a small repository whose truth is known. No test looks at a
real time: those of the workers are made up."""

import contextlib
import json
import re
import signal
import sqlite3
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness.cli.testing.alert_support import write_open_alert
from harness.cli.testing.repository_support import RELU, TANH


@pytest.fixture
def slowed(repository):
    """Five commits, of which the third makes relu 8 % slower; twenty nights at the first two."""
    commits = [repository.commit("First", relu=1000)]
    repository.check(code=3)  # a model for the nights; nothing can be judged yet
    commits += [
        repository.commit("Tidy up", relu=1000),
        repository.commit("Rewrite relu", relu=1080),
        repository.commit("Document it", relu=1080),
        repository.commit("Rename things", relu=1080),
    ]
    repository.nights([commits[0]] * 18 + [commits[1]] * 2)
    repository.forget_measurements()
    return repository, commits


def answer(done):
    return json.loads(done.stdout)


def test_the_first_night_judges_nothing_and_says_so(repository):
    repository.commit("First", relu=1000)
    done = repository.check(code=3)
    assert "1 rows, 0 with a history" in done.stdout
    assert "no row has 12 runs on this host yet" in done.stdout
    assert len(list(repository.history.glob("2*.ndjson"))) == 1
    repository.check("--inconclusive", "pass")
    again = answer(repository.nsop("check", "--run", "@last~1", "--json", code=3))
    assert again["rows"] == 1 and again["judged"] == 0


def test_a_slower_commit_is_confirmed_found_and_stays_until_it_is_answered(slowed):
    repository, commits = slowed
    night = answer(repository.check("--json", code=1))
    assert night["schema"] == "nsop.check/1"
    assert night["commit"] == commits[4]
    [alert] = night["open"]
    assert alert["new"] and alert["state"] == "open" and alert["kind"] == "step"
    assert (alert["last_good"], alert["first_bad"]) == (commits[1], commits[2])
    assert alert["subject"] == "Rewrite relu"
    [row] = alert["rows"]
    assert row["case"] == RELU and 1.06 < row["lo"] < 1.08 < row["hi"] < 1.10

    # The next night only the history folder is left; it knows the alert and doesn't repeat it.
    for path in repository.folder.glob("nsop.db*"):
        path.unlink()
    night = answer(repository.check("--json", code=1))
    assert [a["id"] for a in night["open"]] == [alert["id"]]
    assert night["suspects"] == [] and not night["open"][0]["new"]

    # People answer it; every answer is kept.
    where = ("--history", repository.history)
    listed = repository.nsop("alert", "list", *where)
    assert alert["id"] in listed.stdout and "Rewrite relu" in listed.stdout
    shown = repository.nsop("alert", "show", alert["id"][:5], *where)
    assert f"nsop gate --base {commits[1][:12]} --head {commits[2][:12]}" in shown.stdout
    repository.nsop("alert", "accept", alert["id"], "--reason", "exact", "--owner", "bob", *where)
    night = answer(repository.check("--json"))
    assert night["open"] == []
    repository.nsop("alert", "reopen", alert["id"], "--reason", "too much after all", *where)
    yesterday = f"{datetime.now(timezone.utc) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    of_another_host = ("g" * 64, "fedcba987654", commits[2], yesterday)
    write_open_alert(repository.history, RELU, *of_another_host)
    said = repository.check(code=1).stdout
    assert re.search(r"worse \+8\.0 % on \(g{8}\), alert fedcba987654; worse \+\d", said)
    (repository.history / "alert-fedcba987654.ndjson").unlink()
    repository.nsop("alert", "close", alert["id"], "--reason", "reverted", *where)
    assert repository.nsop("alert", "list", *where).stdout == ""
    [closed] = answer(repository.nsop("alert", "list", "--all", "--json", *where))["alerts"]
    assert closed["state"] == "closed" and closed["owner"] == "bob"
    files = sorted(repository.history.glob("alert-*.ndjson"))
    assert [json.loads(f.read_text())["action"] for f in files] == [
        *("open", "accept", "reopen", "close")
    ]
    shown = repository.nsop("alert", "show", alert["id"], *where).stdout
    assert re.search(r"accept +ada +exact", shown) and re.search(r"close +ada +reverted", shown)


def test_a_row_that_is_no_longer_measured_is_said(repository):
    repository.commit("First", relu=1000, tanh=2000)
    repository.check(code=3, cases=(RELU, TANH))
    assert answer(repository.check("--json", code=3, cases=(RELU, TANH)))["gone"] == []
    repository.commit("Second", relu=1000, tanh=2000)
    night = repository.check("--json", code=3)
    [gone] = answer(night)["gone"]
    assert gone.startswith(TANH)
    assert answer(repository.check("--json", code=3))["gone"] == []  # said once


def test_no_two_nights_begin_in_one_second(repository):
    repository.commit("First", relu=1000)
    repository.check(code=3)
    options = repository.check_options()
    while datetime.now(timezone.utc).microsecond > 100_000:
        time.sleep(0.005)
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    repository.nights(["0" * 40], day=20, change={"started_utc": now})
    repository.nsop("check", RELU, *options, code=3)
    stamps = [path.name.split("-")[0] for path in repository.history.glob("2*")]
    assert len(stamps) == len(set(stamps)) == 3


def test_history_shows_nights_of_the_folder(slowed):
    repository, commits = slowed
    done = repository.nsop("history", RELU, "--history", repository.history)
    assert "▄" in done.stdout and commits[1][:12] in done.stdout
    rows = answer(repository.nsop("history", "relu", "--json", "--history", repository.history))
    assert rows["schema"] == "nsop.history/1"
    assert len(rows["rows"][0]["points"]) == 20
    assert rows["rows"][0]["changes"] == []


def test_what_the_machine_did_is_noise_and_is_not_measured_twice(slowed):
    repository, commits = slowed
    repository.git("checkout", "-q", commits[1])
    repository.nights([commits[1]] * 2, day=21, relu=1100)  # a bad week of the machine
    night = answer(repository.check("--json", "--suspects-only"))
    assert night["suspects"] == []  # both were one night's mood, and this one is fine
    repository.git("checkout", "-q", "main")
    repository.commit("Nothing", relu=1000)
    repository.nights([commits[1]] * 6, day=23, relu=1100)
    night = answer(repository.check("--json", "--suspects-only", code=3))
    assert len(night["suspects"]) >= 1
    night = answer(repository.check("--json"))
    first = [alert["id"] for alert in night["noise"]]
    assert night["open"] == [] and first
    night = answer(repository.check("--json"))
    assert not set(first) & {alert["id"] for alert in night["noise"]}


@pytest.mark.slow
def test_a_declared_change_is_accepted_and_the_declaration_named(slowed):
    repository, commits = slowed
    known = repository.root / "nsop-known.toml"
    known.write_text(
        '[[change]]\ncase = "relu"\ndirection = "worse"\nreason = "exact rounding"\n'
        f'commit = "{commits[2][:10]}"\n'
    )
    night = answer(repository.check("--json"))
    [alert] = night["declared"]
    assert alert["first_bad"] == commits[2]
    assert "nsop-known.toml:1: exact rounding" in alert["reason"]
    known.write_text('[[change]]\ncase = "relu"\n')
    done = repository.check(code=2)
    assert "nsop-known.toml:1: [[change]] lacks direction" in done.stderr


@pytest.mark.slow
def test_an_improvement_is_told_and_is_no_failure(repository):
    first = repository.commit("First", relu=1000)
    repository.check(code=3)
    second = repository.commit("Faster", relu=800)
    repository.nights([first] * 15)
    repository.forget_measurements()
    night = answer(repository.check("--json"))
    [alert] = night["improvements"]
    assert alert["first_bad"] == second and alert["direction"] == "better"


def test_a_new_toolchain_is_a_new_segment_and_no_alarm(repository):
    first = repository.commit("First", relu=1000)
    repository.check(code=3)
    repository.nights([first] * 15)
    repository.forget_measurements()
    repository.commit("New compiler", relu=1500, compiler="gcc 13")
    night = answer(repository.check("--json"))
    assert night["suspects"] == []
    done = repository.nsop("history", RELU, "--history", repository.history)
    assert "a new segment" in done.stdout


@pytest.mark.slow
def test_slow_creep_is_a_kind_of_its_own(repository):
    levels = [1000 + 3 * i for i in range(30)]
    commits = [repository.commit("Start", relu=levels[0])]
    repository.check(code=3)
    commits += [repository.commit(f"Step {i}", relu=level) for i, level in enumerate(levels[1:])]
    for day, (commit, level) in enumerate(zip(commits[:-1], levels), 1):
        repository.nights([commit], day=day, relu=level)
    repository.forget_measurements()
    # The ramp looks like steps first; those are measured, and are none (or small ones).
    night = answer(repository.check("--json", "--no-search", "--inconclusive", "pass", code=None))
    night = answer(repository.check("--json", "--no-search", code=1))
    [alert] = [alert for alert in night["open"] if alert["kind"] == "creep"]
    assert alert["first_bad"] == commits[-1]
    assert "best level of 90 days" in alert["reason"]
    assert alert["rows"][0]["lo"] > 1.05


@pytest.mark.slow
def test_more_allocations_need_no_history_and_no_statistics(repository):
    commits = [repository.commit("First", relu=1000)]
    repository.check(code=3)
    commits += [
        repository.commit("Tidy up", relu=1000),
        repository.commit("Allocate", relu=1000, allocs=1),
        repository.commit("Tidy up again", relu=1000, allocs=1),
    ]
    night = answer(repository.check("--json", code=1))
    [alert] = night["open"]
    assert alert["kind"] == "count" and alert["first_bad"] == commits[2]


def test_a_crash_is_found_and_never_green(repository):
    repository.commit("First", relu=1000)
    repository.check(code=3)
    bad = repository.commit("Crash", relu="crash")
    night = answer(repository.check("--json", code=1))
    [alert] = night["open"]
    assert alert["kind"] == "failure" and alert["first_bad"] == bad
    assert "head: error" in alert["rows"][0]["note"]


def test_a_row_that_never_worked_is_never_green(repository):
    repository.commit("First", relu="crash", tanh=1000)
    done = repository.check(code=1, cases=(RELU, TANH))
    assert f"fails, and never worked here: {RELU}" in done.stdout
    [failing] = answer(repository.check("--json", code=1, cases=(RELU, TANH)))["failing"]
    assert failing.startswith(RELU)


@pytest.mark.slow
def test_two_rows_of_one_commit_are_one_alert(repository):
    first = repository.commit("First", relu=1000, tanh=2000)
    repository.check(code=3, cases=(RELU, TANH))
    bad = repository.commit("Slow both", relu=1100, tanh=2300)
    repository.nights([first] * 15, relu=1000, tanh=2000)
    repository.forget_measurements()
    night = answer(repository.check("--json", code=1, cases=(RELU, TANH)))
    [alert] = night["open"]
    assert alert["first_bad"] == bad
    assert sorted(row["case"] for row in alert["rows"]) == [RELU, TANH]


@pytest.mark.slow
def test_what_stays_inconclusive_is_measured_three_times_and_then_waits(repository):
    first = repository.commit("First", relu=1000)
    repository.check(code=3)
    bad = repository.commit("Slower, on a bad machine", relu=1100, spread=0.4)
    repository.nights([first] * 15)
    repository.nights([bad] * 8, day=20, relu=1100)
    repository.forget_measurements()
    repository.nights([bad], day=30, relu=1100)
    reasons = []
    for _ in range(4):
        night = answer(repository.check("--json", code=3))
        [one] = night["unresolved"]
        reasons.append(one["reason"])
    assert all(reason.startswith("measured again: ") for reason in reasons[:3])
    assert reasons[3].startswith("measured 3 times without a decision")
    where = ("--history", repository.history)
    [alert] = answer(repository.nsop("alert", "list", "--json", *where))["alerts"]
    assert alert["state"] == "inconclusive" and alert["attempts"] == 3
    repository.nsop("alert", "close", alert["id"], "--reason", "old machine", *where)
    # It is answered; that the level is higher than the best of 90 days is a question of its own.
    done = repository.check("--json", code=None)
    night = answer(done)
    assert night["open"] == []
    assert all(one["kind"] == "creep" for one in night["unresolved"])
    assert done.returncode == (3 if night["unresolved"] else 0)


@pytest.mark.slow
def test_a_change_that_is_gone_is_measured_and_its_alert_closes(slowed):
    repository, commits = slowed
    fix = repository.commit("Take it back", relu=1000)
    repository.nights([commits[4]] * 10, day=21, relu=1080)
    repository.nights([fix] * 10, day=31)
    night = next(repository.history.glob("*-00000021.ndjson")).read_text().splitlines()
    row = dict(json.loads(night[1]), ratio=1.08, lo=1.07, hi=1.09, note="")
    finding = {
        **{"kind": "step", "direction": "worse", "subject": "", "candidates": [], "owner": ""},
        **{"last_good": commits[1], "first_bad": commits[2], "reason": "", "expires": ""},
        **{"good_run": "00000020-made-up", "bad_run": "00000021-made-up", "rows": [row]},
    }
    event = {
        **{"schema": "nsop.alert-event/1", "id": "e1", "alert": "a" * 12, "action": "open"},
        **{"host": json.loads(night[0])["host"]["id"], "body": finding},
        "at": json.loads(night[0])["started_utc"],
    }
    (repository.history / "alert-1.ndjson").write_text(json.dumps(event) + "\n")
    night = answer(repository.check("--json"))
    [closed] = night["closed"]
    assert closed["id"] == event["alert"] and night["open"] == []
    assert f"{fix[:12]} against {commits[1][:12]}: the change is gone" in closed["reason"]
    shown = repository.nsop("alert", "show", closed["id"], "--history", repository.history).stdout
    assert re.search("close +nsop check +as before the change for 5 nights", shown)


def test_runs_of_other_branches_and_of_old_releases_are_no_part_of_the_history(slowed):
    repository, commits = slowed
    repository.git("checkout", "-q", "-b", "experiment", commits[1])
    branch = repository.commit("Try something", relu=1300)
    repository.git("checkout", "-q", commits[1])
    repository.nights([branch] * 3 + [commits[0]] * 3, day=21, relu=1300)
    done = repository.check("--json", "--suspects-only")
    assert answer(done)["suspects"] == []
    assert "leave out 6 runs of commits that are not on the way to" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["measured", "confirm"])
def test_an_interrupted_check_leaves_a_sound_store_and_the_next_one_finds_it(slowed, origin):
    repository, commits = slowed
    child = repository.start("check", RELU, *repository.check_options())
    database = f"file:{repository.folder}/nsop.db?mode=ro"
    while not stored_invocations(database, origin):
        assert child.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    assert "0 problems" in repository.nsop("db", "verify").stdout
    runs = answer(repository.nsop("list", "runs", "--json"))["runs"]
    assert [run["state"] for run in runs if run["origin"] == origin] == ["aborted"]
    builds = repository.folder / "cache/nsop/builds"
    assert not list(builds.glob("*.incoming"))
    night = answer(repository.check("--json", "--no-search", code=1))
    [alert] = night["open"]
    assert alert["first_bad"] == commits[4] and alert["new"]


def stored_invocations(database, origin):
    """How many invocations of such runs there are; looked at while nsop is writing."""
    count = "SELECT count(*) FROM invocation i JOIN run r ON r.seq = i.run WHERE r.origin = ?"
    try:
        with contextlib.closing(sqlite3.connect(database, uri=True)) as db:
            return db.execute(count, (origin,)).fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # not there yet
