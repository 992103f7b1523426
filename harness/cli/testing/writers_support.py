"""Many runs that measure at once and append to one database."""

import json
from concurrent.futures import ThreadPoolExecutor

from harness.cli.testing.repository_support import RELU, TANH

WRITERS = 16
ROUNDS = 4


def measure_at_once(nsop, tmp_path, address):
    """That many runs of two cases, each with a lock of its own so that none waits for another; all
    invocations of all of them must be there. Returns how many there are."""

    def run(writer):
        words = (
            "run",
            RELU,
            TANH,
            "--variant",
            "hwy",
            "--rounds",
            str(ROUNDS),
            "--quiet",
            "--json",
        )
        lock = {"NSOP_LOCK": str(tmp_path / f"lock-{writer}")}
        return nsop(*words, "--db", address, env=lock)

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(run, range(WRITERS)))
    listed = json.loads(nsop("list", "runs", "--json", "--db", address).stdout)["runs"]
    assert [one["state"] for one in listed] == ["complete"] * WRITERS
    ids = set()
    for one in listed:
        lines = map(json.loads, nsop("export", one["run"], "--db", address).stdout.splitlines())
        own = {line["id"] for line in lines if line["type"] == "invocation"}
        assert len(own) == 2 * (ROUNDS + 1) and not own & ids
        ids |= own
    said = nsop("db", "verify", "--db", address).stdout
    assert said == f"{WRITERS} runs, {len(ids)} invocations, 0 problems\n"
    return len(ids)
