"""The command line as its users meet it: verbs, bad input, exit codes."""

import json
import os
import sqlite3
import subprocess

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import BIN, RELU, ROOT
from nsop_report import model


def quick_run(nsop, *more):
    nsop("run", RELU, "--variant", "hwy", "--rounds", "6", "--quiet", *more)


def test_a_tracking_log_lists_the_baselines_and_the_run(nsop, tmp_path):
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "log.toml").write_text(
        '[report]\nname = "log"\ntitle = "Log"\nform = "tracking"\nafter = "hwy"\n'
        f'[[cases]]\nlabel = "ReLU"\ncase = "{RELU}"\n'
    )
    for name in ("first", "second"):
        quick_run(nsop)
        nsop("baseline", "set", name, "--reason", f"the {name} one")
    quick_run(nsop)
    out = tmp_path / "out"
    nsop("report", "--suite", "log", "--suites", str(suites), "--out", str(out))
    log, slower, *changes = model.load(out / "log.json")["sections"]
    assert slower["title"] == "What is slower, and why" and slower["notes"]
    rows = [[cell["text"] for cell in row["cells"]] for row in log["tables"][0]["rows"]]
    assert [row[0] for row in rows] == ["first", "second", "this run"]
    assert rows[0][3:5] == ["first", "first"] and "time" in rows[2][4]
    unmeasured = [section for section in changes if section["title"].endswith(", not measured")]
    assert unmeasured == changes[: len(unmeasured)]  # releases of this project
    assert [section["title"].split(",")[0] for section in changes[len(unmeasured) :]] == [
        "Changes in first",
        "Changes in second",
        "Changes in this run",
    ]
    assert changes[-1]["notes"]  # what is unreleased, or that nothing is
    assert "|first|" in (out / "log.md").read_text()


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["rnu"], 2, "did you mean 'run'?"),
        (["run", "rleu pass=forward n=1 range=-3:3"], 2, "did you mean 'relu'?"),
        (["run", "relu pass=forward m=1 range=-3:3"], 2, "unknown key 'm'"),
        (["run", "relu pass=forward n= range=-3:3"], 2, "empty value"),
        (["run", "relu pass=forward n=1,,2 range=-3:3"], 2, "empty value"),
        (["run", "relu pass=forward n=1"], 2, "'range' is missing"),
        (["run", "relu pass=foward n=1 range=-3:3"], 2, "expected one of forward, backward"),
        (["run", "conv2d pass=forward in=1x1x2x2 out=1 k=5 s=1 p=0 bias=0"], 2, "k"),
        (["run", RELU, "--variant", "hwi"], 2, "did you mean 'hwy'?"),
        (["run", RELU, "--variant", "hwy@AVX9"], 2, "unknown target 'AVX9'"),
        (["run", "relu pass=forward n=999999999999 range=-3:3"], 2, "relu"),
        (["run", "matmul m=40000 n=40000 k=40000 trans=nn"], 5, "MiB"),
        (["run", "--suite", "cnov"], 2, "did you mean 'conv'?"),
        (["run", "--profile", "quik"], 2, "unknown profile"),
        (["run", RELU, "--worker", "/nowhere/worker"], 5, "/nowhere/worker"),
        (["run", RELU, "--worker", "/bin/true"], 5, "no usable worker"),
        (["run", "--suites", "/nowhere"], 2, "/nowhere"),
        (["diff", "a", "b"], 2, "no database yet"),
        (["list", "runs"], 2, "no database yet"),
        (["run", "--resume"], 2, "no database yet"),
        (["run", RELU, "--rounds", "0"], 2, "see nsop run --help"),
        (["list", "suites", "--suites", str(ROOT / "docs")], 2, "no suite files there"),
        (["import", "/nowhere/run.ndjson"], 5, "/nowhere/run.ndjson: can't be read"),
        (["import", str(ROOT / "README.md")], 4, "README.md: no known format; --format names"),
        (["frobnicate"], 2, "unknown verb"),
        ([], 2, "a verb is missing after `nsop`"),
        (
            ["db"],
            2,
            "a verb is missing after `nsop db` (verbs: verify, backup, copy, grant, migrate, ",
        ),
    ],
)
def test_bad_input_gets_one_line_and_its_exit_code(nsop, tmp_path, arguments, code, words):
    assert words in one_line(nsop(*arguments, code=code))
    assert not (tmp_path / "t.db").exists(), "nothing half-written"


def test_suite_errors_name_file_and_line(nsop, tmp_path):
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "bad.toml").write_text("[report\n")
    assert f"{suites}/bad.toml:1: not TOML" in one_line(
        nsop("run", "--suites", str(suites), "--dry-run", code=2)
    )
    good = (ROOT / "harness/suites/conv.toml").read_text()
    (suites / "bad.toml").write_text(good.replace("k=3", "k=0", 1))
    line = good[: good.index("k=3")].count("\n") + 1
    message = one_line(nsop("run", "--suites", str(suites), "--dry-run", code=2))
    assert f"bad.toml:{line}: " in message and "expected a positive integer" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_cannot_be_written_can_be_read(nsop, tmp_path):
    quick_run(nsop)
    (tmp_path / "t.db").chmod(0o444)
    nsop("list", "runs")
    nsop("alert", "list")
    one_line(nsop("run", RELU, "--variant", "hwy", "--quiet", code=5))


def test_stored_runs_are_named_compared_and_exported(nsop, tmp_path):
    quick_run(nsop)
    quick_run(nsop)
    runs = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert [r["state"] for r in runs] == ["complete", "complete"]
    nsop("baseline", "set", "main", "@last~1", "--reason", "test")
    assert "main" in nsop("baseline", "list").stdout
    # What two real times are to each other no test can know; those of test_diff.py are made up.
    diff = nsop("diff", "main", "@last", "--json", "--inconclusive=pass", code=None)
    [row] = json.loads(diff.stdout)["rows"]
    assert diff.returncode == (1 if row["verdict"] == "worse" else 0)
    assert row["allocs_per_op"]["verdict"] == "same" and row["bytes_per_op"]["verdict"] == "same"
    exported = nsop("export", "@last").stdout
    other = {"NSOP_DB": str(tmp_path / "other.db")}
    nsop("import", "-", input=exported, env=other)
    assert nsop("export", "@last", env=other).stdout == exported
    tampered = exported.replace('"iterations":', '"iterations":1', 1)
    assert "standard input:" in one_line(nsop("import", "-", input=tampered, env=other, code=4))
    truncated = "\n".join(exported.splitlines()[:-1]) + "\n"
    one_line(nsop("import", "-", input=truncated, env={"NSOP_DB": str(tmp_path / "n.db")}, code=4))
    assert "0 problems" in nsop("db", "verify").stdout
    nsop("db", "backup", str(tmp_path / "copy.db"))
    assert "0 problems" in nsop("db", "verify", "--db", str(tmp_path / "copy.db")).stdout
    nsop("baseline", "remove", "main", "--reason", "test is over")


def test_diff_of_unknown_runs(nsop):
    quick_run(nsop)
    assert "mian" in one_line(nsop("diff", "mian", "@last", code=2))
    assert "same run" in one_line(nsop("diff", "@last", "@last", code=2))


def test_a_case_is_measured_checked_and_counted(nsop):
    done = nsop("run", RELU, "--variant", "hwy", "--variant", "elementwise", "--json", "--quiet")
    rows = {r["variant"]: r for r in json.loads(done.stdout)["rows"]}
    assert rows["hwy"]["allocs_per_op"] == 0 and rows["hwy"]["bytes_per_op"] == 0
    assert rows["elementwise"]["allocs_per_op"] == 1
    assert rows["elementwise"]["bytes_per_op"] == 64 * 4
    assert all(r["status"] == "ok" and r["invocations"] == 10 for r in rows.values())


def test_every_variant_on_every_target_is_right(nsop):
    done = nsop("verify", "relu pass=forward,backward n=1,7,100 range=-3:3")
    assert "0 problems" in done.stdout and " ok" in done.stdout


def test_dry_run_measures_nothing(nsop, tmp_path):
    done = nsop("run", "--profile", "quick", "--dry-run")
    assert "rows of" in done.stdout and "about" in done.stdout
    assert not (tmp_path / "t.db").exists()


SUITE = """[report]
name = "some"
title = "Some"
form = "before_after"
before = "elementwise"
after = "hwy"
peers = ["numpy", "martian"]
profiles = ["full"]
[[cases]]
label = "ReLU"
tags = ["quick"]
case = "relu pass=forward n=64 range=-3:3"
"""


@pytest.fixture
def suites(tmp_path):
    """A folder with one suite, that names a peer which nobody has."""
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "some.toml").write_text(SUITE)
    return str(folder)


def test_peers_are_measured_and_missing_ones_say_so(nsop, suites):
    done = nsop("run", "--suites", suites, "--suite", "some", "--json", "--quiet", "--rounds", "2")
    rows = {r["variant"]: r for r in json.loads(done.stdout)["rows"]}
    assert [(rows[v]["status"], rows[v]["reason"]) for v in ("hwy", "numpy")] == [("ok", "")] * 2
    assert rows["numpy"]["chose"].startswith("numpy ") and "allocs_per_op" not in rows["numpy"]
    assert rows["numpy"]["target"] in rows["numpy"]["chose"]
    assert rows["martian"]["status"] == "unsupported"
    assert rows["martian"]["reason"] == "peer martian is not installed; run: make peers"
    assert "0 problems" in nsop("db", "verify").stdout
    plan = nsop("run", RELU, "--variant", "numpy", "--dry-run").stdout
    assert "1 rows of 1 cases" in plan and "numpy@" in plan


def test_a_run_of_suites_ends_with_how_it_ended(nsop, suites):
    done = nsop("run", "--suites", suites, "--suite", "some", "--quiet", "--rounds", "6")
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    assert lines[0].startswith("some: hwy: 1 not judged of 1 row against the fastest other library")
    assert "not measured: 1 row: peer martian is not installed; run: make peers" in lines
    assert lines[-1].startswith("reports: nsop report @last")
    every = nsop("run", "--suites", suites, "--suite", "some", "--quiet", "--rounds", "6", "--rows")
    assert "elementwise@" in every.stdout and "martian" in every.stdout


@pytest.mark.slow
def test_many_rows_are_cut_and_counted(nsop):
    line = "relu pass=forward n=" + ",".join(map(str, range(1, 60))) + " range=-3:3"
    done = nsop("run", line, "--variant", "hwy", "--quiet", "--rounds", "1")
    assert len(done.stdout.splitlines()) <= 40
    assert "more rows; --rows shows all" in done.stdout


def test_experiments_are_measured_only_when_they_are_named(nsop):
    assert "forked" not in nsop("run", RELU, "--threads", "2", "--dry-run").stdout
    named = nsop("run", RELU, "--threads", "2", "--variant", "forked", "--dry-run").stdout
    assert "forked@" in named
    roles = {
        (row["op"], row["variant"]): row["role"]
        for row in json.loads(nsop("list", "variants", "--json").stdout)["variants"]
    }
    assert roles["relu", "forked"] == roles["conv2d", "im2col"] == "probe"
    assert roles["relu", "hwy"] == "ours"


def test_parts_of_suites_are_chosen_by_heading_and_tag(nsop, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    tanh = 'label = "Tanh"\nsection = "Curves"\ncase = "tanh pass=forward n=64 range=-3:3"\n'
    (folder / "some.toml").write_text(f"{SUITE}[[cases]]\n{tanh}")

    def rows(*more, code=0):
        return nsop(
            "run", "--suites", str(folder), "--suite", "some", "--dry-run", *more, code=code
        )

    assert "8 rows of 2 cases" in rows().stdout
    assert (
        "tanh" in rows("--section", "urve").stdout
        and "relu" not in rows("--section", "urve").stdout
    )
    assert "relu" in rows("--tag", "quick").stdout and "tanh" not in rows("--tag", "quick").stdout
    assert "nothing to measure" in one_line(rows("--tag", "quik", code=2))


def test_how_long_a_repetition_takes_can_be_asked_for(nsop, tmp_path):
    nsop("run", RELU, "--variant", "hwy", "--rounds", "1", "--min-time", "20ms", "--warmup", "1ms")
    nsop("export", "@last", "--out", str(tmp_path / "run.ndjson"))
    exported = (tmp_path / "run.ndjson").read_text().replace("\\", "")
    assert '"min_time_ns":20000000' in exported and '"warmup_ns":1000000' in exported
    for option, value in (("--warmup", "soon"), ("--min-time", "0"), ("--min-time", "-1ms")):
        message = one_line(nsop("run", RELU, option, value, code=2))
        assert option in message


def test_a_profile_takes_in_the_suites_that_are_its_own(nsop, suites):
    for profile in ("quick", "comprehensive"):
        message = one_line(
            nsop("run", "--suites", suites, "--profile", profile, "--dry-run", code=2)
        )
        assert "nothing to measure" in message
    assert "rows of" in nsop("run", "--suites", suites, "--profile", "full", "--dry-run").stdout
    named = nsop("run", "--suites", suites, "--suite", "some", "--profile", "quick", "--dry-run")
    assert "4 rows of 1 cases" in named.stdout, "who names a suite wants it"


def test_verify_asks_a_worker_with_a_row_that_it_can_run(nsop):
    """The first variant of add by name wants more than one thread."""
    done = nsop("verify", "add n=100")
    assert "unsupported  add n=100  forked" in done.stdout
    assert " 0 problems" in done.stdout and "protocol:" not in done.stdout


def test_verify_looks_at_peers_when_asked(nsop):
    line = "tanh pass=forward n=7 range=-3:3"
    ours = json.loads(nsop("verify", line, "--json").stdout)
    both = json.loads(nsop("verify", line, "--peers", "--json").stdout)
    assert "numpy" not in {row["variant"] for row in ours["rows"]}
    assert {r["status"] for r in both["rows"] if r["variant"] == "numpy"} == {"ok"}
    assert both["protocol_checks"] > ours["protocol_checks"]


def test_newer_or_foreign_databases_are_refused(nsop, tmp_path):
    quick_run(nsop)
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    assert "99" in one_line(nsop("list", "runs", code=4))
    one_line(nsop("run", RELU, "--variant", "hwy", "--quiet", code=4))
    path.write_text("not a database at all, but some text that is long enough " * 20)
    one_line(nsop("list", "runs", code=4))


def test_standard_output_that_cannot_be_written_is_an_error(nsop):
    quick_run(nsop)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BIN / "nsop", "list", "runs"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=nsop.environment,
        )
    assert done.returncode == 5 and "standard output" in done.stderr


def test_doctor_and_lists_speak_json(nsop):
    done = subprocess.run([BIN / "nsop", "doctor", "--json"], capture_output=True, cwd=ROOT)
    assert done.returncode in (0, 5)
    findings = json.loads(done.stdout)["findings"]
    assert {"python", "worker", "peers"} <= {f["check"] for f in findings}
    for what in ("cases", "variants", "suites"):
        assert json.loads(nsop("list", what, "--json").stdout)[what]


GOALS = """[report]
name = "small"
title = "One case with a goal"
form = "before_after"
before = "elementwise"
after = "hwy"
[[cases]]
label = "ReLU"
case = "relu pass=forward n=64 range=-3:3"
[[goals]]
that = "hwy <= {} x elementwise"
on = "relu"
"""


def test_reports_go_to_the_build_folder_unless_told_otherwise(nsop, tmp_path):
    (tmp_path / "nsop.toml").write_text("")
    (tmp_path / "reports").symlink_to(ROOT / "reports")
    (tmp_path / "harness").symlink_to(ROOT / "harness")
    case = ["--suite", "matmul", "--filter", "matmul m=64 trans=nn", "--rounds", "1"]
    nsop("run", *case, "--variant", "hwy", "--quiet")
    nsop("report", cwd=tmp_path)
    assert (tmp_path / "build/reports/matmul.md").is_file()
    assert 'reports = "build/reports"' in (ROOT / "nsop.toml").read_text()


@pytest.mark.slow
def test_missed_goals_fail_on_demand(nsop, tmp_path):
    suites = tmp_path / "suites"
    suites.mkdir()
    out = tmp_path / "reports"
    small = suites / "small.toml"
    small.write_text(GOALS.format("0.00001"))
    done = nsop("run", "--suites", str(suites), "--profile", "manual", "--rounds", "6")
    assert "2 rows of 1 cases, 6 invocations each at most, about 1 s" in done.stderr
    report = ["report", "--suites", str(suites), "--out", str(out)]
    nsop(*report)
    done = nsop(*report, "--fail-on-missed-goals", code=1)
    assert "1 goals are missed" in done.stderr
    assert "small: 1 missed goals have no reason" in done.stderr
    summary = json.loads((out / "small.json").read_text())["summary"]
    assert (summary["goals_met"], summary["goals_missed"]) == (0, 1)
    assert "**missed**" in (out / "small.md").read_text()
    why = '[[reasons]]\non = "relu"\nwhy = "<b>magic</b> | needs time"\n'
    small.write_text(GOALS.format("0.00001") + why)
    assert "no reason" not in nsop(*report).stderr
    assert "&lt;b>magic&lt;/b> \\| needs time" in (out / "small.md").read_text()
    small.write_text(GOALS.format("100000") + why)
    done = nsop(*report, "--fail-on-missed-goals")
    assert "small: the reason for relu is outdated: all its rows meet their goals" in done.stderr


def test_limits_come_from_the_newest_run_that_has_them(nsop, tmp_path):
    cases = ["peak_flops", "stream kind=copy n=1000", "stream kind=read n=1000"]
    small = ["run", "--suite", "matmul", "--filter", "matmul m=64 trans=nn", "--rounds", "1"]
    assert "with --suite limits" in nsop(*small, "--variant", "hwy").stderr
    nsop("run", *cases, "--variant", "hwy", "--rounds", "1", "--quiet")
    assert "with --suite limits" not in nsop(*small).stderr
    out = tmp_path / "reports"
    nsop("report", "--suite", "matmul", "--out", str(out))
    report = model.load(out / "matmul.json")
    runs = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert report["limits"]["id"].startswith(runs[1]["run"])
    assert report["run"]["id"].startswith(runs[0]["run"])


def test_every_case_of_every_suite_exists(nsop):
    names = {path.stem for path in (ROOT / "harness/suites").glob("*.toml")}
    cases = {name: set() for name in names}
    for row in json.loads(nsop("list", "cases", "--json").stdout)["cases"]:
        cases[row["suite"]].add(row["case"])
    # One plan of all suites, as every plan starts all peers.
    chosen = [word for name in sorted(names) for word in ("--suite", name)]
    plan = json.loads(nsop("run", *chosen, "--dry-run", "--json").stdout)
    planned = {row["case"] for row in plan["rows"]}
    for name in names:
        assert cases[name] and cases[name] <= planned, name
