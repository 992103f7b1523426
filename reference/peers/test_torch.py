"""PyTorch's ops against the oracle; skipped where it isn't installed."""

import pytest

torch_worker = pytest.importorskip("torch_worker", reason="torch is not installed; run: make peers")


@pytest.mark.parametrize("op", sorted(torch_worker.OPS))
def test_results_are_right(results, op):
    rows = results("torch", op)
    assert rows
    for row in rows:
        assert row["status"] == "ok", row


def test_what_it_says_of_itself():
    library = torch_worker.PyTorch()
    build = library.build()
    assert build["flags"].startswith(f"torch {library.version}; {library.isa}; oneDNN ")
    assert library.isa in ("DEFAULT", "AVX2", "AVX512")
