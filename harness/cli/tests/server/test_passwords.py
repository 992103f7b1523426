"""No message of any verb says a password, whatever is wrong with the server's address."""

import re

import pytest

from harness.cli.testing.repository_support import RELU, ROOT, SmallRepository
from harness.cli.testing.server_support import Server, as_user
from harness.cli.tests.conftest import one_line

SECRET = "s3cr'et@7"
ENCODED = "s3cr%27et%407"
WRONG = "s3cr-but-wrong"
QUICK = ("--variant", "hwy", "--rounds", "2")
SIDES = ("--layouts", "1", "--budget", "0s")
# Verb -> its words; those in capitals are made by the fixture `place`.
VERBS = {
    "run": ("run", RELU, *QUICK),
    "run --resume": ("run", "--resume"),
    "merge": ("merge", "PARTS"),
    "report": ("report", "@last", "--suite", "log", "--out", "OUT"),
    "report --gate": ("report", "--gate", "@last", "--out", "OUT"),
    "diff": ("diff", "@last~1", "@last"),
    "baseline set": ("baseline", "set", "main", "@last", "--reason", "x"),
    "baseline list": ("baseline", "list"),
    "list runs": ("list", "runs"),
    "export": ("export", "@last"),
    "import": ("import", "RUN"),
    "db verify": ("db", "verify"),
    "db backup": ("db", "backup", "OUT"),
    "db migrate": ("db", "migrate"),
    "db grant": ("db", "grant", "reader", "bot"),
    "db remove-run": ("db", "remove-run", "@last", "--reason", "x"),
    "db removed": ("db", "removed"),
    "db prune": ("db", "prune", "--before", "2099-01-01"),
    "db prune --dry-run": ("db", "prune", "--before", "2099-01-01", "--dry-run"),
    "gate": ("gate", RELU, "--base", "HEAD~1", "--head", "HEAD", *SIDES),
    "check": ("check", RELU, *QUICK, *SIDES),
    "check --run": ("check", "--run", "@last", *SIDES),
    "backfill": ("backfill", RELU, *QUICK, "--from", "HEAD~1"),
    "backfill --dry-run": ("backfill", RELU, *QUICK, "--from", "HEAD~1", "--dry-run"),
    "history": ("history", RELU),
    "bisect": ("bisect", RELU, "--good", "HEAD~1", *SIDES),
    "alert list": ("alert", "list"),
    "alert show": ("alert", "show", "a1"),
    "alert close": ("alert", "close", "a1", "--reason", "x"),
    "site": ("site", "OUT"),
}
# These open no database, or say what is wrong with it in a table of theirs (test_postgres.py).
WITHOUT = {"submit", "verify", "doctor", "init", "audit", "completion"}
pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A repository of two commits, a run's file and a submission that is measured."""
    own = SmallRepository(tmp_path_factory.mktemp("passwords"))
    own.commit("First", relu=1000)
    own.commit("Second", relu=1001)
    own.worker = own.build()
    own.files = {name: own.folder / name.lower() for name in ("PARTS", "RUN", "OUT")}
    worker = ("--worker", own.worker, "--quiet")
    parts = ("--shards", "1", "--local", "1", "--folder", own.files["PARTS"])
    own.nsop("submit", RELU, *QUICK, *parts, *worker, code=None)
    assert own.files["PARTS"].joinpath("shard-1.ndjson").is_file()
    own.nsop("run", RELU, *QUICK, *worker)
    own.files["RUN"].write_text(own.nsop("export", "@last").stdout)
    return own


@pytest.fixture(scope="module")
def strict():
    """A server that asks for passwords, each user's in the way that its name says."""
    own = Server()
    for method in ("scram-sha-256", "md5"):
        own.demand_password(f"by_{method}", SECRET, method)
    yield own
    own.stop()


def called(place, address, *words):
    words = [place.files.get(word, word) for word in words]
    worker = {"NSOP_WORKER": "" if words[0] == "backfill" else str(place.worker)}
    done = place.nsop(*words, "--quiet", "--db", address, code=None, env=worker)
    assert "s3cr" not in done.stdout + done.stderr, words
    return done


def addresses(server):
    """What is wrong -> address, each with a password in it."""
    local = server.address.replace("user=nsop_admin", "user=by_{}&password={}").format
    return {
        "refused (scram)": local("scram-sha-256", WRONG),
        "refused (md5)": local("md5", WRONG),
        "away": f"postgresql://bot:{ENCODED}@127.0.0.1:9/perf",
        "away, otherwise written": f"Postgres://bot:{ENCODED}@127.0.0.1:9/perf",
        "away, in settings": "host=127.0.0.1 port=9 user=bot password='s3cr et' dbname=perf",
    }


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_says_the_password_of_a_server_that_refuses(place, strict, verb):
    for trouble, address in addresses(strict).items():
        done = called(place, address, *VERBS[verb])
        assert done.returncode == 5, (trouble, done.stdout, done.stderr)
        said = "refuses the user" if "refused" in trouble else "can't be reached"
        assert said in one_line(done), trouble
        assert not place.files["OUT"].exists()
    print(f"passwords: {len(addresses(strict))} addresses, none shown by {verb}")


def test_every_verb_of_a_database_is_among_them():
    text = (ROOT / "harness/cli/verbs.h").read_text()
    verbs = set(re.findall(r'VERB\("(\w+)"', text))
    assert len(verbs) > 20
    assert verbs - WITHOUT == {words[0] for words in VERBS.values()}
    text = (ROOT / "harness/cli/verbs/db.cpp").read_text()
    of_db = set(re.findall(r'verb, context, "([\w-]+)"', text))
    assert of_db - {"copy", "clean"} == {words[1] for words in VERBS.values() if words[0] == "db"}


@pytest.mark.parametrize("method", ("scram-sha-256", "md5"))
def test_the_right_password_is_let_in(place, strict, method):
    address = as_user(strict.address, f"by_{method}&password={ENCODED}")
    assert called(place, address, "list", "runs").returncode == 2  # no database yet
    without = as_user(strict.address, f"by_{method}")
    assert "refuses the user" in one_line(called(place, without, "list", "runs"))


def test_an_address_in_a_wrong_place_is_not_quoted_with_its_password(place):
    address = f"postgresql://bot:{ENCODED}@127.0.0.1:9/perf"
    own = str(place.folder / "nsop.db")
    for words, code in (
        (("list", "runs", address), 2),
        ((address,), 2),
        (("report", address, "--suite", "log"), 2),
        (("export", address), 2),
        (("import", address), 5),
        (("db", "backup", address), 2),
        (("db", "copy", address, own), 5),
        (("db", "copy", own, address), 5),
        (("db", "copy", own, f"mysql://bot:{ENCODED}@127.0.0.1/perf"), 2),
        (("merge", address), 2),
        (("submit", RELU, "--shards", "1", "--db", address), 2),
    ):
        done = place.nsop(*words, code=code, env={"NSOP_WORKER": str(place.worker)})
        assert "s3cr" not in done.stdout + done.stderr, words
        assert one_line(done)
