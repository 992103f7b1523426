"""The file of a report stands for the model, whatever form its cells have."""

import json

import pytest

from nsop_report import expand, model
from nsop_report.conftest import TESTDATA
from nsop_report.errors import ReportError

COLUMNS = ("text", "code", "time", "count", "rate", "ratio", "percent")


def file_of(*cells):
    """A report's file with one row of these (kind of the column, short form)."""
    return {
        "schema": "nsop.report/2",
        "name": "small",
        "texts": ["relu n=8", "hwy@AVX2", "better"],
        "notes": [["doubt", 1, "few invocations"]],
        "columns": [{"id": k, "label": k, "align": "left", "kind": k} for k in COLUMNS],
        "sections": [
            {
                "title": "",
                "tables": [
                    {
                        "title": "",
                        "columns": [COLUMNS.index(kind) for kind, _ in cells],
                        "rows": [["ReLU", 0, 2, [cell for _, cell in cells], [0]]],
                    }
                ],
            }
        ],
    }


def cells_of(file):
    return expand.expanded(file)["sections"][0]["tables"][0]["rows"][0]["cells"]


@pytest.mark.parametrize(
    "kind, short, cell",
    [
        ("text", "a", {"kind": "text", "value": "a", "text": "a"}),
        ("text", 1, {"kind": "text", "value": "hwy@AVX2", "text": "hwy@AVX2"}),
        ("text", ["n/a", None], {"kind": "missing", "value": None, "text": "n/a"}),
        ("text", [1, None], {"kind": "missing", "value": None, "text": "hwy@AVX2"}),
        ("code", None, {"kind": "code", "value": "relu n=8", "text": "relu n=8"}),
        ("time", "wrong", {"kind": "missing", "value": None, "text": "wrong"}),
        ("count", "4,194,304", {"kind": "count", "value": 4194304, "text": "4,194,304"}),
        ("count", "007", {"kind": "missing", "value": None, "text": "007"}),
        (
            "time",
            ["12.0 ns ?", 12, 11.5, 13],
            {"kind": "time", "value": 12, "text": "12.0 ns ?", "interval": [11.5, 13]}
            | {"doubt": True},
        ),
        (
            "rate",
            ["2.00 GB/s ?", 2],
            {"kind": "rate", "value": 2, "text": "2.00 GB/s ?"} | {"unit": "GB/s", "doubt": True},
        ),
        (
            "ratio",
            ["2.00x faster", 2, 1.5, 3, "[1.50, 3.00]", 2],
            {"kind": "ratio", "value": 2, "text": "2.00x faster", "interval": [1.5, 3]}
            | {"interval_text": "[1.50, 3.00]", "verdict": "better"},
        ),
        ("percent", ["-", None], {"kind": "percent", "value": None, "text": "-"}),
        ("ratio", {"kind": "x", "strong": True}, {"kind": "x", "strong": True}),
    ],
)
def test_every_short_form_is_its_cell(kind, short, cell):
    assert cells_of(file_of((kind, short))) == [cell]


def test_a_command_is_made_of_its_row():
    (cell,) = cells_of(file_of(("text", [1])))
    assert cell["text"] == "nsop run 'relu n=8' --variant hwy@AVX2 --threads 2"


def test_rows_columns_and_notes_are_those_of_the_model():
    report = expand.expanded(file_of(("time", "wrong")))
    table = report["sections"][0]["tables"][0]
    assert report["schema"] == "nsop.report/1" and not {"texts", "notes", "columns"} & set(report)
    assert table["columns"] == [{"id": "time", "label": "time", "align": "left"}]
    row = table["rows"][0]
    assert (row["label"], row["case"], row["threads"]) == ("ReLU", "relu n=8", 2)
    assert row["notes"] == [{"kind": "doubt", "who": "hwy@AVX2", "text": "few invocations"}]


def test_an_older_file_is_the_model_itself(report):
    assert expand.expanded(report) is report
    assert expand.expanded([1]) == [1]


def damaged(change):
    file = file_of(("text", "a"))
    change(file)
    return file


DAMAGES = {
    "a place beyond the texts": lambda f: f["texts"].clear(),
    "a negative place": lambda f: f["sections"][0]["tables"][0]["rows"][0].__setitem__(1, -1),
    "no columns": lambda f: f.pop("columns"),
    "a row that is none": lambda f: f["sections"][0]["tables"][0]["rows"].append(None),
    "a cell too many": lambda f: f["sections"][0]["tables"][0]["rows"][0][3].append("b"),
    "notes of another kind": lambda f: f.update(notes=[7]),
    "a note that is not there": lambda f: f["sections"][0]["tables"][0]["rows"][0].__setitem__(
        4, [9]
    ),
    "sections that are a number": lambda f: f.update(sections=7),
}


@pytest.mark.parametrize("name_of_damage", DAMAGES)
def test_a_damaged_file_is_bad_data(name_of_damage, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(damaged(DAMAGES[name_of_damage])))
    with pytest.raises(ReportError, match="no sound nsop.report/2") as error:
        model.load(path)
    assert error.value.code == 4


def test_files_have_a_line_for_each_row(name):
    text = (TESTDATA / f"{name}.json").read_text()
    lines = {line.rstrip(",") for line in text.splitlines()}
    for section in json.loads(text)["sections"]:
        for row in (row for table in section["tables"] for row in table["rows"]):
            assert json.dumps(row, separators=(",", ":"), ensure_ascii=False) in lines
