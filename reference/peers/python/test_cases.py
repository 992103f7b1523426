"""Case lines and the shapes that they stand for."""

import nsop_cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsop_cases import BadCase, BadInputs, Case

CONV = "in=2x6x9x10 out=12 k=3 s=2 p=1 bias=1 groups=3"


@pytest.mark.parametrize(
    "line, inputs, outputs",
    [
        ("relu pass=backward n=3x4 range=-1:1", [(3, 4), (3, 4)], [(3, 4)]),
        ("matmul m=2 n=3 k=4 trans=tt", [(4, 2), (3, 4)], [(2, 3)]),
        ("matmul m=2 n=3 k=4 trans=nn batch=5 bias=1", [(5, 2, 4), (5, 4, 3), (3,)], [(5, 2, 3)]),
        (f"conv2d pass=forward {CONV}", [(2, 6, 9, 10), (12, 2, 3, 3), (12,)], [(2, 12, 5, 5)]),
        (f"conv2d pass=forward {CONV} reduce=mean", None, [(2, 12)]),
        (f"conv2d pass=backward_data {CONV}", [(12, 2, 3, 3), (2, 12, 5, 5)], [(2, 6, 9, 10)]),
        (f"conv2d pass=backward_weights {CONV}", None, [(12, 2, 3, 3), (12,)]),
        ("sum n=2x3x4 axis=1", [(2, 3, 4)], [(2, 4)]),
        ("optimizer_update rule=sgd n=3x4", [(3, 4)] * 2, [(3, 4)]),
        ("optimizer_update rule=adam n=7 type=bf16", [(7,)] * 4, [(7,)] * 4),
        ("sum n=2x3x4 axis=all", [(2, 3, 4)], [(1,)]),
        ("sum n=7 axis=0", [(7,)], [(1,)]),
        ("maxpool2d pass=forward in=1x2x5x7 k=2 s=2 p=0", None, [(1, 2, 2, 3)] * 2),
        ("pad n=2x3x4 axis=image before=1 after=2 value=0", [(2, 3, 4)], [(2, 6, 7)]),
        ("pad n=2x3x4 axis=0 before=1 after=0", [(2, 3, 4)], [(3, 3, 4)]),
        ("layernorm pass=forward n=2x3x4 last=2", [(2, 3, 4), (3, 4), (3, 4)], None),
        ("rmsnorm pass=backward n=2x4", [(2, 4), (4,), (2,), (2, 4)], [(2, 4), (4,)]),
        ("conv2d_transpose pass=forward in=1x2x3x4 out=5 k=3 s=2 p=1 bias=0 op=1", None, None),
    ],
)
def test_shapes(line, inputs, outputs):
    found_inputs, found_outputs = Case(line).shapes()
    assert inputs is None or [shape for _, shape in found_inputs] == inputs
    assert outputs is None or [shape for _, shape in found_outputs] == outputs
    assert all(min(shape) >= 1 for _, shape in found_inputs + found_outputs)


@pytest.mark.parametrize(
    "line, words",
    [
        ("", "expected 'op key=value"),
        ("n=3", "expected 'op key=value"),
        ("relu pass=forward n", "expected key=value"),
        ("relu pass=forward", "key 'n' is missing"),
        ("relu pass=forward n=3x0", "positive integers joined by x"),
        ("relu pass=forward n=axb", "positive integers joined by x"),
        ("sum n=3 axis=2", "1 dimensions"),
        ("matmul m=two n=1 k=1 trans=nn", "expected a number"),
        ("conv2d pass=forward in=1x1x2x2 out=1 k=5 s=1 p=0 bias=0", "larger than the padded"),
        ("frobnicate n=1", "not known"),
    ],
)
def test_bad_cases_say_what_was_expected(line, words):
    with pytest.raises(BadCase, match=words):
        Case(line).shapes()


def test_inputs_must_be_those_of_the_case(tmp_path):
    path = str(tmp_path / "a.npy")
    np.save(path, np.zeros((2, 3), np.float32))
    assert nsop_cases.read_inputs([path], [(2, 3)])[0].shape == (2, 3)
    with pytest.raises(BadInputs, match="1 inputs given, the case has 2"):
        nsop_cases.read_inputs([path], [(2, 3), (1,)])
    with pytest.raises(BadInputs, match="float32 \\(3, 2\\)"):
        nsop_cases.read_inputs([path], [(3, 2)])
    np.save(path, np.zeros((2, 3)))
    with pytest.raises(BadInputs, match="float64"):
        nsop_cases.read_inputs([path], [(2, 3)])


@given(
    st.integers(1, 40), st.integers(1, 7), st.integers(1, 4), st.integers(0, 4), st.integers(1, 3)
)
def test_every_window_lies_in_the_padded_extent(extent, k, s, p, d):
    padded = extent + 2 * p
    reach = d * (k - 1) + 1
    if reach > padded:
        with pytest.raises(BadCase):
            nsop_cases.windows(extent, k, s, p, d)
        return
    count = nsop_cases.windows(extent, k, s, p, d)
    assert (count - 1) * s + reach <= padded < count * s + reach
