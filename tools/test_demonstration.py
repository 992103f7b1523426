"""The slow-down that the demonstration plants still has its place."""

import importlib.util
from pathlib import Path

TOOLS = Path(__file__).resolve().parent


def test_the_kernel_has_the_step_that_the_demonstration_changes():
    spec = importlib.util.spec_from_file_location("demonstration", TOOLS / "demonstration.py")
    demonstration = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demonstration)
    kernel = (TOOLS.parent / demonstration.KERNEL).read_text()
    assert kernel.count(demonstration.STEP) == 1
    assert "tanh_by_table" in demonstration.PLANTED
