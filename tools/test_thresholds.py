"""kernels/thresholds.h is what the committed report makes it."""

import json
from pathlib import Path

import pytest
import thresholds

ROOT = Path(__file__).resolve().parents[1]
REPORT = {
    "run": {"id": "77777777", "started_utc": "2026-01-31T12:00:00Z"},
    "commits": ["0123456"],
    "host": {"cpu_model": "Example CPU"},
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


@pytest.fixture
def files(tmp_path):
    report, header = tmp_path / "threads.json", tmp_path / "thresholds.h"
    report.write_text(json.dumps(REPORT))
    return report, header


def run(*arguments):
    return thresholds.main([str(a) for a in arguments])


def test_the_committed_header_is_what_the_committed_report_makes():
    assert thresholds.main([]) == 0


def test_every_threshold_of_the_suite_is_in_the_header():
    text = (ROOT / "kernels/thresholds.h").read_text()
    suite = (ROOT / "harness/suites/threads.toml").read_text()
    names = [line.split('"')[1] for line in suite.splitlines() if line.startswith('name = "k')]
    assert names
    for name in names:
        assert f"constexpr size_t {name} = " in text


def test_no_kernel_has_a_threshold_of_its_own():
    sources = sorted((ROOT / "kernels").glob("*.cpp")) + sorted((ROOT / "kernels").glob("*.h"))
    for path in sources:
        for line in path.read_text().splitlines():
            assert "than it brings" not in line, f"{path.name}: {line}"


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


def test_a_threshold_that_was_not_measured_is_refused(files, capsys):
    broken = json.loads(json.dumps(REPORT))
    broken["thresholds"][0]["per_thread"] = None
    files[0].write_text(json.dumps(broken))
    assert run("--write", *files) == 3
    assert not files[1].exists()
    assert "kArithmeticElements: not measured on several threads" in capsys.readouterr().err


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
