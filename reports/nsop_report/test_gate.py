"""Reports of a gate: golden, within the limits of their places, and inert whatever a name says."""

import copy
import json
import os
import re
import tomllib
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nsop_report import earlier, gate, main, render
from nsop_report.conftest import TESTDATA, read_markdown
from nsop_report.errors import ReportError

MODEL = json.loads((TESTDATA / "gate.json").read_text())
SUFFIXES = {"pull-request": "md", "junit": "xml", "github": "txt"}


@pytest.fixture
def model():
    return copy.deepcopy(MODEL)


def texts_replaced(value, text):
    """The model with every text that comes from outside replaced."""
    if isinstance(value, dict):
        fixed = ("schema", "kind", "id", "status", "level", "align")
        return {k: v if k in fixed else texts_replaced(v, text) for k, v in value.items()}
    if isinstance(value, list):
        return [texts_replaced(one, text) for one in value]
    return text if isinstance(value, str) else value


def longer(model, times):
    """The same with many more rows in every list."""
    for table in [*(group["table"] for group in model["groups"]), model["all"]]:
        table["rows"] = table["rows"] * times
    return model


@pytest.mark.parametrize("form", SUFFIXES)
def test_the_golden_file(form, model):
    golden = TESTDATA / f"gate.{SUFFIXES[form]}"
    text = gate.FORMATS[form](model)
    if os.environ.get("NSOP_UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_what_is_worse_is_never_folded(model):
    text = gate.markdown(model)
    first = text.index("<details>")
    for row in model["groups"][0]["table"]["rows"]:
        assert row["cells"][1]["text"] in text[:first]
    assert text.startswith(gate.MARKER + "\n## nsop: 4 regressions")


def test_every_table_has_all_its_columns(model):
    page = read_markdown(gate.markdown(model))
    assert [len(table) for table in page.tables] == [5, 2, 2, 2, 2, 12, 7]
    tables = [group["table"] for group in model["groups"] if group["table"]["rows"]]
    for table, shown in zip([*tables, model["all"]], page.tables):
        assert shown[0] == [column["label"] for column in table["columns"]]
        assert all(len(row) == len(shown[0]) for row in shown)


def test_a_column_of_zeros_is_not_shown(model):
    memory = "allocs/op (B/op)"
    labels = {
        group["id"]: [column["label"] for column in group["table"]["columns"]]
        for group in model["groups"]
    }
    assert memory in labels["worse"]
    assert memory not in labels["better"] and "per op" in labels["better"]


def test_it_says_what_to_do_where_rows_are_worse(model):
    text = gate.markdown(model)
    assert "### What to do" in text
    declared = text.split("lines for nsop-known.toml</summary>")[1].split("```")[1]
    changes = tomllib.loads(declared)["change"]
    worse = [row["cells"] for row in model["groups"][0]["table"]["rows"]]
    mended = [c[1]["text"] for c in worse if "crashed" in c[0]["text"] or "lost" in c[0]["text"]]
    declared = [change["case"] for change in changes]
    assert declared and not set(declared) & set(mended)
    assert set(declared) | set(mended) == {cells[1]["text"] for cells in worse}
    assert {change["direction"] for change in changes} == {"worse"}
    slower = next(change for change in changes if change["case"].startswith("conv2d"))
    assert slower["at_most_percent"] == 18 and slower["expires"] > "2026"
    again = text.split("Measure it again</summary>")[1].split("```")[1]
    assert again.count("nsop gate --base 9f8e7d6c5b4a --head 1a2b3c4d5e6f 'conv2d ") == 1
    model["advice"] = None
    assert "What to do" not in gate.markdown(model)


def test_changes_are_drawn_on_one_scale(model):
    lines = gate.markdown(model).split("```")[1].strip("\n").splitlines()
    assert lines == model["forest"] and "change of the time" in lines[0]
    assert {line[20] for line in lines[1:] if "●" not in line[20]} <= set("│┼├┤─")
    faster = next(line for line in lines if "relu" in line)
    slower = next(line for line in lines if "conv2d" in line)
    assert faster.index("●") < 20 < slower.index("●")


LINKS = [("report", "https://ci.example/runs/7"), ("history", "https://ci.example/h?a=1&b=2")]
OLD = """<!-- nsop:gate -->
## nsop: no regression, 2 rows inconclusive: no action needed

`aaaaaaaaaaaa` (head) against `9f8e7d6c5b4a` (base)

<details><summary>Earlier pushes (2)</summary>

- `bbbbbbbbbbbb`: 1 regression: action needed
- `1a2b3c4d5e6f`: this very commit: measured before
- `cccccccccccc`: <script>alert(1)</script>
- `dddddddddddd`: @everyone [x](http://evil.example)

</details>
"""


def test_links_are_shown_under_the_verdict(model):
    page = read_markdown(gate.markdown(model, links=LINKS))
    assert page.hrefs == [url for _, url in LINKS]


def test_verdicts_of_earlier_pushes_are_kept(model):
    text = gate.markdown(model, earlier=OLD)
    assert "<summary>Earlier pushes (2)</summary>" in text
    kept = text.split("Earlier pushes")[1].split("</details>")[0]
    assert "- `aaaaaaaaaaaa`: no regression, 2 rows inconclusive: no action needed" in kept
    assert "- `bbbbbbbbbbbb`: 1 regression: action needed" in kept
    assert "script" not in kept and "evil" not in kept and "1a2b3c4d5e6f" not in kept
    # The next push finds all three.
    model["head_commit"] = "e" * 40
    again = earlier.pushes(text, model["head_commit"])
    assert [commit[0] for commit, _ in again] == ["1", "a", "b"]


def test_many_pushes_keep_the_newest(model):
    old = "\n".join(f"- `{n:012x}`: no regression: no action needed" for n in range(50))
    assert len(earlier.pushes(old, "f" * 40)) == earlier.MOST


@given(st.text(max_size=200))
def test_no_comment_can_break_the_next_one(text):
    for commit, headline in earlier.pushes(f"## nsop: {text}\n`aaaaaaaa` (head)\n{text}", "f" * 40):
        assert earlier.COMMIT.fullmatch(commit) and earlier.HEADLINE.fullmatch(headline)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://x/)(", "http://a b", "x", ""])
def test_a_link_that_is_none_is_refused(url):
    with pytest.raises(SystemExit):
        main.parsed(["--json", "x", "--out", "y", "--link", f"run={url}"])


@pytest.mark.parametrize("times", [1, 30, 100])
def test_a_comment_stays_within_its_limit_and_says_what_it_cut(model, times):
    text = gate.markdown(longer(model, times))
    assert len(text) <= gate.COMMENT_CHARACTERS
    rows = sum(len(table) - 1 for table in read_markdown(text).tables[:-1])
    cut = sum(int(n) for n in re.findall(r"(\d+) of \d+ rows cut here", text))
    total = sum(len(g["table"]["rows"]) for g in model["groups"]) + len(model["all"]["rows"])
    assert rows + cut == total
    assert (cut > 0) == (times > 1)
    assert text.rstrip().endswith("</sub>")


def many_rows(model, names):
    """A report of that many rows, each of its own name: half inconclusive, the rest the same."""
    table = next(group["table"] for group in model["groups"] if group["id"] == "inconclusive")
    for rows, part in ((model["all"]["rows"], names), (table["rows"], names[::2])):
        like = copy.deepcopy(rows[0])
        rows[:] = [copy.deepcopy(like) for _ in part]
        for row, name in zip(rows, part):
            row["cells"][1]["text"] = name
    return model


def test_two_thousand_rows_are_cut_honestly_worse_ones_last(model):
    names = [f"op{i} n={'1' * (i % 50)}" for i in range(2000)]
    text = gate.markdown(many_rows(model, names))
    assert len(text) <= gate.COMMENT_CHARACTERS
    cut = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) of (\d+) rows cut here", text)]
    assert (2000, 2000) in cut and any(whole == 1000 and n > 0 for n, whole in cut)
    rows = sum(len(table) - 1 for table in read_markdown(text).tables)
    whole = sum(len(g["table"]["rows"]) for g in model["groups"]) + 2000
    assert rows + sum(n for n, _ in cut) == whole + len(model["families"]["rows"])
    for row in model["groups"][0]["table"]["rows"]:
        assert row["cells"][1]["text"] in text
    assert model["command"] in text and text.rstrip().endswith("</sub>")


def test_what_has_no_list_to_cut_is_cut_with_a_word(model):
    model["warnings"] = [f"warning {i} " + "x" * 500 for i in range(300)]
    text = gate.markdown(model)
    assert len(text) <= gate.COMMENT_CHARACTERS
    assert "Cut here" in text and text.startswith(gate.MARKER)


def test_worse_rows_are_the_last_to_be_cut(model):
    text = gate.markdown(longer(model, 30))
    assert "of 330 rows cut here" in text
    assert text.count("🔴 lost") >= 30


def test_an_unknown_format_is_told_those_that_are_known(tmp_path, model, capsys):
    source = tmp_path / "gate.json"
    source.write_text(json.dumps(model))
    for form in gate.FORMATS:
        arguments = ["--json", str(source), "--format", form, "--out", str(tmp_path / "out")]
        assert main.main(arguments) == 0
    assert main.main([*arguments[:3], "html", "--out", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said.endswith(f"--format html: expected {' or '.join(gate.FORMATS)}\n")
    assert not (tmp_path / "none").exists()


def test_a_step_summary_holds_more(model):
    text = gate.FORMATS["step-summary"](longer(model, 100))
    assert gate.COMMENT_CHARACTERS < len(text) <= gate.SUMMARY_CHARACTERS


EVIL = [
    "</details><script>alert(1)</script> | `x` [a](http://evil.example) @team\n| b |\u202e",
    "::error file=x::y\r\n::warning::z",
    "]]> & < > \" ' \x00 \x1b[31m",
    "<!-- nsop:gate -->\n# heading",
    "`" * 50 + "|" * 50,
]


def check_inert(text):
    """A model made of this text alone renders to the same structure as any other."""
    model = gate.checked(texts_replaced(MODEL, text), "test")
    page = read_markdown(gate.markdown(model, 10_000_000))
    assert page.tags <= set(
        "h2 h3 p pre code strong table thead tbody tr th td details summary ul li sub "
        "blockquote span br".split()
    )
    assert page.hrefs == []
    assert [len(table) for table in page.tables] == [5, 2, 2, 2, 2, 12, 7]
    root = ElementTree.fromstring(gate.junit(model))
    assert len(root.findall("./testsuite/testcase")) == len(MODEL["tests"])
    for line in gate.annotations(model).splitlines():
        assert re.match(r"::(error|warning|notice) [^:]*::", line)
    assert len(gate.annotations(model).splitlines()) == len(MODEL["annotations"])


@pytest.mark.parametrize("text", EVIL)
def test_hostile_names_are_inert(text):
    check_inert(text)


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=40))
def test_any_name_is_inert(text):
    check_inert(text)


# What Markdown, HTML, GitHub, XML and terminals would act on, in any order.
PIECES = ["@team ", "@o/r ", "#1 ", "`", "``", "```", "~~~", "|", "\\", "\n", "\r", "\t", "</td>"]
PIECES += [
    "<!--",
    "-->",
    "<b",
    ">",
    "&#60;",
    "&lt;",
    "[a](b)",
    "![",
    "](",
    "[x]: http://y",
    "http://",
]
PIECES += [
    "https://evil.example",
    "www.evil.example",
    "a@evil.example",
    "*",
    "_",
    "**",
    "~~",
    "$x$",
]
PIECES += ["# ", "- ", "1. ", "> ", "---", "===", "::error::", "%0A", "]]>", "\u202e", "\u2066"]
PIECES += ["\u200b", "\x00", "\x1b[2J", "\x9b", "\ufeff", "\ud800", "\U0001f534", "x" * 3000, " "]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
@example("___")
def test_names_made_to_do_harm_are_inert(text):
    check_inert(text)


def test_a_marker_in_a_name_is_none():
    text = gate.markdown(texts_replaced(MODEL, gate.MARKER))
    assert text.count(gate.MARKER) == 1 + text.count(f"`{gate.MARKER}`")


def test_gates_with_names_keep_comments_of_their_own(tmp_path):
    out = tmp_path / "gate.md"
    command = ["--json", str(TESTDATA / "gate.json"), "--format", "pull-request"]
    assert main.main([*command, "--out", str(out), "--comment-id=quick.2"]) == 0
    first, rest = out.read_text().split("\n", 1)
    assert first == "<!-- nsop:gate quick.2 -->"
    assert rest == gate.markdown(MODEL).split("\n", 1)[1]
    # A hook finds a comment by how it starts: no marker may begin with another one.
    assert not first.startswith(gate.MARKER) and not gate.MARKER.startswith(first)


@pytest.mark.parametrize("name", ["a b", "-->", "x--y", "é", "x" * 65])
def test_a_name_that_could_end_the_marker_is_refused(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main.main(["--json", "x", "--format", "pull-request", "--out", "-", f"--comment-id={name}"])
    assert ended.value.code == 2
    assert "expected up to 64 letters" in capsys.readouterr().err


def test_a_status_is_one_line_that_begins_with_its_state(model):
    assert gate.status(model).startswith("failure 4 regressions, 1 declared regression, 1 imp")
    assert gate.status(model).endswith(": action needed\n")
    states = {"passed": "success", "inconclusive": "pending", "error": "error", "other": "error"}
    for kind, state in states.items():
        model["verdict"] = {"kind": kind, "headline": "a\nb\r\x1b[1m"}
        assert gate.status(model) == f"{state} a\ufffdb\ufffd\ufffd[1m\n"


def test_more_than_five_annotations_are_counted(model):
    model["annotations"] = [model["annotations"][0]] * 12
    lines = gate.annotations(model).splitlines()
    assert len(lines) == 6
    assert lines[-1] == "::error title=nsop::7 more; the report has all of them"


def test_equal_models_give_equal_bytes(model):
    for form in gate.FORMATS.values():
        assert form(model) == form(copy.deepcopy(model))


@pytest.mark.parametrize(
    "damage",
    [
        lambda m: m.update(schema="nsop.report/1"),
        lambda m: m.pop("equality"),
        lambda m: m["all"]["rows"][0]["cells"].pop(),
        lambda m: m["all"]["rows"][0]["cells"][0].update(text=3),
        lambda m: m["groups"][0].update(id="../x"),
        lambda m: m["tests"][0].pop("message"),
        lambda m: m.update(groups=7),
    ],
)
def test_a_damaged_model_is_refused(model, damage):
    damage(model)
    with pytest.raises(ReportError) as failure:
        gate.checked(model, "x.json")
    assert failure.value.code == 4
    assert "x.json" in str(failure.value)


def test_the_command_writes_each_form(tmp_path, capsysbinary):
    source = str(TESTDATA / "gate.json")
    out = tmp_path / "gate.md"
    assert main.main(["--json", source, "--format", "pull-request", "--out", str(out)]) == 0
    assert out.read_text() == gate.markdown(MODEL)
    assert main.main(["--json", source, "--format", "junit", "--out", "-"]) == 0
    assert capsysbinary.readouterr().out.decode() == gate.junit(MODEL)
    assert (
        main.main(["--json", str(TESTDATA / "sweep.json"), "--format", "junit", "--out", "-"]) == 4
    )


def test_templates_know_the_kinds_of_cells():
    assert "gate.md.j2" in render.environment().list_templates()
