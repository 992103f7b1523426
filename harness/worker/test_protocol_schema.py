"""Talks to real workers over pipes and validates every message against docs/protocol.schema.json.

The programs are looked for in $NSOP_BUILD_DIR (default: build/dev), where the build put them.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev")
WORKER = BUILD / "bin" / "nsop-worker"
TEST_WORKER = BUILD / "harness" / "worker" / "nsop-test-worker"
PRELOAD = BUILD / "bin" / "libnsop_alloc.so"
CASE = "scale n=1000 range=-1:1"

with open(ROOT / "docs" / "protocol.schema.json", encoding="utf-8") as file:
    SCHEMA = json.load(file)


def validate(name, message):
    Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]}).validate(message)


class Worker:
    """A worker process; every request and answer that goes through ask() is validated."""

    def __init__(self, program, **environment):
        assert program.exists(), f"{program} is missing: build it or set NSOP_BUILD_DIR"
        request_read, self._request = os.pipe()
        self._answer, answer_write = os.pipe()
        self.process = subprocess.Popen(
            [program, "--pipes", f"{request_read},{answer_write}"],
            pass_fds=(request_read, answer_write),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **{name: str(value) for name, value in environment.items()}},
        )
        os.close(request_read)
        os.close(answer_write)
        self._reader = os.fdopen(self._answer, encoding="utf-8")
        self._id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()
        self.process.kill()
        self.process.communicate()
        self._reader.close()

    def hang_up(self):
        if self._request is not None:
            os.close(self._request)
            self._request = None

    def send_line(self, text):
        os.write(self._request, text.encode() + b"\n")
        return json.loads(self._reader.readline())

    def ask(self, verb, **fields):
        self._id += 1
        request = {"id": self._id, "do": verb, **fields}
        validate(f"request_{verb}", request)
        answer = self.send_line(json.dumps(request))
        validate(f"answer_{verb}" if answer["ok"] else "answer_error", answer)
        assert answer["id"] == self._id
        return answer

    def end(self):
        """Status, standard output and standard error of a worker that ends by itself."""
        output, errors = self.process.communicate(timeout=30)
        return self.process.returncode, output, errors


@pytest.fixture(name="worker")
def _worker():
    with Worker(TEST_WORKER) as worker:
        yield worker


def load(worker, directory, variant="plain", case=CASE):
    inputs = worker.ask("reference", case=case, seed=1, dir=str(directory))["inputs"]
    return worker.ask(
        "load",
        case=case,
        variant=variant,
        target="WIDE",
        threads=1,
        inputs=inputs,
        dir=str(directory),
    )


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    assert {"hello", "describe", "reference", "load", "measure", "allocs", "dump", "quit"} == {
        name.removeprefix("request_") for name in SCHEMA["$defs"] if name.startswith("request_")
    }


def test_a_whole_conversation_is_valid(worker, tmp_path):
    assert worker.ask("hello")["program"] == "nsop-test-worker"
    assert worker.ask("describe", case=CASE)["memory_bytes"] == 16000
    assert load(worker, tmp_path)["ok"]
    measured = worker.ask(
        "measure", warmup_ns=100000, repetitions=3, min_time_ns=100000, slow_repetitions=3
    )
    assert len(measured["repetitions"]) == 3
    assert worker.ask("dump", dir=str(tmp_path))["outputs"] == [f"{tmp_path}/output0.npy"]
    assert worker.ask("quit")["ok"]
    assert worker.end() == (0, b"", b"")


@pytest.mark.parametrize(
    "line, code",
    [
        ("", "bad_request"),
        ("rubbish", "bad_request"),
        ("[]", "bad_request"),
        ('{"id":1}', "bad_request"),
        ('{"id":1,"do":"fly"}', "bad_request"),
        ('{"id":1,"do":"describe","case":"nosuchop n=1"}', "unknown_op"),
        ('{"id":1,"do":"describe","case":"scale n=x"}', "bad_case"),
        ('{"id":1,"do":"measure"}', "not_loaded"),
        ('{"id":1,"do":"allocs","iterations":[1]}', "unsupported"),
    ],
)
def test_errors_are_valid_answers_and_the_worker_goes_on(worker, line, code):
    answer = worker.send_line(line)
    validate("answer_error", answer)
    assert answer["error"]["code"] == code
    assert worker.ask("hello")["ok"]


def test_end_of_file_ends_the_worker(worker):
    worker.ask("hello")
    worker.hang_up()
    assert worker.end() == (0, b"", b"")


def test_the_schema_rejects_what_is_wrong():
    def errors(name, message):
        schema = {**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]}
        return list(Draft202012Validator(schema).iter_errors(message))

    assert errors("request_load", {"id": 1, "do": "load", "case": CASE})
    assert errors("request_measure", {"id": 1, "do": "measure", "repetitions": 0})
    assert errors("answer_error", {"id": 1, "ok": False, "error": {"code": "odd", "message": "x"}})
    assert errors("answer_quit", {"id": None, "ok": True})


def test_the_timing_worker_carries_no_hook(tmp_path):
    for program in (TEST_WORKER, WORKER):
        with Worker(program) as worker:
            assert "allocs" not in worker.ask("hello")["features"]
            maps = Path(f"/proc/{worker.process.pid}/maps").read_text(encoding="ascii")
            assert "nsop_alloc" not in maps
        assert b"nsop_alloc_start" not in subprocess.check_output(["nm", "-D", program])
    with Worker(TEST_WORKER) as worker:
        load(worker, tmp_path)
        assert worker.ask("allocs", iterations=[4, 16])["error"]["code"] == "unsupported"


@pytest.mark.skipif(not PRELOAD.exists(), reason="a sanitizer build has no counting preload")
def test_the_counting_worker_counts(tmp_path):
    with Worker(TEST_WORKER, LD_PRELOAD=PRELOAD) as worker:
        assert "allocs" in worker.ask("hello")["features"]
        load(worker, tmp_path, "fresh")
        counted = worker.ask("allocs", iterations=[4, 16])
        assert counted["first"] == {"allocs": 2, "bytes": 5000}
        assert [(c["allocs"], c["bytes"]) for c in counted["counts"]] == [(4, 16000), (16, 64000)]
        load(worker, tmp_path, "plain")
        assert [c["allocs"] for c in worker.ask("allocs", iterations=[4, 16])["counts"]] == [0, 0]


def test_environment_variables_of_the_engine_change_nothing(tmp_path):
    settings = {
        "BENCHMARK_LIST_TESTS": "true",
        "BENCHMARK_REPETITIONS": "7",
        "BENCHMARK_FILTER": "nothing",
        "BENCHMARK_MIN_WARMUP_TIME": "1",
        "BENCHMARK_REPORT_AGGREGATES_ONLY": "true",
        "BENCHMARK_ENABLE_RANDOM_INTERLEAVING": "true",
        "BENCHMARK_OUT": str(tmp_path / "out.json"),
    }
    with Worker(TEST_WORKER, **settings) as worker:
        load(worker, tmp_path)
        measured = worker.ask("measure", warmup_ns=0, repetitions=2, min_time_ns=100000)
        assert len(measured["repetitions"]) in (2, 3)
        assert worker.ask("quit")["ok"]
        assert worker.end() == (0, b"", b"")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    "arguments, status, output",
    [
        (["--version"], 0, "nsop-test-worker "),
        (["--help"], 0, "Usage: nsop-test-worker --pipes IN,OUT"),
        (["--list"], 0, "scale: y = 2x."),
        ([], 2, ""),
        (["--fly"], 2, ""),
        (["--pipes", "7"], 2, ""),
        (["--pipes", "998,999"], 2, ""),
        (["--pipes", "a,b"], 2, ""),
    ],
)
def test_command_line(arguments, status, output):
    done = subprocess.run([TEST_WORKER, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stdout.startswith(output)
    assert (done.stderr == "") == (status == 0)
    assert done.stderr.count("\n") == (0 if status == 0 else 1)


def test_the_real_worker_describes_itself():
    with Worker(WORKER) as worker:
        hello = worker.ask("hello")
        assert "reference" in hello["features"]
        ops = [op["name"] for op in hello["ops"]]
        assert ops == sorted(ops)
        assert {"relu", "tanh", "sigmoid", "matmul", "dense", "conv2d"} <= set(ops)
        assert {variant["op"] for variant in hello["variants"]} <= set(ops)
        described = worker.ask("describe", case="relu pass=forward n=1000 range=-3:3")
        assert described["outputs"][0]["shape"] == [1000]
