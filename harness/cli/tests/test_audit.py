"""nsop audit through the binary: our own pages hold, wrong ones don't, other files are refused."""

import json
import re

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
PAGES = sorted([*(ROOT / "reports/generated").glob("*.md"), *DOCUMENTS])
ACCUSING = ("wrong", "unlike_cases", "direction")
TRUE = "# a\n\n2.0x faster (10.0 s \u2192 5.0 s).\n"
WRONG = "# a\n\n3.0x faster (10.0 s \u2192 5.0 s).\n"


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_our_own_pages_accuse_nobody(nsop, page):
    found = json.loads(nsop("audit", "--json", "--root", str(ROOT), str(page)).stdout)["files"][0]
    assert [f for f in found["findings"] if f["kind"] in ACCUSING] == []
    assert sum(found["counts"].values()) == len(found["findings"])


def test_our_own_pages_are_checked_at_all(nsop):
    files = json.loads(nsop("audit", "--json", *map(str, PAGES)).stdout)["files"]
    assert len(files) == len(PAGES) > 5
    assert sum(f["counts"]["right"] for f in files) > 1000


def test_a_number_changed_in_one_of_our_pages_is_found(nsop, tmp_path):
    text = (ROOT / "README.md").read_text()
    figure = re.search(r"(\d+)x faster \[[^]]*\] better \|", text)
    changed = f"{int(figure[1]) * 5}x faster |"
    page = written(tmp_path, "page.md", text[: figure.start()] + changed + text[figure.end() :])
    line = text.count("\n", 0, figure.start()) + 1
    assert f"{page}:{line}: wrong: {int(figure[1]) * 5}x: " in nsop("audit", page, code=1).stdout


def test_exit_codes_and_forms(nsop, tmp_path):
    good, bad = written(tmp_path, "good.md", TRUE), written(tmp_path, "bad.md", WRONG)
    assert nsop("audit", good).stdout.startswith(f"{good}: 1 right, ")
    assert f"{good}:3: right: 2.0x: " in nsop("audit", "--all", good).stdout
    both = nsop("audit", good, bad, code=1)
    assert f"{bad}:3: wrong: 3.0x: 10.0 s -> 5.0 s is 2.0x" in both.stdout and both.stderr == ""
    annotated = nsop("audit", "--annotations", good, bad, code=1).stdout
    assert annotated.startswith(f"::error file={bad},line=3,title=wrong::3.0x: ")
    assert annotated.count("\n") == 1
    model = json.loads(nsop("--json", "audit", bad, code=1).stdout)
    assert model["schema"] == "nsop.audit/1" and model["files"][0]["counts"]["wrong"] == 1
    one_line(nsop("audit", "--json", "--annotations", good, code=2))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\x7fELF\x00\x01\x02", "zero bytes"),
        ("Text".encode("utf-16"), "UTF-16"),
        (b">" * 100_000, "nested"),
        (b"a" * 1_000_000, "bytes, more than"),
        (b"|" * 10_000 + b"\n", "nested"),
        (bytes(range(256)) * 50, "zero bytes"),
        ("\ufeff".encode("utf-16-be"), "UTF-16"),
        ("\ufeff".encode(), "empty"),
    ],
    ids=["empty", "elf", "utf16", "quotes", "line", "bars", "bytes", "utf16be", "mark"],
)
def test_what_is_no_page_is_refused(nsop, tmp_path, content, says):
    path = written(tmp_path, "page.md", content)
    line = one_line(nsop("audit", path, code=4))
    assert says in line and path in line


def test_a_byte_order_mark_is_no_text(nsop, tmp_path):
    path = written(tmp_path, "page.md", "\ufeff" + WRONG)
    assert f"{path}:3: wrong: 3.0x" in nsop("audit", path, code=1).stdout


def test_a_file_of_100_mb_is_refused(nsop, tmp_path):
    path = written(tmp_path, "page.md", WRONG)
    with open(path, "a") as file:
        file.truncate(100 << 20)
    line = one_line(nsop("audit", path, code=4))
    assert path in line and "larger than 8 MiB" in line


def test_scripts_that_commands_run(nsop, tmp_path):
    page = written(tmp_path, "page.md", "# a\n\n```sh\npython tools/check.py\n```\n")
    nsop("audit", page)
    found = nsop("audit", "--root", str(tmp_path), page, code=1).stdout
    assert f"{page}:4: wrong: tools/check.py: " in found
    (tmp_path / "tools").mkdir()
    written(tmp_path / "tools", "check.py", "")
    nsop("audit", "--root", str(tmp_path), page)
    assert "--root" in one_line(nsop("audit", "--root", str(tmp_path / "none"), page, code=2))


def test_files_that_cannot_be_read(nsop, tmp_path):
    assert "none.md" in one_line(nsop("audit", str(tmp_path / "none.md"), code=5))
    assert str(tmp_path) in one_line(nsop("audit", str(tmp_path), code=5))
    nsop("audit", code=2)


def test_a_name_or_text_controls_no_terminal(nsop, tmp_path):
    path = written(tmp_path, "a\x1b[31m.md", WRONG.replace("s)", "\x1b[31ms)"))
    for options in ([], ["--json"], ["--annotations"]):
        assert "\x1b" not in nsop("audit", *options, path, code=1).stdout


def test_a_page_from_a_pipe(nsop):
    done = nsop("audit", "/dev/stdin", code=1, input=WRONG)
    assert "/dev/stdin:3: wrong: 3.0x" in done.stdout
