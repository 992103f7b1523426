"""The command: files, exit codes, one-line errors, and the same bytes every time."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import time

import pytest

from nsop_report import files, main
from nsop_report.conftest import TESTDATA
from nsop_report.errors import BAD_DATA, ENVIRONMENT, ReportError

PACKAGE = pathlib.Path(__file__).resolve().parent


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_folder_runs_as_a_program_in_isolation(tmp_path):
    command = [sys.executable, "-I", PACKAGE, "--json", TESTDATA / "sweep.json", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "activations-relu-forward.svg",
        "activations-tanh-forward.svg",
        "activations.md",
    ]


def test_rendering_again_gives_the_same_bytes(name, tmp_path):
    source = str(TESTDATA / f"{name}.json")
    assert main.main(["--json", source, "--out", str(tmp_path / "a" / "new")]) == 0
    assert main.main(["--json", source, "--out", str(tmp_path / "b")]) == 0
    assert contents(tmp_path / "a" / "new") == contents(tmp_path / "b")
    assert main.main(["--json", source, "--out", str(tmp_path / "b")]) == 0  # over itself
    assert contents(tmp_path / "a" / "new") == contents(tmp_path / "b")


def test_every_link_leads_to_a_file(name, tmp_path, page):
    main.main(["--json", str(TESTDATA / f"{name}.json"), "--out", str(tmp_path)])
    markdown = next(tmp_path.glob("*.md")).read_text()
    links = page(markdown).hrefs
    assert links
    assert set(links) == {path.name for path in tmp_path.glob("*.svg")}


def test_without_plots_only_markdown_is_written(tmp_path):
    source = str(TESTDATA / "sweep.json")
    assert main.main(["--json", source, "--out", str(tmp_path), "--no-plots"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["activations.md"]


def test_a_name_is_no_path(tmp_path, conv):
    conv["name"] = "../../Evil/../name\0"
    source = tmp_path / "x.json"
    source.write_text(json.dumps(conv))
    out = tmp_path / "deep" / "out"
    assert main.main(["--json", str(source), "--out", str(out)]) == 0
    assert [path.name for path in sorted(out.iterdir())] == [
        "evil-name-convolution.svg",
        "evil-name-dense.svg",
        "evil-name.md",
    ]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]


@pytest.mark.parametrize(
    "name_of_report, expected",
    [("conv", "conv"), ("my_suite 2", "my_suite-2"), ("..", "unnamed"), ("", "unnamed")],
)
def test_slug(name_of_report, expected):
    assert files.slug(name_of_report) == expected


def test_bad_json_is_one_line_and_exit_4(tmp_path, capsys):
    source = tmp_path / "x.json"
    source.write_text("{")
    assert main.main(["--json", str(source), "--out", str(tmp_path / "out")]) == BAD_DATA
    error = capsys.readouterr().err
    assert error.startswith(f"nsop_report: {source}: no valid JSON: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_exit_5(tmp_path, capsys):
    (tmp_path / "out").write_text("")
    arguments = ["--json", str(TESTDATA / "sweep.json"), "--out", str(tmp_path / "out")]
    assert main.main(arguments) == ENVIRONMENT
    assert capsys.readouterr().err.count("\n") == 1


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(28, "No space left on device")

    (tmp_path / "x.md").write_text("old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ReportError) as error:
        files.write_atomically(str(tmp_path), "x.md", b"new")
    assert error.value.code == ENVIRONMENT
    assert "x.md: can't be written: No space left on device" in str(error.value)
    assert contents(tmp_path) == {"x.md": b"old"}


# `--out /dev/null` must not leave a file in its place.
@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_device_stays_a_device(tmp_path, monkeypatch, through_a_link):
    replaced = []
    monkeypatch.setattr(os, "replace", lambda source, target: replaced.append(target))
    path = "/dev/null"
    if through_a_link:
        path = str(tmp_path / "link")
        os.symlink("/dev/null", path)
    files.write_atomically(*os.path.split(path), b"x")
    assert replaced == []
    assert stat.S_ISCHR(os.stat(path).st_mode)


def test_a_pipe_stays_a_pipe_and_brings_what_is_written(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ReportError) as error:
        files.write_atomically(str(tmp_path), "pipe", b"nobody reads")
    assert error.value.code == ENVIRONMENT
    data = b"through a pipe " * 10_000  # more than it holds at once
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        deadline = time.monotonic() + 10
        while True:
            try:
                files.write_atomically(str(tmp_path), "pipe", data)
                break
            except ReportError:  # the reader hasn't opened it yet
                assert time.monotonic() < deadline
                time.sleep(0.01)
        got = reader.stdout.read()
    assert got == data
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target", tmp_path / "link"
    link.symlink_to("deep/target")
    for content in (b"one", b"two"):  # the first makes what the link leads to
        files.write_atomically(str(tmp_path), "link", content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_usage_is_exit_2(capsys):
    with pytest.raises(SystemExit) as stop:
        main.main(["--json"])
    assert stop.value.code == 2
    assert "--json" in capsys.readouterr().err
