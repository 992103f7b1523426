"""A private PostgreSQL server for tests (harness/store/testing/postgres.sh)."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

import pytest

from harness.cli.testing.repository_support import BIN, ROOT

SCRIPT = ROOT / "harness/store/testing/postgres.sh"
MISSING = 77
FAULTY_DISK = BIN / "libnsop_faulty_disk.so"


class Server:
    """`address` names a database of it; database() makes another. `environment` is what the server
    gets besides."""

    def __init__(self, **environment):
        self.environment = dict(os.environ, **environment)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nsop-pg-", dir="/tmp"))
        done = self._script("start", check=False)
        if done.returncode != 0:
            self._script("stop", check=False)
            shutil.rmtree(self.folder, ignore_errors=True)
            if done.returncode != MISSING or os.environ.get("NSOP_TEST_FULL"):
                pytest.fail(f"no server comes up: {done.stderr}", pytrace=False)
            pytest.skip(done.stderr.strip())
        self.address = done.stdout.strip()
        self.made = 0

    def _script(self, what, check=True):
        command = [SCRIPT, what, self.folder]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=check,
            timeout=120,
            env=self.environment,
        )

    def database(self):
        """The address of a new database, which is empty."""
        self.made += 1
        self.sql(f"CREATE DATABASE made_{self.made}")
        return self.address.replace("///nsop?", f"///made_{self.made}?")

    def sql(self, statement, address=None):
        """What psql prints, unaligned."""
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
            + [address or self.address],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def demand_password(self, user, password, method):
        """A role that gets in with its password only, asked for by that method of pg_hba.conf."""
        quoted = password.replace("'", "''")
        self.sql(
            f"SET password_encryption = '{method}'; "
            f"CREATE ROLE \"{user}\" LOGIN SUPERUSER PASSWORD '{quoted}'"
        )
        rules = self.folder / "data/pg_hba.conf"
        rules.write_text(f'local all "{user}" {method}\n' + rules.read_text())
        self.sql("SELECT pg_reload_conf()")

    def kill(self):
        self._script("kill")

    def again(self):
        self._script("again")

    def again_if_dead(self):
        """A server that panicked comes up again by itself, or, with its last process gone, not."""
        silent = 0
        for _ in range(240):
            code = subprocess.run(["pg_isready", "-q", "-h", self.folder], check=False).returncode
            if code == 0:
                return
            silent = silent + 1 if code == 2 else 0
            if silent == 20:
                self.again()
            time.sleep(0.25)
        raise AssertionError("the server doesn't come up again")

    def stop(self):
        self._script("stop", check=False)


@contextlib.contextmanager
def with_full_disk():
    """(server, path): while there is a file at the path, the server's disk is full."""
    with tempfile.TemporaryDirectory(prefix="nsop-seen-", dir="/tmp") as folder:
        full = pathlib.Path(folder) / "full"
        full.parent.chmod(0o755)  # the server's user may look into it
        own = Server(
            LD_PRELOAD=str(FAULTY_DISK), NSOP_TEST_PROGRAM="postgres", NSOP_TEST_DISK_FULL=str(full)
        )
        try:
            yield own, full
        finally:
            own.stop()


class Network:
    """A connection to a server by TCP, which can be cut."""

    def __init__(self, server):
        self.socket = server.folder / ".s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open, self.carried, self.most = [], 0, None
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self, database):
        """That of a database which is reached by it."""
        name = database.split("///")[1].split("?")[0]
        return f"postgresql://nsop_admin@127.0.0.1:{self.port}/{name}?sslmode=disable"

    def cut_after(self, count):
        """Cuts every connection when that many bytes more were sent to the server."""
        self.carried, self.most = 0, count

    def mend(self):
        self.most = None

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.socket))
            self.open += [client, server]
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source, target, counted):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.carried += len(data) if counted else 0
                if self.most is not None and self.carried > self.most:
                    self._cut()
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def _cut(self):
        for one in self.open:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RDWR)
                one.close()
        self.open = []

    def stop(self):
        self.listener.close()
        self._cut()


def as_user(address, user):
    return address.replace("user=nsop_admin", f"user={user}")


def runs_of(nsop, address):
    """The starts of their ids."""
    listed = nsop("list", "runs", "--json", "--db", address).stdout
    return sorted(run["run"] for run in json.loads(listed)["runs"])


def exports(nsop, address=None):
    """What nsop exports of each run of a database, of its own without an address."""
    address = address or nsop.environment["NSOP_DB"]
    return {run: nsop("export", run, "--db", address).stdout for run in runs_of(nsop, address)}
