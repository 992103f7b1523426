"""PyTorch's ops against the oracle; skipped where it isn't installed."""

import numpy as np
import pytest
from nsop_cases import Case

torch_worker = pytest.importorskip("torch_worker", reason="torch is not installed; run: make peers")


def cancels(row):
    """PyTorch's gradient of gelu's tanh form is a difference of equal numbers far below zero."""
    case = row["case"]
    return case.startswith("gelu pass=backward") and "form=tanh" in case and "range=-3" not in case


@pytest.mark.parametrize("op", sorted(torch_worker.OPS))
def test_results_are_right(results, op):
    rows = results("torch", op)
    assert rows
    for row in rows:
        expected = ("ok", "wrong") if cancels(row) else ("ok",)
        stored = "has no type" in row["reason"] and "type=" in row["case"]
        assert row["status"] in expected or stored, row
    assert any(row["status"] == "ok" for row in rows)


def test_what_it_says_of_itself():
    library = torch_worker.PyTorch()
    build = library.build()
    assert build["flags"].startswith(f"torch {library.version}; {library.isa}; oneDNN ")
    assert library.isa in ("DEFAULT", "AVX2", "AVX512")
    tensors = [np.ones(4, np.float32) for _ in range(2)]
    step = library.prepare(Case("relu pass=forward n=4 range=-3:3"), tensors[:1], tensors[1:], 1)
    assert step.chose.startswith(f"torch {library.version} ({library.isa}), ")
    assert "plain layout" in step.chose
