import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "test_counts.py"
CASES = {
    "pass": '<testcase name="a"/>',
    "fail": '<testcase name="a"><failure message="x"/></testcase>',
    "error": '<testcase name="a"><error message="x"/></testcase>',
    "skip": '<testcase name="a"><skipped/></testcase>',
    "not_built": '<testcase name="a_test_NOT_BUILT" status="notrun"><skipped/></testcase>',
    "notrun": '<testcase name="a" status="notrun"/>',
}


def count(tmp_path, **files):
    paths = []
    for name, kinds in files.items():
        paths.append(tmp_path / f"{name}.xml")
        cases = "".join(CASES[kind] for kind in kinds)
        if kinds is not None:
            paths[-1].write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    command = [sys.executable, str(SCRIPT), *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True)


def test_results_are_added_up(tmp_path):
    result = count(tmp_path, ctest=["pass", "pass", "notrun"], pytest=["pass", "skip"])
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1] == "3 passed, 0 failed"
    assert "2 passed, 0 failed, 1 skipped" in result.stdout


def test_failures_and_errors_fail(tmp_path):
    result = count(tmp_path, ctest=["pass", "fail", "error", "not_built"])
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "1 passed, 3 failed"


def test_a_runner_that_ran_nothing_is_a_failure(tmp_path):
    result = count(tmp_path, ctest=[], pytest=["pass"])
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed"


def test_missing_results_are_a_failure(tmp_path):
    missing = tmp_path / "ctest.xml"
    command = [sys.executable, str(SCRIPT), str(missing)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "0 passed, 1 failed"


def test_programs_are_counted_by_their_own_files(tmp_path):
    """A program that died left no file, or one that says nothing of what killed it."""
    part = '<testcase name="{}" status="{}">{}</testcase>'
    failure = '<failure message="x"/>'
    programs = [
        part.format("a_test.part_1_of_2", "run", ""),
        part.format("b_test.part_1_of_1", "fail", failure),
        part.format("c_test.part_1_of_1", "fail", failure),
        part.format("d_test.part_1_of_1", "run", ""),  # left nothing: counted as it is
        part.format("other", "run", ""),
    ]
    ctest = tmp_path / "ctest.xml"
    ctest.write_text(f"<testsuite>{''.join(programs)}</testsuite>")
    for name, kinds in (("a_test.part_1_of_2", "pass pass"), ("b_test.part_1_of_1", "pass fail")):
        cases = "".join(CASES[kind] for kind in kinds.split())
        (tmp_path / f"{name}.xml").write_text(f"<testsuite>{cases}</testsuite>")
    files = [ctest, *tmp_path.glob("*.part_*.xml")]
    result = subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "5 passed, 3 failed"
