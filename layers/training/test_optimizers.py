"""The committed traces of optimizers are what PyTorch does, where it is installed."""

import importlib.util
import json
import pathlib

import pytest

TESTDATA = pathlib.Path(__file__).with_name("testdata")


def _numbers(value):
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [value]


def test_traces_are_those_of_pytorch():
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("make", TESTDATA / "make_optimizers.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    built = make.build()
    stored = json.loads((TESTDATA / "optimizers.json").read_text())
    assert stored.keys() == built.keys() and stored["traces"].keys() == built["traces"].keys()
    for name, trace in built["traces"].items():
        assert _numbers(stored["traces"][name]) == pytest.approx(_numbers(trace), rel=1e-5), name
