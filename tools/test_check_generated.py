"""tools/check_generated.py with a renderer of three lines."""

import subprocess
import sys
from pathlib import Path

import check_generated
import pytest

SCRIPT = Path(__file__).resolve().parent / "check_generated.py"
RENDERER = """
import json, pathlib, sys
source, out = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[4])
(out / (source.stem + ".md")).write_text(f"| {json.loads(source.read_text())['ns']} ns |\\n")
"""


@pytest.fixture
def check(tmp_path):
    renderer = tmp_path / "renderer.py"
    renderer.write_text(RENDERER)
    folder = tmp_path / "generated"
    folder.mkdir()

    def run(**files):
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)
        command = [sys.executable, str(SCRIPT), str(folder), str(renderer)]
        return subprocess.run(command, capture_output=True, text=True)

    return run


def test_what_its_json_renders_to_passes(check):
    result = check(conv_json='{"ns": 12}', conv_md="| 12 ns |\n")
    assert result.returncode == 0, result.stdout
    assert "1 reports, 0 problems" in result.stderr


def test_every_file_of_a_report_is_compared(check, tmp_path):
    renderer = tmp_path / "renderer.py"
    renderer.write_text(RENDERER + '(out / (source.stem + "-details.md")).write_text("more\\n")\n')
    conv = {"conv_json": '{"ns": 12}', "conv_md": "| 12 ns |\n"}
    result = check(**conv)
    assert (
        result.returncode == 1
        and "conv-details.md: missing; run: make publish-reports" in result.stdout
    )
    assert check(**conv, **{"conv-details_md": "more\n"}).returncode == 0
    renderer.write_text(RENDERER)
    assert "conv-details.md: no JSON" in check(**conv).stdout


def test_an_edited_number_fails(check):
    result = check(conv_json='{"ns": 12}', conv_md="| 11 ns |\n")
    assert result.returncode == 1
    assert "-| 11 ns |" in result.stdout and "+| 12 ns |" in result.stdout


def test_a_report_without_json_fails(check):
    result = check(conv_md="| 12 ns |\n")
    assert result.returncode == 1 and "no JSON" in result.stdout


def test_a_plot_that_no_report_shows_fails(check):
    shown = "| 12 ns |\n"
    result = check(conv_json='{"ns": 12}', conv_md=shown, **{"conv-old_png": "", "judge_svg": ""})
    assert result.returncode == 1
    assert "conv-old.png: no report shows it" in result.stdout and "judge.svg" in result.stdout
    linked = "![plot](conv-old.png) ![plot](judge.svg)"
    result = check(conv_json='{"ns": 12}', conv_md=shown, other_md=linked)
    assert "no report shows it" not in result.stdout


def test_a_json_without_report_or_that_does_not_render_fails(check):
    assert "missing; run: make publish-reports" in check(conv_json='{"ns": 12}').stdout
    broken = check(conv_json="{}")
    assert broken.returncode == 1 and "can't be rendered" in broken.stdout


def test_thresholds_are_compared_with_the_committed_reports(monkeypatch, capsys):
    monkeypatch.setattr(check_generated, "check", lambda folder, renderer: [])
    assert check_generated.main([]) == 0
    monkeypatch.setattr(check_generated.thresholds, "problem", lambda *_: "thresholds.h: stale")
    assert check_generated.main([]) == 1
    assert "thresholds.h: stale" in capsys.readouterr().out
