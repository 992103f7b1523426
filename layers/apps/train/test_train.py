"""nsop-train as its users meet it, and its model files as any program can read them."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
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


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("task", ["xor", "spirals", "digits"])
def test_the_same_seed_saves_the_same_bytes(tmp_path, task, threads):
    """In processes of their own: other addresses, other turns of the threads."""
    first, second, other = (tmp_path / name for name in ("a", "b", "c"))
    run = [task, "--threads", threads, "--stop-after", "2", "--save"]
    train(*run, str(first))
    train(*run, str(second))
    train(*run, str(other), "--seed", "2")
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "xor"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 5 and "standard output can't be written" in done.stderr


def test_a_loaded_model_is_tested_without_training(tmp_path):
    path = tmp_path / "m"
    train("spirals", "--save", str(path))
    assert "reached" in train("spirals", "--load", str(path)).stdout


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["poetry"], 2, "unknown task 'poetry', expected one of xor, spirals, digits"),
        (["xor", "--threads", "0"], 2, "expected 1 to 4096 threads, given 0"),
        (["xor", "--threads", "1000000"], 2, "expected 1 to 4096 threads, given 1000000"),
        (["xor", "--seed", "-1"], 2, "--seed: expected a whole number from 0"),
        (["xor", "--stop-after", "0"], 2, "--stop-after: Value 0 not in range 1"),
        (["xor", "--stop-after", "1"], 2, "--stop-after needs --checkpoint FILE or --save FILE"),
        (["--csv", "t", "--load", "m", "--epochs", "3"], 2, "--load excludes --epochs"),
        (["--csv", "t", "--load", "m", "--rate", "3"], 2, "--load excludes --rate"),
        (["--csv", "t", "--load", "m", "--batch", "3"], 2, "--load excludes --batch"),
        (["--examples", "x", "--targets", "y", "--header"], 2, "--header excludes --"),
        (["--examples", "x", "--targets", "y", "--separator", ";"], 2, "excludes --"),
        (["xor", "--epochs", "3"], 2, "--epochs goes with files of your own"),
        (["xor", "--bogus"], 2, "not expected: --bogus"),
        (["xor", "--load", "{tmp}/none"], 5, "can't be read"),
        (["xor", "--load", "{tmp}/xor", "--save", "{tmp}/m"], 2, "--save excludes --load"),
        (["xor", "--load", "{tmp}/cut"], 4, "truncated"),
        (["spirals", "--load", "{tmp}/xor"], 4, "Dense(2->32): expected shape 32x2, given 8x2"),
        (["xor", "--save", "{tmp}/none/x"], 5, "can't be written"),
        (["xor", "--save", "{tmp}"], 5, "can't be written: is a folder"),
        (["xor", "--resume", "{tmp}/xor"], 4, 'a checkpoint of recipe "none", expected batches'),
    ],
)
def test_bad_input_gets_one_line(tmp_path, arguments, code, words):
    if "--load" in arguments or "--resume" in arguments:
        train("xor", "--save", str(tmp_path / "xor"))
        (tmp_path / "cut").write_bytes((tmp_path / "xor").read_bytes()[:-4])
    done = train(*[argument.format(tmp=tmp_path) for argument in arguments], code=code)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and words in lines[0], done.stderr


def ring_table(path, count=600, header=""):
    """Two classes that no line parts, two columns and a class number."""
    random = np.random.default_rng(1)
    x = random.uniform(-1, 1, (count, 2))
    inside = (x**2).sum(1) < 0.5
    lines = [f"{a:.6f},{b:.6f},{int(c)}" for (a, b), c in zip(x, inside)]
    path.write_text("\n".join([header, *lines] if header else lines) + "\n")


def test_a_table_of_ones_own_is_learned(tmp_path):
    ring_table(tmp_path / "ring.csv", header="x,y,inside")
    done = train(
        *("--csv", str(tmp_path / "ring.csv"), "--header", "--hidden", "32,16"),
        *("--epochs", "60", "--goal", "0.95", "--save", str(tmp_path / "m")),
    )
    assert "of 120 test examples, goal 95.0 %: reached" in done.stdout
    tensors, _ = read_safetensors(tmp_path / "m")
    assert tensors["2.weight"].shape == (32, 2) and tensors["6.weight"].shape == (2, 16)


def test_arrays_of_ones_own_are_learned_as_numbers(tmp_path):
    random = np.random.default_rng(2)
    x = random.normal(size=(400, 3, 2)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", (x[:, 0, 0] - 2 * x[:, 2, 1] + 5).astype(np.float32))
    done = train(
        *("--examples", str(tmp_path / "x.npy"), "--targets", str(tmp_path / "y.npy")),
        *("--numbers", "--epochs", "80", "--goal", "0.95"),
    )
    assert "explained variance" in done.stdout and "reached" in done.stdout


def test_numbers_of_any_size_are_learned_and_given(tmp_path):
    """Prices: the network learns them in units of their deviation, a saved one gives prices."""
    random = np.random.default_rng(3)
    x = random.uniform(-100, 100, (400, 2)).astype(np.float32)
    prices = np.stack([200000 + 300 * x[:, 0], 0.001 * x[:, 1]], 1)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", prices)
    own = ["--examples", str(tmp_path / "x.npy"), "--targets", str(tmp_path / "y.npy"), "--numbers"]
    own += ["--goal", "0.95"]
    kept = ["--save", str(tmp_path / "m"), "--checkpoint", str(tmp_path / "c")]
    learned = train(*own, "--epochs", "40", *kept)
    for path in ("m", "c"):
        again = train(*own, "--load", str(tmp_path / path)).stdout
        assert again.strip() == learned.stdout.splitlines()[-1]
    t, _ = read_safetensors(tmp_path / "m")
    normal = (x - t["1.running_mean"]) / np.sqrt(t["1.running_var"] + 1e-5)
    normal = normal * t["1.weight"] + t["1.bias"]
    hidden = np.maximum(normal @ t["2.weight"].T + t["2.bias"], 0)
    missed = hidden @ t["4.weight"].T + t["4.bias"] - prices
    assert (missed.var(0) < 0.05 * prices.var(0)).all()


def test_an_interrupted_training_goes_on_to_the_same_bytes(tmp_path):
    whole, parts, checkpoint = (str(tmp_path / name) for name in ("whole", "parts", "checkpoint"))
    train("digits", "--save", whole)
    stopped = train("digits", "--stop-after", "3", "--checkpoint", checkpoint)
    assert "stopped after epoch 3 of 8" in stopped.stdout
    train("digits", "--resume", checkpoint, "--save", parts)
    assert pathlib.Path(whole).read_bytes() == pathlib.Path(parts).read_bytes()


def test_a_model_is_tested_with_what_it_was_not_trained_with(tmp_path):
    table, copy, model = (tmp_path / name for name in ("ring.csv", "copy.csv", "m"))
    ring_table(table)
    ring_table(copy, count=500)
    train("--csv", str(table), "--epochs", "3", "--seed", "2", "--save", str(model))
    loading = ["--load", str(model), "--csv"]
    assert train(*loading, str(table), "--seed", "2").stderr == ""
    for other in (["--seed", "3"], ["--seed", "2", "--test-share", "0.3"]):
        refused = train(*loading, str(table), *other, code=2).stderr.splitlines()
        assert len(refused) == 1 and 'trained with --seed "2" --test-share "0.2"' in refused[0]
    noted = train(*loading, str(copy), "--seed", "2").stderr.splitlines()
    assert len(noted) == 1 and "was trained with other data" in noted[0]


def test_a_model_that_does_not_say_what_it_was_trained_with_is_tested_with_a_note(tmp_path):
    table, model = tmp_path / "ring.csv", tmp_path / "m"
    ring_table(table)
    train("--csv", str(table), "--epochs", "3", "--save", str(model))
    tensors, _ = read_safetensors(model)
    header, at = {}, 0
    for name, values in tensors.items():
        shape, end = list(values.shape), at + values.nbytes
        header[name], at = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}, end
    text = json.dumps(header).encode()
    raw = b"".join(values.tobytes() for values in tensors.values())
    model.write_bytes(len(text).to_bytes(8, "little") + text + raw)
    noted = train("--csv", str(table), "--load", str(model)).stderr.splitlines()
    assert len(noted) == 1 and "doesn't say what it was trained with" in noted[0]


@pytest.mark.parametrize("change, words", [("data", "train_sha256"), ("threads", 'threads "1"')])
def test_training_goes_on_under_the_same_conditions_only(tmp_path, change, words):
    table, checkpoint = tmp_path / "ring.csv", tmp_path / "c"
    ring_table(table)
    own = ["--csv", str(table), "--epochs", "3"]
    train(*own, "--stop-after", "1", "--checkpoint", str(checkpoint))
    if change == "data":
        table.write_text(table.read_text().replace("-0.1", "-0.2"))
    else:
        own += ["--threads", "2"]
    done = train(*own, "--resume", str(checkpoint), code=4)
    assert f"a checkpoint of {words}" in done.stderr


THREE = "1,2,0\n3,4,1\n5,6,1\n"
THIRD = ["--test-share", "0.34"]


@pytest.mark.parametrize(
    "lines, arguments, code, words",
    [
        ("1,2,0\n3,4,1.5\n", [], 4, "target of example 1 is 1.5, expected a class number from 0"),
        ("1,2,0\n3,4,10000\n", [], 4, "expected a class number from 0 to 9999; targets that are"),
        ("1,2,0\n3,4,0\n", [], 4, "every target is 0"),
        ("1,2,0\n3,1\n", [], 4, ":2: 2 fields, expected 3 as in line 1"),
        ("a,b,c\n1,2,0\n", [], 4, ':1: field 1 is "a", expected a finite number; a line with'),
        ("1,2,0\n3,4,1\n", ["--hidden", "0"], 2, "hidden: expected sizes of at least 1 and"),
        ("1,2,0\n3,4,1\n", ["--test-share", "1"], 2, "test share: expected a number between"),
        ("1,2,0\n3,4,1\n", ["--test-share", "0.1"], 2, "leaves one part without any"),
        (THREE, ["--hidden", f"{2**64 - 1}"], 2, "hidden: expected sizes of at least 1"),
        (THREE, ["--batch", "1"], 2, "batch: expected at least 2, by whose mean and variance"),
        ("1,2,0\n3,4,1\n", ["--test-share", "0.5"], 2, "1 example is left to train with"),
        ("1,2,0\n3,4,1\n", ["--batch", "-1"], 2, "--batch: expected a whole number from 0"),
        ("1,2,0\n3,4,1\n", ["--goal", "2"], 2, "goal: expected a number of at most 1, given 2"),
        (THREE, ["--hidden", "4000000000,4000000000"] + THIRD, 5, "out of memory"),
        (THREE, ["--numbers"] + THIRD, 4, "all 1 test examples have the same target"),
        (THREE, ["--rate", "1e38"] + THIRD, 1, "is no finite number; a smaller rate"),
        ("1;2;0\n", [], 4, 'with "," between fields there are 1, expected more than'),
        ("1,2,0\n3,4,1\n", ["xor"], 2, "name a task or files of your own, not both"),
        ("1,2,0\n3,4,1\n", ["--targets", "x.npy"], 2, "expected either --csv FILE, or"),
    ],
)
def test_bad_data_of_ones_own_get_one_line(tmp_path, lines, arguments, code, words):
    path = tmp_path / "table.csv"
    path.write_text(lines)
    done = train("--csv", str(path), *arguments, code=code)
    printed = done.stderr.strip().splitlines()
    assert len(printed) == 1 and words in printed[0], done.stderr


def test_a_checkpoint_of_another_task_is_refused(tmp_path):
    path = str(tmp_path / "checkpoint")
    train("xor", "--stop-after", "2", "--checkpoint", path)
    done = train("spirals", "--resume", path, code=4)
    assert 'a checkpoint of task "xor", expected spirals' in done.stderr
    assert "name a task (xor, spirals, digits) or files" in train(code=2).stderr
