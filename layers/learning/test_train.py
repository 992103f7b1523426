"""nsop-train as its users meet it, and its model files as any program can read them."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NSOP_BUILD_DIR", ROOT / "build/dev")) / "bin/nsop-train"


def train(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done


def read_safetensors(path):
    """Tensors by name and the metadata, by the format's description alone."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        values = np.frombuffer(data[8 + length + begin : 8 + length + end], "<f4")
        tensors[name] = values.reshape(entry["shape"])
    return tensors, metadata


def test_a_saved_model_computes_in_numpy_what_it_learned(tmp_path):
    path = tmp_path / "xor.safetensors"
    assert "accuracy 100.0 %" in train("xor", "--save", str(path)).stdout
    tensors, metadata = read_safetensors(path)
    assert metadata["task"] == "xor" and metadata["seed"] == "1"
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    assert shapes == {"0.weight": (8, 2), "0.bias": (8,), "2.weight": (1, 8), "2.bias": (1,)}
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    hidden = np.tanh(x @ tensors["0.weight"].T + tensors["0.bias"])
    logits = hidden @ tensors["2.weight"].T + tensors["2.bias"]
    assert (logits[:, 0] > 0).tolist() == [False, True, True, False]


def test_the_same_seed_saves_the_same_bytes(tmp_path):
    first, second, other = (tmp_path / name for name in ("a", "b", "c"))
    train("xor", "--save", str(first))
    train("xor", "--save", str(second))
    train("xor", "--save", str(other), "--seed", "2")
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


def test_a_loaded_model_is_tested_without_training(tmp_path):
    path = tmp_path / "m"
    train("spirals", "--save", str(path))
    assert "reached" in train("spirals", "--load", str(path)).stdout


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["poetry"], 2, "unknown task 'poetry', expected one of xor, spirals, digits"),
        (["xor", "--threads", "0"], 2, "at least 1 thread"),
        (["xor", "--load", "{tmp}/none"], 5, "can't be read"),
        (["xor", "--load", "{tmp}/cut"], 4, "truncated"),
        (["spirals", "--load", "{tmp}/xor"], 4, "Dense(2->32): expected shape 32x2, given 8x2"),
        (["xor", "--save", "{tmp}/none/x"], 5, "can't be written"),
    ],
)
def test_bad_input_gets_one_line(tmp_path, arguments, code, words):
    if "--load" in arguments:
        train("xor", "--save", str(tmp_path / "xor"))
        (tmp_path / "cut").write_bytes((tmp_path / "xor").read_bytes()[:-4])
    done = train(*[argument.format(tmp=tmp_path) for argument in arguments], code=code)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and words in lines[0], done.stderr
