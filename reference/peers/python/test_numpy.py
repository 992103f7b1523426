"""NumPy's ops against the oracle."""

import json
import re
from pathlib import Path

import numpy as np
import numpy_worker
import pytest
from nsop_cases import Case
from nsop_row import Unsupported


@pytest.mark.parametrize("op", sorted(numpy_worker.OPS))
def test_results_are_right(results, op):
    rows = results("numpy", op)
    assert rows
    for row in rows:
        lacks = "no erf" in row["reason"] and "form=erf" in row["case"]
        stored = "has no type" in row["reason"] and "type=" in row["case"]
        assert row["status"] == "ok" or lacks or stored, row


def test_what_it_says_of_itself(nsop):
    listed = [line.split()[:4] for line in nsop("list", "variants").stdout.splitlines()]
    assert ["tanh", "numpy", "peer", np.__version__] in listed
    assert ["conv2d", "numpy", "peer", np.__version__] in listed


def test_it_is_held_to_an_instruction_set_by_a_process_of_its_own(nsop):
    if "avx2" not in Path("/proc/cpuinfo").read_text().split():
        pytest.skip("no AVX2")
    relu = ("run", "relu pass=forward n=1000 range=-3:3", "--rounds", "1", "--json")
    rows = json.loads(nsop(*relu, "--variant", "numpy@AVX2", "--variant", "numpy").stdout)["rows"]
    assert {row["status"] for row in rows} == {"ok"}
    chose = {row["target"]: row["chose"] for row in rows}
    assert set(chose) == {np.__version__, f"{np.__version__}-AVX2"}
    assert re.search(r"\((AVX2|FMA3)\)", chose[f"{np.__version__}-AVX2"])


def test_threads_are_those_of_its_blas(monkeypatch):
    library = numpy_worker.NumPy()
    arrays = [np.ones((2, 2), np.float32) for _ in range(3)]
    product = Case("matmul m=2 n=2 k=2 trans=nn")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    step = library.prepare(product, arrays[:2], arrays[2:], 2)
    step.run()
    assert (arrays[2] == 2).all()
    assert library.blas in step.chose and "plain layout" in step.chose
    with pytest.raises(Unsupported, match="started for 2 threads"):
        library.prepare(product, arrays[:2], arrays[2:], 1)
    with pytest.raises(Unsupported, match="runs tanh on one thread only"):
        library.prepare(Case("tanh pass=forward n=2x2"), arrays[:1], arrays[2:], 2)
