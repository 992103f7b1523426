"""What goes wrong between a run that is measured, or a merge, and its server: nothing is lost or
stored by halves, one line says it, `run --resume` goes on, and no line says the password."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.repository_support import BIN, RELU, TANH
from harness.cli.testing.server_support import (
    FAULTY_DISK,
    Network,
    Server,
    as_user,
    with_full_disk,
)
from harness.cli.tests.conftest import one_line

SECRET = "s3cr'et@7"
ENCODED = "s3cr%27et%407"
ROUNDS = 60
RUN = ("run", RELU, "--variant", "hwy", "--rounds")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
]


class Measuring:
    """Runs of `nsop` into a database of a server that asks for a password."""

    def __init__(self, nsop, server):
        self.nsop, self.server = nsop, server
        server.demand_password("bot", SECRET, "scram-sha-256")
        self.db = server.database()
        self.address = as_user(self.db, f"bot&password={ENCODED}")
        nsop(*RUN, "2", "--db", self.address)
        self.before = len(self.stored())

    def stored(self):
        return set(self.server.sql("SELECT id FROM nsop.invocation", self.db).split())

    def start(self, *words):
        return subprocess.Popen(
            [BIN / "nsop", *words, "--quiet", "--db", self.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.nsop.environment,
        )

    def until_stored(self, count, child):
        """Waits until the run has that many, and then some: what was stored at first is safe by
        then, even from a power failure (docs/scale.md)."""
        while len(safe := self.stored()) < self.before + count:
            assert child.poll() is None, child.communicate()
            time.sleep(0.05)
        time.sleep(1)
        assert child.poll() is None, child.communicate()
        return safe

    def goes_on(self, safe, child):
        """The run ended with one line, nothing of it is lost or half."""
        stdout, stderr = child.communicate(timeout=120)
        check_trouble(subprocess.CompletedProcess([], child.returncode, stdout, stderr))
        assert safe <= self.stored()
        self.nsop("db", "verify", "--db", self.db)

    def complete(self, rounds=ROUNDS):
        """Goes on; each round is there once."""
        self.nsop("run", "--resume", "--db", self.address)
        assert len(self.stored()) == self.before + rounds + 1
        assert self.server.sql("SELECT DISTINCT state FROM nsop.run", self.db) == "complete"
        self.nsop("db", "verify", "--db", self.db)
        self.before = len(self.stored())


def check_trouble(done):
    assert done.returncode == 5, (done.stdout, done.stderr)
    line = one_line(done)
    assert "s3cr" not in done.stdout + done.stderr
    assert "went away" in line or "disk is full" in line or "can't do it" in line, line


def test_a_server_that_dies_while_a_run_appends(nsop):
    own = Server()
    try:
        run = Measuring(nsop, own)
        words = (*RUN, str(ROUNDS))
        stops = (5, 15, 25)
        for stop in stops:
            child = run.start(*words)
            safe = run.until_stored(stop, child)
            own.kill()
            away = nsop("list", "runs", "--db", run.address, code=5)
            assert "can't be reached" in one_line(away) and "s3cr" not in away.stderr
            child.wait(120)
            own.again()
            run.goes_on(safe, child)
            words = ("run", "--resume")
        run.complete()
        print(f"server killed in an append: {len(stops)} times, nothing lost, nothing half")
    finally:
        own.stop()


@pytest.mark.skipif(not FAULTY_DISK.exists(), reason="a sanitizer build has no preload")
def test_a_server_whose_disk_is_full_while_a_run_appends(nsop):
    with with_full_disk() as (own, full):
        run = Measuring(nsop, own)
        words = (*RUN, str(ROUNDS))
        stops = (5, 20)
        for stop in stops:
            child = run.start(*words)
            safe = run.until_stored(stop, child)
            full.touch()
            child.wait(120)
            full.unlink()
            own.again_if_dead()
            run.goes_on(safe, child)
            words = ("run", "--resume")
        run.complete()
        print(f"server's disk full in an append: {len(stops)} times, nothing lost, nothing half")


def test_a_network_that_is_cut_while_a_run_appends(nsop):
    own = Server()
    network = Network(own)
    try:
        run = Measuring(nsop, own)
        run.address = network.address(run.db).replace("nsop_admin@", f"bot:{ENCODED}@")
        rounds = 12
        words = (*RUN, str(rounds))
        network.cut_after(10**12)
        nsop(*words, "--db", run.address)
        total = network.carried
        run.before = len(run.stored())
        shares = (0.3, 0.5, 0.7, 0.85)
        for share in shares:
            network.cut_after(int(total * share))
            child = run.start(*words)
            child.wait(120)
            network.mend()
            run.goes_on(set(), child)
            run.complete(rounds)
        print(f"network cut in an append: {len(shares)} times, nothing lost, nothing half")
    finally:
        network.stop()
        own.stop()


def test_merges_at_once_into_a_server_store_each_invocation_once(nsop, db, tmp_path):
    what = (RELU, TANH, "--variant", "hwy", "--rounds", "3", "--shards", "2", "--local", "1")
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        nsop("submit", *what, "--folder", folder)
    with ThreadPoolExecutor(8) as merges:
        done = list(merges.map(lambda one: nsop("merge", one, "--db", db, "--json"), 4 * folders))
    runs = [json.loads(one.stdout)["runs"][0] for one in done]
    for number in range(2):
        of_folder = runs[number::2]
        assert sorted(run["added"] for run in of_folder) == [0, 0, 0, 8]
        assert all(run["complete"] for run in of_folder)
        assert len({run["run"] for run in of_folder}) == 1
        exported = nsop("export", of_folder[0]["run"], "--db", db).stdout
        assert nsop("export", of_folder[0]["run"]).stdout == exported, "as in the file"
    assert nsop("db", "verify", "--db", db).stdout.startswith("2 runs, 16 invocations, 0 problems")
    print(f"merges at once: {len(runs)} into a server, {2 * 8} invocations once each")
