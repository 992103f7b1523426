"""A model that breaks the contract is refused in one line that says where."""

import copy
import json

import pytest

from nsop_report.errors import BAD_DATA, ReportError
from nsop_report.site import contract
from nsop_report.site.testing import model_support

LINES = model_support.model(2)


def refused(path, lines):
    """The message of the error that the lines (texts or values) give."""
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
    with pytest.raises(ReportError) as error:
        contract.survey(str(path))
    assert error.value.code == BAD_DATA
    message = str(error.value)
    assert "\n" not in message and message.startswith(str(path))
    return message[len(str(path)) + 2 :]


def changed(number, change):
    lines = copy.deepcopy(LINES)
    change(lines[number])
    return lines


def test_a_sound_model_passes(tmp_path):
    found = contract.survey(model_support.write(tmp_path / "m", LINES))
    assert (len(found.cases), len(found.gates), found.rows) == (2, 1, 22)
    assert found.site["title"] == "nsop"


@pytest.mark.parametrize("count", range(len(LINES)))
def test_without_its_last_line_it_is_cut_short(tmp_path, count):
    assert refused(tmp_path / "m", LINES[:count]).startswith(
        "cut short: its last line is no `site`"
    )


def test_half_a_line_is_no_json(tmp_path):
    half = json.dumps(LINES[-1])[:200]
    assert refused(tmp_path / "m", [*LINES[:-1], half]).startswith("line 4: no valid JSON: ")


@pytest.mark.parametrize("text", ["NaN", '{"a":' * 100_000, "\x00", "[1,]", '"\\ud8"'])
def test_what_is_no_json_is_refused(tmp_path, text):
    assert refused(tmp_path / "m", [text]).startswith("line 1: no valid JSON: ")


@pytest.mark.parametrize(
    "value", [[], 1, '"site"', None, {"kind": "other"}, {"kind": ["case"]}, {}]
)
def test_a_line_of_another_kind_is_refused(tmp_path, value):
    assert "`kind` is case, gate or site" in refused(tmp_path / "m", [value])


def test_lines_keep_their_order(tmp_path):
    case, gate, site = LINES[0], LINES[2], LINES[3]
    assert "a `case` line behind a `gate` line" in refused(tmp_path / "m", [gate, case, site])
    assert "must be the last" in refused(tmp_path / "m", [case, site, gate])


def test_ids_occur_once(tmp_path):
    assert "two cases have the id" in refused(tmp_path / "m", [LINES[0], *LINES])
    assert "two gates have the id" in refused(tmp_path / "m", [LINES[2], LINES[2]])

    def same_row(case):
        case["rows"][1]["id"] = case["rows"][0]["id"]

    assert "two rows have the same id" in refused(tmp_path / "m", changed(0, same_row))


def test_another_schema_is_named(tmp_path):
    lines = [{**LINES[-1], "schema": "nsop.site/2"}]
    assert "schema is `nsop.site/2`, this renderer reads `nsop.site/1`" in refused(
        tmp_path / "m", lines
    )


@pytest.mark.parametrize("number", range(len(LINES)))
def test_each_field_is_missed(tmp_path, number):
    for key in LINES[number]:
        if key not in ("kind", "schema") and key in contract.FIELDS[LINES[number]["kind"]]:
            message = refused(tmp_path / "m", changed(number, lambda line: line.pop(key)))
            assert f"`{key}` is missing" in message


@pytest.mark.parametrize(
    "path, value, said",
    [
        (["id"], "../../etc/pass", "no safe id"),
        (["id"], 'a"onload=x', "no safe id"),
        (["rows", 0, "id"], "a b", "no safe id"),
        (["rows", 0, "id"], "", "no safe id"),
        (["rows", 0, "host"], "../x", "no safe id"),
        (["rows", 0, "threads"], True, "expected a whole number"),
        (["rows", 0, "threads"], "1", "expected a whole number"),
        (["rows", 0, "time"], None, "expected an object"),
        (["rows", 0, "time", "kind"], "html", "unknown kind"),
        (["rows", 0, "time", "value"], "1", "expected a number or null"),
        (["rows", 0, "time", "interval"], [1], "expected two numbers"),
        (["rows", 0, "time", "verdict"], 1, "expected a text"),
        (["rows", 0, "gap"], 1e999, "no valid JSON"),
        (["rows", 0, "invocations"], [1, None], "expected an array of numbers"),
        (["rows", 0, "history", "points", 0, 0], -1, "expected seconds since 1970"),
        (["rows", 0, "history", "points", 0, 0], 1e30, "expected seconds since 1970"),
        (["rows", 0, "history", "points", 0], [1], "expected an array of 6"),
        (["rows", 0, "history", "levels"], [[0, 999, 1.0]], "lies at no point"),
        (["rows"], {}, "expected an array"),
        (["title"], 7, "expected a text"),
    ],
)
def test_a_field_of_another_kind_is_named(tmp_path, path, value, said):
    def change(case):
        inner = case
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    message = refused(tmp_path / "m", changed(0, change))
    assert message.startswith("line 1: ")
    assert said in message


def test_a_number_that_is_too_large_is_refused(tmp_path):
    line = json.dumps(LINES[0]).replace('"gap": ', '"gap": 1e999, "x": ', 1)
    assert "gap: expected a number" in refused(tmp_path / "m", [line])


def test_further_fields_are_no_error(tmp_path):
    lines = changed(0, lambda case: case.update(new={"a": [1]}))
    assert contract.survey(model_support.write(tmp_path / "m", lines)).rows == 22


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(ReportError) as error:
        contract.survey(str(tmp_path / "nothing"))
    assert str(error.value).endswith("nothing: can't be read: No such file or directory")
