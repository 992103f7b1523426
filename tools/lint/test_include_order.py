"""The layer table of CONTRIBUTING.md, as tests."""

from pathlib import Path

import include_order
import pytest


@pytest.fixture
def check(tmp_path):
    def run(**texts):
        paths = []
        for name, text in texts.items():
            path = Path(name.replace("__", "/").replace("_cpp", ".cpp").replace("_h", ".h"))
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
            paths.append(path)
        return include_order.check(tmp_path, paths)

    return run


DOWN = [
    ("kernels/gemm/a.cpp", "harness/core/case.h"),
    ("kernels/gemm/a.cpp", "kernels/gemm/a.h"),
    ("kernels/norm/a.cpp", "kernels/reduce/a.h"),
    ("kernels/reduce/a_test.cpp", "kernels/norm/a.h"),
    ("kernels/reduce/a_test.cpp", "kernels/testing/a_support.h"),
    ("kernels/testing/a_support.cpp", "kernels/gemm/a.h"),
    ("layers/a.cpp", "kernels/a.h"),
    ("reference/conv/a.cpp", "reference/spec/a.h"),
    ("reference/before/a.cpp", "reference/conv.h"),
    ("harness/report/a.cpp", "harness/stats/comparison.h"),
    ("harness/store/rows/a.cpp", "harness/store/query.h"),
    ("harness/store/history/a.cpp", "harness/store/rows/a.h"),
    ("harness/cli/a.cpp", "harness/run/runner.h"),
    ("harness/cli/text/a.cpp", "harness/cli/a.h"),
    ("harness/cli/verbs/a.cpp", "harness/cli/text/a.h"),
]
UP = [
    ("harness/core/a.cpp", "harness/store/store.h"),
    ("harness/run/a.cpp", "kernels/a.h"),
    ("harness/worker/a.cpp", "reference/a.h"),
    ("harness/stats/a.cpp", "harness/store/store.h"),
    ("harness/store/rows/a.cpp", "harness/stats/base/a.h"),
    ("harness/store/rows/a.cpp", "harness/store/history/a.h"),
    ("harness/store/record/a.cpp", "harness/store/rows/a.h"),
    ("harness/cli/a.cpp", "layers/a.h"),
    ("harness/cli/text/a.cpp", "harness/cli/verbs/a.h"),
    ("harness/judge/gate/a.cpp", "harness/cli/a.h"),
    ("reference/conv/a.cpp", "kernels/a.h"),
    ("reference/conv/a.cpp", "reference/norm/a.h"),
    ("layers/a.cpp", "layers/training/a.h"),
    ("layers/core/a.cpp", "layers/a.h"),
    ("reference/before/a.cpp", "kernels/a.h"),
    ("kernels/gemm/a.cpp", "layers/a.h"),
    ("kernels/gemm/a_test.cpp", "reference/a.h"),
    ("kernels/reduce/a.cpp", "kernels/norm/a.h"),
    ("kernels/conv/shape/a.cpp", "kernels/conv/a.h"),
    ("kernels/gemm/a.cpp", "kernels/testing/a_support.h"),
]


@pytest.mark.parametrize("path, included", DOWN)
def test_down_is_allowed(path, included):
    assert include_order.allowed(path, included)


@pytest.mark.parametrize("path, included", UP)
def test_up_is_not(path, included):
    assert not include_order.allowed(path, included)


def test_a_problem_names_file_line_and_layers(check):
    problems = check(kernels__a_h="", harness__run__b_cpp='\n#include "kernels/a.h"\n')
    assert problems == ["harness/run/b.cpp:2: harness/run must not include kernels/a.h"]


def test_includes_are_paths_from_the_root(check):
    problems = check(kernels__a_h="", kernels__a_cpp='#include "a.h"\n')
    assert problems == [
        'kernels/a.cpp:1: "a.h" is not a file of the project, expected a path from the root'
    ]


def test_an_include_in_a_comment_counts_for_nothing(check):
    assert check(kernels__a_cpp='// #include "harness/x.h"\n/*\n#include <soci/soci.h>\n*/\n') == []


def test_third_party_headers_stay_in_their_places(check):
    problems = check(
        harness__run__a_cpp="#include <soci/soci.h>\n",
        harness__store__a_cpp="#include <soci/soci.h>\n",
        harness__core__a_cpp='#include "hwy/highway.h"\n',
        kernels__a_cpp='#include "hwy/highway.h"\n',
    )
    assert problems == [
        "harness/run/a.cpp:1: <soci/soci.h> belongs in harness/store/* only",
        "harness/core/a.cpp:1: <hwy/highway.h> belongs in kernels/*, layers/* only",
    ]


def test_one_file_only_includes_the_engine(check):
    text = "#include <benchmark/benchmark.h>\n"
    assert check(harness__worker__a_cpp=text) == []
    problems = check(harness__worker__a_cpp=text, harness__worker__b_cpp=text)
    assert len(problems) == 1 and "only one file may include benchmark/" in problems[0]
