"""Benchmarks of rolling.py for pytest-benchmark: `pytest bench_rolling.py`."""

import random

import pytest

from rolling import rolling_max, rolling_max_plain

VALUES = random.Random(1).choices(range(1000), k=2000)


@pytest.mark.parametrize("way", [rolling_max, rolling_max_plain], ids=["queue", "plain"])
def test_rolling_max(benchmark, way):
    assert benchmark(way, VALUES, 16) == rolling_max_plain(VALUES, 16)
