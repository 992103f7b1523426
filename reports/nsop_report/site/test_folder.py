"""A site takes the place of an older one as a whole; what is no site of ours is never touched."""

import json
import os

import pytest

from nsop_report import main
from nsop_report.errors import BAD_DATA, ENVIRONMENT, USAGE, ReportError
from nsop_report.site import build, folder
from nsop_report.site.conftest import contents, make
from nsop_report.site.testing import model_support

LINES = model_support.model(1)


@pytest.fixture
def source(tmp_path):
    return model_support.write(tmp_path / "model.ndjson", LINES)


def call(source, target):
    return main.main(["--site", source, "--out", str(target)])


def names(path):
    return sorted(os.listdir(path))


def one_line(capsys):
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("kind", ["file", "empty", "full", "marker of somebody", "link"])
def test_what_is_no_site_of_ours_is_never_touched(tmp_path, source, capsys, kind):
    target = tmp_path / "out"
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        (tmp_path / "real").mkdir()
        target.symlink_to("real")
    else:
        target.mkdir()
    if kind in ("full", "marker of somebody"):
        (target / "thesis.txt").write_text("mine")
    if kind == "marker of somebody":
        (target / folder.MARKER).write_text('{"schema": "other"}')
    before = names(tmp_path), contents(tmp_path)
    assert call(source, target) == USAGE
    assert f"{target}: is there and no site of nsop" in one_line(capsys)
    assert (names(tmp_path), contents(tmp_path)) == before


@pytest.mark.parametrize("marker", ["{", "[]", '"nsop"', "[" * 100_000, "\udcff"])
def test_a_damaged_marker_marks_nothing(tmp_path, marker):
    (tmp_path / folder.MARKER).write_bytes(marker.encode("utf-8", "surrogateescape"))
    assert not folder.is_ours(tmp_path)


def test_a_marker_that_is_a_link_marks_nothing(tmp_path):
    (tmp_path / "real").write_text(json.dumps({"schema": folder.SCHEMA}))
    (tmp_path / folder.MARKER).symlink_to("real")
    assert not folder.is_ours(tmp_path)


def cases_in(site):
    """Ids of the cases that have pages."""
    return {path.stem.removesuffix("-points") for path in (site / "case").iterdir()}


def test_an_older_site_is_replaced_as_a_whole(tmp_path):
    site = make(tmp_path, model_support.model(3))
    (site / "case" / "left-over.html").write_text("old")
    make(tmp_path, LINES)
    assert len(cases_in(site)) == 1
    assert names(tmp_path) == ["out", "out.ndjson"]


def test_a_link_stays_a_link(tmp_path, source):
    real = make(tmp_path, model_support.model(2), "real")
    (tmp_path / "out").symlink_to("real")
    assert call(source, tmp_path / "out") == 0
    assert (tmp_path / "out").is_symlink()
    assert len(cases_in(real)) == 1


def test_missing_parents_are_made(tmp_path, source):
    assert call(source, tmp_path / "a" / "b" / "out") == 0
    assert names(tmp_path / "a" / "b") == ["out"]
    assert (tmp_path / "a" / "b" / "out").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("which", ["write", "rename"])
def test_a_failing_disk_leaves_what_was_there(
    tmp_path, source, capsys, monkeypatch, existing, which
):
    if existing:
        make(tmp_path, model_support.model(2))
    before = names(tmp_path), contents(tmp_path)

    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    if which == "write":
        monkeypatch.setattr(build._Site, "_overviews", refuse)
    else:
        rename = os.rename
        monkeypatch.setattr(
            os, "rename", lambda a, b: refuse() if str(b).endswith("out") else rename(a, b)
        )
        if existing:  # the old one can be put back
            calls = []
            monkeypatch.setattr(
                os,
                "rename",
                lambda a, b: refuse() if calls.append(1) or len(calls) == 2 else rename(a, b),
            )
    assert call(source, tmp_path / "out") == ENVIRONMENT
    assert "can't be written: No space left on device" in one_line(capsys)
    monkeypatch.undo()
    assert (names(tmp_path), contents(tmp_path)) == before


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, source):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(build._Site, "_gate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        call(source, tmp_path / "out")
    assert names(tmp_path) == ["model.ndjson"]


def test_a_stranger_that_comes_while_we_build_stays(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(ReportError) as error:
        with folder.replacing(target):
            target.mkdir()
            (target / "thesis.txt").write_text("mine")
    assert error.value.code == USAGE
    assert contents(tmp_path) == {"out/thesis.txt": b"mine"}
    assert names(tmp_path) == ["out"]


def test_a_parent_that_is_a_file_is_exit_5(tmp_path, source, capsys):
    (tmp_path / "file").write_text("")
    assert call(source, tmp_path / "file" / "out") == ENVIRONMENT
    one_line(capsys)


def test_a_bad_model_writes_nothing(tmp_path, capsys):
    bad = tmp_path / "bad.ndjson"
    bad.write_text("")
    assert call(str(bad), tmp_path / "out") == BAD_DATA
    assert "cut short" in one_line(capsys)
    assert names(tmp_path) == ["bad.ndjson"]


def test_what_a_killed_build_left_goes_with_the_next_one(tmp_path, source):
    target = tmp_path / "out"
    assert call(source, target) == 0
    dead, alive, empty = (tmp_path / f"out{folder.UNFINISHED}{end}" for end in ("a", "b", "c"))
    for one in (dead, alive, empty):
        one.mkdir()
    (dead / "index.html").write_text("half")
    (alive / "index.html").write_text("half")
    (tmp_path / f"out{folder.UNFINISHED}link").symlink_to("out")
    with folder._held(alive):
        assert call(source, target) == 0
    assert not dead.exists() and (alive / "index.html").exists() and empty.exists()
    assert (target / folder.MARKER).exists()


def test_what_is_left_of_a_site_that_is_gone_stays(tmp_path, source):
    old = tmp_path / f"out{folder.UNFINISHED}old"
    assert call(source, old) == 0
    with pytest.raises(RuntimeError), folder.replacing(tmp_path / "out"):
        raise RuntimeError("killed before it came")
    assert (old / folder.MARKER).exists()
