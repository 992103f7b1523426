"""kernels/runtime/thresholds.h is what the committed report makes it."""

import json
import re
from pathlib import Path

import pytest
import thresholds

ROOT = Path(__file__).resolve().parents[1]
REPORT = {
    "run": {"id": "77777777", "started_utc": "2026-01-31T12:00:00Z"},
    "commits": ["0123456"],
    "host": {"cpu_model": "Example CPU", "family": 6, "model": 143, "stepping": 8},
    "thresholds": [
        {
            "name": "kArithmeticElements",
            "unit": "elements",
            "about": "Arithmetic",
            "per_thread": 4096,
            "threads": 2,
            "crossings": [
                {"label": "ReLU", "work": 8192, "measured_to": 65536},
                {"label": "Add", "work": 4096, "measured_to": 65536},
            ],
        }
    ],
}


SUITE = """
[[thresholds]]
name = "kArithmeticElements"
unit = "elements"
about = "Arithmetic"
on = ["relu", "add"]
"""


@pytest.fixture
def files(tmp_path):
    report, header = tmp_path / "threads.json", tmp_path / "thresholds.h"
    report.write_text(json.dumps(REPORT))
    (tmp_path / "threads.toml").write_text(SUITE)
    return report, header


def run(*arguments):
    suite = next(a for a in arguments if isinstance(a, Path)).parent / "threads.toml"
    return thresholds.main(["--suite", str(suite), *(str(a) for a in arguments)])


def test_the_committed_header_is_what_the_committed_report_makes():
    assert thresholds.main([]) == 0


def test_every_threshold_of_the_suite_is_in_the_header():
    text = (ROOT / "kernels/runtime/thresholds.h").read_text()
    suite = (ROOT / "harness/suites/threads.toml").read_text()
    names = [line.split('"')[1] for line in suite.splitlines() if line.startswith('name = "k')]
    assert names
    for name in names:
        assert f"constexpr size_t {name} = " in text


# Which argument of these says from how much work on a kernel forks.
FORKING = {
    "worthwhile_parts": 2,
    "unit_parts": 3,
    "parallel_chunks": 2,
    "parallel_units": 3,
    "parallel_lines": 2,
    "parallel_columns": 2,
    "parallel_rows": 3,
    "run_unary": 4,
    "run_unary_in_chunks": 4,
    "run_binary": 5,
    "run_binary_or_standing": 5,
    "run_binary_in_chunks": 5,
    "least": 0,
}
CONSTANTS = {
    line.split()[2]
    for line in (ROOT / "kernels/runtime/thresholds.h").read_text().splitlines()
    if line.startswith("constexpr size_t ")
}


def without_comments(text):
    return re.sub(r"//.*", "", text)


def arguments_from(text, begin):
    """The arguments behind the parenthesis that opens before `begin`."""
    depth, arguments = 0, [""]
    for character in text[begin:]:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return [argument.strip() for argument in arguments]
        if character == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += character
    raise AssertionError("a call without an end")


def forking_expressions(text):
    """What the calls (no declarations) of a source give as their threshold."""
    names = "|".join(FORKING)
    for found in re.finditer(rf"(?<!void )(?<!size_t )\b({names})\(", text):
        if found[1] == "least" and not text[: found.start()].endswith("pool."):
            continue  # a kernel's own function, looked at where its result is used
        yield arguments_from(text, found.end())[FORKING[found[1]]]


def is_measured(expression, text):
    """Is the expression a constant of thresholds.h, or made of one in the same source?"""
    if CONSTANTS & set(re.findall(r"\bk\w+", expression)):
        return True
    if member := re.fullmatch(r"\w+\.(\w+)", expression):
        kind, members = re.search(
            rf"struct (\w+) {{([^}}]*size_t {member[1]};[^}}]*)}}", text
        ).groups()
        ends = [one.strip().split(" ")[-1] for one in members.split(";")]
        at = ends.index(member[1])
        rows = re.search(rf"array<{kind}, \d+> \w+ = {{{{(.*?)}}}};", text, re.DOTALL)[1]
        return all(row.split(", ")[at] in CONSTANTS for row in re.findall(r"{([^}]*)}", rows))
    name = re.match(r"\w+", expression)[0]
    made = re.findall(rf"size_t {name}(?: = |\([^)]*\) {{)([^;]*);", text)
    if made:
        return all(CONSTANTS & set(re.findall(r"\bk\w+", one)) for one in made)
    # Handed on by one of the functions above, whose callers are looked at.
    return bool(re.search(rf"\b({'|'.join(FORKING)})\([^)]*\bsize_t {name}\b[^)]*\) {{", text))


def test_every_kernel_forks_by_a_measured_threshold():
    found = 0
    for folder in ("kernels", "layers"):
        for path in sorted((ROOT / folder).rglob("*.cpp")) + sorted((ROOT / folder).rglob("*.h")):
            if path.stem.endswith("_test"):
                continue
            text = without_comments(path.read_text())
            for expression in forking_expressions(text):
                found += 1
                assert is_measured(expression, text), f"{path.name}: {expression}"
    assert found > 40


@pytest.mark.parametrize(
    "source, measured",
    [
        ("parallel_chunks(pool, f(a, b), kConvMacs, [&](size_t i) { g(i, 4096); });", True),
        ("parallel_chunks(pool, n, 4096, [&](size_t i) { g(i, kConvMacs); });", False),
        ("const size_t few = kConvMacs / n;\n parallel_lines(pool, {1, n, 1}, few, fn);", True),
        ("const size_t few = 4096 / n;\n parallel_lines(pool, {1, n, 1}, few, fn);", False),
        ("size_t few(Op op) {\n  return 4096;\n}\n run_unary(p, x, y, pool, few(op), {});", False),
        (
            "struct F {\n  size_t few;\n};\narray<F, 1> all = {{\n  {part, 4096},\n}};\n"
            "run_unary(p, x, y, pool, f.few, {});",
            False,
        ),
        (
            "struct F {\n  size_t few;\n  size_t many;\n};\narray<F, 1> all = {{\n"
            "  {kConvMacs, 4096},\n}};\nrun_unary(p, x, y, pool, f.many, {});",
            False,
        ),
        ("void run(size_t few) {\n  worthwhile_parts(pool, n, few);\n}", False),
        ("size_t parts = pool.least(1000);", False),
    ],
)
def test_a_number_of_a_kernel_itself_is_found(source, measured):
    (expression,) = forking_expressions(source)
    assert is_measured(expression, source) == measured


def test_write_then_check(files):
    assert run("--write", *files) == 0
    text = files[1].read_text()
    assert "constexpr size_t kArithmeticElements = 4096;" in text
    assert "ReLU from 8192; Add from 4096" in text
    assert "Run 77777777" in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert run(*files) == 0


def test_an_edited_number_is_found(files, capsys):
    run("--write", *files)
    files[1].write_text(files[1].read_text().replace("4096;", "4095;"))
    assert run(*files) == 1
    assert "make thresholds" in capsys.readouterr().err


def test_where_threads_win_nowhere_is_said(files, capsys):
    odd = json.loads(json.dumps(REPORT))
    odd["thresholds"][0]["crossings"][1]["work"] = None
    files[0].write_text(json.dumps(odd))
    assert run("--write", *files) == 0
    assert "Add nowhere up to 65536" in files[1].read_text()
    assert "threads win nowhere for Add; was the machine" in capsys.readouterr().err


def of_machine(cpu, model=143, **sizes):
    """The report of another machine, with other sizes by kernel."""
    report = json.loads(json.dumps(REPORT))
    report["host"].update(cpu_model=cpu, model=model)
    for one in report["thresholds"][0]["crossings"]:
        one["work"] = sizes[one["label"]]
    return json.dumps(report)


def test_the_header_takes_the_most_cautious_machine(files):
    run("--write", *files)
    files[0].write_text(of_machine("Another CPU", ReLU=2048, Add=65536))
    assert run("--write", *files) == 0
    text = files[1].read_text()
    assert "constexpr size_t kArithmeticElements = 32768;" in text
    assert "ReLU from 2048 (1), from" in text and "8192 (2)" in text
    assert text.index("on Another CPU") < text.index("on Example CPU")
    assert run(*files) == 0


def of_run(name, day, **sizes):
    """The report of another run of the same machine."""
    report = json.loads(of_machine("Example CPU", **sizes))
    report["run"] = {"id": name, "started_utc": f"2026-02-{day:02}T12:00:00Z"}
    return json.dumps(report)


def test_of_runs_of_one_machine_the_lower_median_counts(files):
    run("--write", *files)
    for name, day, add, per_thread, said in [
        ("disturbed", 1, 65536, 4096, "Add from 4096 and from 65536"),
        ("third", 2, 32768, 16384, "Add from 4096 and from 65536 and from 32768"),
        ("fourth", 3, 16384, 16384, "Add from 65536 and from 32768 and from 16384"),
    ]:
        files[0].write_text(of_run(name, day, ReLU=8192, Add=add))
        assert run(*files) == 1, "the machine's file has the run of its report"
        assert run("--write", *files) == 0
        assert run(*files) == 0
        text = files[1].read_text()
        assert f"constexpr size_t kArithmeticElements = {per_thread};" in text
        assert said in text.replace("\n// ", " ")
        assert f"; {name}, started" in text.replace("\n// ", " ")


def test_a_run_that_is_written_again_counts_once(files):
    for _ in range(2):
        run("--write", *files)
    kept = json.loads((files[0].parent / "thresholds/example-cpu-6-143-8.json").read_text())
    assert [one["run"] for one in kept["runs"]] == ["77777777"]


def test_a_machine_where_threads_win_nowhere_counts_as_twice_its_largest_size(files):
    run("--write", *files)
    files[0].write_text(of_machine("Another CPU", ReLU=2048, Add=None))
    assert run("--write", *files) == 0
    assert "constexpr size_t kArithmeticElements = 65536;" in files[1].read_text()


def test_an_edited_machine_is_found(files, capsys):
    run("--write", *files)
    kept = files[0].parent / "thresholds/example-cpu-6-143-8.json"
    kept.write_text(kept.read_text().replace("8192", "1024"))
    assert run(*files) == 1
    assert "example-cpu-6-143-8.json: not what threads.json says" in capsys.readouterr().err
    kept.unlink()
    assert run(*files) == 1


def test_a_kernel_that_another_machine_never_measured_is_left_out(files):
    kept = files[0].parent / "thresholds/older.json"
    kept.parent.mkdir()
    report = json.loads(of_machine("Older", ReLU=16384, Add=1024))
    del report["thresholds"][0]["crossings"][1]
    kept.write_text(thresholds.machine_text(thresholds.with_run(kept.parent, report)))
    assert run("--write", *files) == 0
    text = files[1].read_text()
    assert "constexpr size_t kArithmeticElements = 8192;" in text
    assert "Add from 4096 (1)." in text


def test_machines_of_one_name_and_two_kinds_are_two(files):
    run("--write", *files)
    files[0].write_text(of_machine("Example CPU", model=2, ReLU=2048, Add=65536))
    assert run("--write", *files) == 0
    files[0].write_text(of_machine("Example CPU", model=207, ReLU=2048, Add=2048))
    assert run("--write", *files) == 0
    text = files[1].read_text().replace("\n// ", " ")
    assert "constexpr size_t kArithmeticElements = 32768;" in text
    assert "on Example CPU, family 6, model 2, stepping 8" in text


def test_numbers_of_another_unit_are_left_out(files):
    run("--write", *files)
    other = json.loads(of_machine("Another CPU", ReLU=2048, Add=2048))
    other["thresholds"][0]["unit"] = "macs"
    files[0].write_text(json.dumps(other))
    assert run("--write", *files) == 0
    text = files[1].read_text()
    assert "constexpr size_t kArithmeticElements = 1024;" in text and "8192" not in text


def test_a_kernel_decides_one_threshold(files, capsys):
    double = json.loads(json.dumps(REPORT))
    double["thresholds"].append(dict(double["thresholds"][0], name="kFunctionElements"))
    (files[0].parent / "threads.toml").write_text(SUITE + SUITE.replace("Arithmetic", "Function"))
    files[0].write_text(json.dumps(double))
    assert run("--write", *files) == 4
    assert "ReLU decides two thresholds" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text, said", [("{", "not JSON"), ("{}", "no evidence of thresholds (nsop.thresholds/2)")]
)
def test_a_damaged_file_of_a_machine_is_named(files, capsys, text, said):
    run("--write", *files)
    (files[0].parent / "thresholds/other.json").write_text(text)
    assert run(*files) == 4
    assert f"other.json: {said}" in capsys.readouterr().err


def test_the_header_of_the_project_is_found_by_any_name(monkeypatch):
    monkeypatch.chdir(ROOT)
    relative = ["out/threads.json", "kernels/runtime/thresholds.h"]
    folder = thresholds.machines_folder(thresholds.parsed(relative))
    assert folder == ROOT / "reports/thresholds"


def test_a_threshold_that_was_not_measured_is_refused(files, capsys):
    broken = json.loads(json.dumps(REPORT))
    broken["thresholds"][0]["per_thread"] = None
    files[0].write_text(json.dumps(broken))
    assert run("--write", *files) == 3
    assert not files[1].exists()
    assert "kArithmeticElements: not measured on several threads" in capsys.readouterr().err


def test_a_constant_that_the_suite_has_no_section_for_is_refused(files, capsys):
    run("--write", *files)
    before = files[1].read_text() + "constexpr size_t kNewMacs = 1;\n"
    files[1].write_text(before)
    for write in ([], ["--write"]):
        assert run(*write, *files) == 2
        assert "threads.toml: no [[thresholds]] for kNewMacs" in capsys.readouterr().err
        assert files[1].read_text() == before


def test_a_section_of_the_suite_that_was_not_measured_is_refused(files, capsys):
    run("--write", *files)
    suite = files[0].parent / "threads.toml"
    suite.write_text(SUITE + SUITE.replace("kArithmeticElements", "kNewMacs"))
    for write in ([], ["--write"]):
        assert run(*write, *files) == 3
        assert "kNewMacs: not in the report; run: make thresholds" in capsys.readouterr().err


def test_a_new_constant_may_be_assumed_if_the_header_says_so(files, capsys):
    run("--write", *files)
    measured = files[1].read_text()
    suite = files[0].parent / "threads.toml"
    suite.write_text(SUITE + SUITE.replace("kArithmeticElements", "kNewMacs"))
    lines = "constexpr size_t kNewMacs = 7;\n"
    files[1].write_text(measured.replace(thresholds.END, "\n" + lines + thresholds.END))
    assert run(*files) == 3
    files[1].write_text(
        measured.replace(thresholds.END, "\n" + thresholds.ASSUMED + lines + thresholds.END)
    )
    assert run(*files) == 0
    assert run("--write", *files) == 3, "a measurement has to have all of them"
    report = json.loads(json.dumps(REPORT))
    crossings = [{"label": "New", "work": 64, "measured_to": 512}]
    new = {**report["thresholds"][0], "name": "kNewMacs", "crossings": crossings}
    report["thresholds"].append(new)
    files[0].write_text(json.dumps(report))
    capsys.readouterr()
    assert run(*files) == 3
    assert "kNewMacs: said to be assumed, but measured" in capsys.readouterr().err
    assert run("--write", *files) == 0
    assert thresholds.ASSUMED not in files[1].read_text()
    assert run(*files) == 0


def test_without_a_report_the_header_must_say_that_it_assumes(tmp_path, capsys):
    report, header = tmp_path / "threads.json", tmp_path / "thresholds.h"
    header.write_text(thresholds.ASSUMED + "constexpr size_t kA = 1;\n")
    assert run(report, header) == 0
    header.write_text("constexpr size_t kA = 1;\n")
    assert run(report, header) != 0
    assert "threads.json" in capsys.readouterr().err


def test_another_file_is_bad_data(files, capsys):
    files[0].write_text("{}")
    assert run(*files) == 4
    assert "no report of the suite threads" in capsys.readouterr().err
