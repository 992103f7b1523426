"""The verbs of the worker protocol, and its lines."""

import gc
import json
import os
import time
from pathlib import Path

import nsop_cases
import nsop_row
import nsop_timing

MAX_LINE = 1 << 20
START_NS = time.monotonic_ns()
HOUR_NS = 3600 * 10**9


class Refusal(Exception):
    """A request that is answered with `"ok": false`."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def _field(request, name, kind, otherwise=None):
    value = request.get(name, otherwise)
    if value is None:
        raise Refusal("bad_request", f"field '{name}' is missing")
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Refusal("bad_request", f"field '{name}' is not of type {kind.__name__}")
    return value


def _integer(request, name, least, most, otherwise=None):
    value = _field(request, name, int, otherwise)
    if not least <= value <= most:
        raise Refusal("bad_request", f"field '{name}': expected an integer of {least} to {most}")
    return value


def _texts(request, name):
    values = _field(request, name, list)
    if not all(isinstance(value, str) for value in values):
        raise Refusal("bad_request", f"field '{name}': expected a list of texts")
    return values


class Server:
    """One request in, one answer out; never raises."""

    def __init__(self, library):
        self._library = library
        self._row = None
        self.finished = False
        self._verbs = {
            "hello": self._hello,
            "load": self._load,
            "measure": self._measure,
            "allocs": self._allocs,
            "dump": self._dump,
            "describe": self._no_reference,
            "reference": self._no_reference,
            "quit": self._quit,
        }

    def handle_line(self, line):
        """The answer to one line of bytes, as text without a line break."""
        request = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                request = None
                raise Refusal("bad_request", "a request is a JSON object")
            answer = {"ok": True, **self._dispatch(request)}
        except Refusal as refusal:
            answer = _error(refusal.code, refusal)
        except nsop_cases.BadCase as error:
            answer = _error("bad_case", error)
        except nsop_cases.BadInputs as error:
            answer = _error("bad_request", error)
        except nsop_row.Unsupported as error:
            answer = _error("unsupported", error)
        except Exception as error:  # whatever a library raises is an answer
            code = "bad_request" if request is None else "failed"
            answer = _error(code, f"{type(error).__name__}: {error}")
        return json.dumps({"id": request.get("id") if request else None, **answer})

    def _dispatch(self, request):
        _integer(request, "id", 0, 2**63 - 1)
        verb = _field(request, "do", str)
        if verb not in self._verbs:
            raise Refusal("bad_request", f"unknown verb '{verb}'")
        return self._verbs[verb](request)

    def _hello(self, _):
        library = self._library
        return {
            "protocol": {"min": 1, "max": 1},
            "program": f"{library.name}_worker.py",
            "build": library.build(),
            "features": ["reusable"],
            "ops": [],
            "variants": [
                {
                    "op": op,
                    "name": library.name,
                    "role": "peer",
                    "summary": library.summary,
                    "targets": library.targets(),
                }
                for op in sorted(library.ops())
            ],
            "engine": "nsop_peer.py",
        }

    def _load(self, request):
        library = self._library
        case = nsop_cases.Case(_field(request, "case", str))
        variant = _field(request, "variant", str)
        target = _field(request, "target", str, "best")
        threads = _integer(request, "threads", 1, 4096, 1)
        paths = _texts(request, "inputs")
        folder = _field(request, "dir", str)
        if case.op not in library.ops():
            raise Refusal("unknown_op", f"{library.name} has no {case.op}")
        if variant != library.name or target not in ("best", *library.targets()):
            only = ", ".join(f"{library.name}@{one}" for one in library.targets())
            raise Refusal("unsupported", f"no {variant}@{target} here, only {only}")
        if self._row and self._row.identity == (case.line, threads):
            self._row.overwrite_inputs(paths)
        else:
            self._row = None  # before the next one is made: two never need memory at once
            gc.collect()
            self._row = nsop_row.Row(library, case, threads, paths)
        try:
            step_ns = self._row.run_once()
            outputs = self._row.write_outputs(folder)
        except BaseException:
            self._row = None
            raise
        return {
            "target": library.targets()[0],
            "chose": self._row.step.chose,
            "workspace_bytes": 0,
            "outputs": outputs,
            "step_ns": step_ns,
        }

    def _loaded(self):
        if self._row is None:
            raise Refusal("not_loaded", "no row is loaded")
        return self._row

    def _measure(self, request):
        row = self._loaded()
        age_s = (time.monotonic_ns() - START_NS) / 1e9
        options = nsop_timing.Options(
            _integer(request, "warmup_ns", 0, HOUR_NS, 8_000_000),
            _integer(request, "repetitions", 1, 100_000, 10),
            _integer(request, "min_time_ns", 1, HOUR_NS, 2_000_000),
            _integer(request, "slow_repetitions", 1, 100_000, 3),
        )
        repetitions = nsop_timing.measure(row.step.run, options, row.fastest_ns, row.step.metrics)
        return {"process_age_s": age_s, "repetitions": repetitions}

    def _allocs(self, _):
        raise Refusal("unsupported", "allocations of an interpreter say nothing of the library")

    def _no_reference(self, _):
        raise Refusal("unsupported", "a peer knows no right answers")

    def _dump(self, request):
        folder = _field(request, "dir", str)
        row = self._loaded()
        if not Path(folder).is_dir():
            raise Refusal("failed", f"{folder}: no folder")
        return {"inputs": row.write_inputs(folder), "outputs": row.write_outputs(folder)}

    def _quit(self, _):
        self.finished = True
        return {}


def _error(code, message):
    return {"ok": False, "error": {"code": code, "message": str(message) or "no reason given"}}


def serve(server, requests, answers):
    """Answers every line until `quit` or the end of file; the exit status."""
    pending = b""
    skipping = False  # the rest of a line that was too long
    while not server.finished:
        chunk = os.read(requests, 1 << 16)
        if not chunk:
            return 0
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            if skipping:
                skipping = False
                continue
            text = server.handle_line(line if len(line) <= MAX_LINE else b"")
            try:
                os.write(answers, text.encode() + b"\n")
            except BrokenPipeError:
                return 0
        if len(pending) > MAX_LINE:
            if not skipping:
                os.write(answers, server.handle_line(b"").encode() + b"\n")
            pending, skipping = b"", True
    return 0
