"""The rules of rooms, each with what breaks it."""

from pathlib import Path

import pytest
import rooms


def files(*names):
    return [Path(name) for name in names]


def test_a_room_with_too_many_files_is_named():
    crowd = files(*(f"kernels/gemm/{i}.cpp" for i in range(31)))
    problem = "kernels/gemm:1: 31 files, at most 30: divide it by subject"
    assert rooms.check_sizes(crowd) == [problem]
    assert rooms.check_sizes(crowd[1:]) == []


def test_folders_of_data_may_be_long():
    assert rooms.check_sizes(files(*(f"harness/suites/{i}.toml" for i in range(99)))) == []


def test_a_top_folder_says_what_it_is(tmp_path):
    one = files("kernels/a.cpp")
    assert rooms.check_readmes(tmp_path, one) == [
        "kernels:1: no README.md: say what lives here and where to start"
    ]
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/README.md").write_text("line\n" * 101)
    assert rooms.check_readmes(tmp_path, one) == ["kernels/README.md:1: more than 100 lines"]
    (tmp_path / "kernels/README.md").write_text("# kernels\n")
    assert rooms.check_readmes(tmp_path, one) == []


@pytest.mark.parametrize(
    "name",
    ["layers/a_support.h", "layers/testing/a.h", "harness/run/fake_worker.cpp", "layers/util.h"],
)
def test_test_support_has_one_place_and_one_suffix(name):
    assert len(rooms.check_support(files(name))) == 1


@pytest.mark.parametrize(
    "name", ["layers/testing/a_support.h", "layers/a_test.cpp", "harness/judge/testing/test_a.py"]
)
def test_what_is_in_its_place_is_no_problem(name):
    assert rooms.check_support(files(name)) == []


@pytest.mark.parametrize(
    "module, user, text, found",
    [
        ("reference/peers/cases.py", "reference/peers/test_cases.py", "import cases\n", True),
        ("reference/peers/cases.py", "reference/peers/conftest.py", "from x import cases\n", True),
        ("reference/peers/cases.py", "reference/peers/worker.py", "import cases\n", False),
        ("reference/peers/cases.py", "reference/peers/test_a.py", "import pytest  # \n", False),
        ("reference/testing/cases_support.py", "reference/test_a.py", "import cases\n", False),
        ("tools/columns.py", "tools/test_columns.py", "import columns\n", False),
    ],
)
def test_python_that_only_tests_import_is_test_support(tmp_path, module, user, text, found):
    for name, content in ((module, "LINES = []\n"), (user, text)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    stem = Path(module).stem
    expected = [f"{module}:1: only tests import it: expected testing/{stem}_support.py"]
    assert rooms.check_python_support(tmp_path, files(module, user)) == (expected if found else [])


def test_a_program_that_tests_import_is_no_support(tmp_path):
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness/a.py").write_text('if __name__ == "__main__":\n    pass\n')
    (tmp_path / "harness/test_a.py").write_text("import a\n")
    assert rooms.check_python_support(tmp_path, files("harness/a.py", "harness/test_a.py")) == []
