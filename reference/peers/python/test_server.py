"""The protocol of the Python peers, against its schema, with a library made for the purpose."""

import json
import os
import threading
from functools import partial

import nsop_peer
import nsop_server
import numpy as np
import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator
from nsop_peer import Library
from nsop_row import Step, Unsupported

SCHEMA = json.loads((ROOT / "docs/protocol.schema.json").read_text())
CASE = "scale n=5 alpha=2 range=-1:1"


class Toy(Library):
    name = "toy"
    version = "1.2"
    summary = "Doubles."

    def ops(self):
        return ["scale", "relu", "abs", "neg"]

    def prepare(self, case, inputs, outputs, threads):
        if threads > 1:
            raise Unsupported("one thread only")
        if case.op == "abs":
            return Step(lambda: 1 / 0, lambda: outputs)
        if case.op == "neg":
            return Step(lambda: None, lambda: [np.zeros(3)])
        self.refreshed = 0

        def refresh():
            self.refreshed += 1

        run = partial(np.multiply, inputs[0], np.float32(2), out=outputs[0])
        return Step(run, lambda: outputs, "doubling", refresh)


@pytest.fixture
def ask():
    """One request, one answer, both as the schema says."""
    server = nsop_server.Server(Toy())

    def call(verb, **fields):
        answer = json.loads(server.handle_line(json.dumps({"id": 7, "do": verb, **fields})))
        what = f"answer_{verb}" if answer["ok"] else "answer_error"
        Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{what}"}]}).validate(answer)
        assert answer["id"] == 7
        return answer

    call.server = server
    return call


@pytest.fixture
def row(tmp_path):
    """A request that loads CASE."""
    path = str(tmp_path / "x.npy")
    np.save(path, np.arange(5, dtype=np.float32))
    return {"case": CASE, "variant": "toy", "inputs": [path], "dir": str(tmp_path)}


def code_of(answer):
    return answer["error"]["code"]


def test_hello_names_library_build_and_variants(ask):
    hello = ask("hello", a_field_of_tomorrow=1)
    assert hello["features"] == ["reusable"] and hello["program"] == "toy_worker.py"
    assert {v["name"] for v in hello["variants"]} == {"toy"}
    assert {v["role"] for v in hello["variants"]} == {"peer"}
    assert hello["variants"][0]["targets"] == ["1.2"]
    assert hello["build"]["flags"].startswith("toy 1.2; numpy ")
    assert len(hello["build"]["binary_sha256"]) == 64


def test_a_held_library_has_the_target_if_it_does_as_it_was_told(monkeypatch):
    library = Toy()
    assert library.targets() == ["1.2"]
    monkeypatch.setenv("NSOP_PEER_ISA", "AVX2")
    assert library.targets() == []
    library.isa = "AVX2"
    assert library.targets() == ["1.2-AVX2"]


def test_the_hash_of_a_build_covers_the_rooms_of_ops(tmp_path, monkeypatch):
    monkeypatch.setattr(nsop_peer, "FOLDER", tmp_path)
    (tmp_path / "numpy_ops").mkdir()
    op, tests = tmp_path / "numpy_ops/norm.py", tmp_path / "numpy_ops/test_norm.py"

    def hashed(path, text):
        path.write_text(text)
        return Toy().build()["binary_sha256"]

    first = hashed(op, "a = 1")
    assert hashed(op, "a = 2") != first
    assert hashed(op, "a = 1") == first
    assert hashed(tests, "a = 1") == first, "tests measure nothing"


def test_a_row_is_loaded_measured_overwritten_and_dumped(ask, row):
    loaded = ask("load", **row)
    assert loaded["target"] == "1.2" and loaded["chose"] == "doubling" and loaded["step_ns"] > 0
    assert np.load(loaded["outputs"][0]).tolist() == [0, 2, 4, 6, 8]
    options = {"warmup_ns": 0, "min_time_ns": 1000, "slow_repetitions": 2, "repetitions": 4}
    measured = ask("measure", **options)
    assert len(measured["repetitions"]) in (2, 4) and measured["process_age_s"] > 0
    np.save(row["inputs"][0], np.full(5, 3, np.float32))
    again = ask("load", **row)
    assert np.load(again["outputs"][0]).tolist() == [6] * 5
    assert ask.server._library.refreshed == 2, "also after the inputs were overwritten"
    dumped = ask("dump", dir=row["dir"])
    assert np.load(dumped["inputs"][0]).tolist() == [3] * 5
    assert np.load(dumped["outputs"][0]).dtype == np.float32
    ask("quit")
    assert ask.server.finished


def test_inputs_and_outputs_are_aligned_and_outputs_start_as_nan(ask, row):
    ask("load", **row)
    loaded = ask.server._row
    for array in loaded.inputs + loaded._outputs:
        assert array.ctypes.data % 64 == 0
    loaded.step.run = lambda: None
    loaded.run_once()
    assert np.isnan(loaded._outputs[0]).all(), "what the step doesn't write shows"


@pytest.mark.parametrize(
    "change, code",
    [
        ({"case": "no_such_op n=1"}, "unknown_op"),
        ({"case": "dropout pass=forward n=5 rate=0.5"}, "unknown_op"),
        ({"case": "scale n=0 alpha=2"}, "bad_case"),
        ({"case": 3}, "bad_request"),
        ({"case": "scale n=6 alpha=2"}, "bad_request"),
        ({"inputs": []}, "bad_request"),
        ({"inputs": ["/nowhere/x.npy"]}, "failed"),
        ({"inputs": 3}, "bad_request"),
        ({"inputs": [3]}, "bad_request"),
        ({"variant": "other"}, "unsupported"),
        ({"target": "9.9"}, "unsupported"),
        ({"threads": 2}, "unsupported"),
        ({"case": f"{CASE} type=bf16"}, "unsupported"),
        ({"threads": 0}, "bad_request"),
        ({"threads": True}, "bad_request"),
        ({"case": "abs n=5 range=-1:1"}, "failed"),
        ({"case": "neg n=5 range=-1:1"}, "failed"),
        ({"dir": "/nowhere"}, "failed"),
    ],
)
def test_refusals_leave_nothing_half_loaded(ask, row, change, code):
    assert code_of(ask("load", **{**row, **change})) == code
    assert code_of(ask("measure")) == "not_loaded"
    assert ask("load", **row)["ok"]


def test_what_a_peer_does_not_do(ask, row):
    assert code_of(ask("dump", dir="/tmp")) == "not_loaded"
    assert code_of(ask("allocs", iterations=[1])) == "unsupported"
    assert code_of(ask("describe", case=CASE)) == "unsupported"
    assert code_of(ask("reference", case=CASE, seed=1, dir="/tmp")) == "unsupported"
    assert code_of(ask("fly")) == "bad_request"
    ask("load", **row)
    assert code_of(ask("measure", repetitions=0)) == "bad_request"
    assert code_of(ask("dump", dir="/nowhere")) == "failed"


@pytest.mark.parametrize("line", ["", "rubbish", "[1,2]", '{"do":"hello"}', '{"id":-1}', "\xff"])
def test_rubbish_is_answered(ask, line):
    answer = json.loads(ask.server.handle_line(line.encode("latin-1")))
    assert answer["ok"] is False and code_of(answer) == "bad_request"


def test_lines_over_pipes_end_with_the_pipe(ask):
    requests, feed = os.pipe()
    read, answers = os.pipe()
    codes = []
    thread = threading.Thread(
        target=lambda: codes.append(nsop_server.serve(ask.server, requests, answers))
    )
    thread.start()
    with os.fdopen(feed, "wb", buffering=0) as out, os.fdopen(read, "rb") as back:
        out.write(b'{"id":1,"do":"hel')
        out.write(b'lo"}\n{"id":2,"do":"fly"}\n')
        assert json.loads(back.readline())["id"] == 1
        assert json.loads(back.readline())["id"] == 2
        out.write(b"x" * (nsop_server.MAX_LINE + 10))
        assert json.loads(back.readline())["id"] is None
        out.write(b"x\n" + b'{"id":3,"do":"fly"}\n')
        assert json.loads(back.readline())["id"] == 3, "the rest of the long line was skipped"
        out.close()
        thread.join(30)
    assert codes == [0]
