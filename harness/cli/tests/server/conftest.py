"""A server, a database of it, and a file that holds something."""

import pytest

from harness.cli.testing.repository_support import RELU, TANH
from harness.cli.testing.server_support import Server


@pytest.fixture(scope="session")
def server():
    own = Server()
    yield own
    own.stop()


@pytest.fixture
def db(server):
    return server.database()


@pytest.fixture
def measured(nsop):
    """A file with two runs, the second a baseline."""
    for cases in ((RELU,), (RELU, TANH)):
        nsop("run", *cases, "--variant", "hwy", "--rounds", "6")
    nsop("baseline", "set", "main", "@last", "--reason", "a start")
    return nsop
