"""What renders and what is refused."""

import json
import pathlib

import jsonschema
import pytest

from nsop_report import model
from nsop_report.errors import BAD_DATA, ReportError

ROOT = pathlib.Path(__file__).resolve().parents[2]


def validator(name):
    schema = json.loads((ROOT / f"docs/{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_what_cpp_makes_keeps_the_schema(name, report):
    file = json.loads((ROOT / f"reports/testdata/{name}.json").read_text())
    assert file["schema"] == "nsop.report/2"
    validator("report").validate(file)
    validator("report-model").validate(report)


@pytest.mark.slow
def test_committed_reports_keep_the_schema():
    for path in sorted((ROOT / "reports/generated").glob("*.json")):
        file = json.loads(path.read_text())
        if not file["schema"].startswith("nsop.report/"):
            continue  # an evaluation, not a report
        validator("report").validate(file)
        validator("report-model").validate(model.load(path))


def test_what_cpp_makes_passes_the_check(report):
    assert model.checked(report, "x.json") is report


def first_row(report):
    return report["sections"][0]["tables"][0]["rows"][0]


def first_plot(report):
    return report["sections"][0]["plots"][0]


def drop(key):
    return lambda r: r.pop(key)


BREAKS = {
    "no schema": (drop("schema"), "`schema` is missing"),
    "newer schema": (lambda r: r.update(schema="nsop.report/3"), "schema is `nsop.report/3`"),
    "no sections": (drop("sections"), "`sections` is missing"),
    "no previous run's id": (lambda r: r.update(previous={}), "previous: `id` is missing"),
    "form": (lambda r: r.update(form="../x"), "unknown form `../x`"),
    "title": (lambda r: r.update(title=7), "report.title: expected a string"),
    "section": (lambda r: r["sections"].append(None), "sections[4]: expected an object"),
    "row": (lambda r: first_row(r)["cells"].pop(), "rows[0]: 7 cells for 8 columns"),
    "cell": (lambda r: first_row(r)["cells"][0].update(kind="html"), "unknown kind `html`"),
    "text": (lambda r: first_row(r)["cells"][0].update(text=None), "expected a string"),
    "value": (lambda r: first_row(r)["cells"][0].pop("value"), "`value` is missing"),
    "note": (lambda r: first_row(r)["notes"].append({}), "`kind` is missing"),
    "plot id": (lambda r: first_plot(r).update(id="../../x"), "expected lower case letters"),
    "plot kind": (lambda r: first_plot(r).update(kind="pie"), "unknown kind `pie`"),
    "plot length": (lambda r: first_plot(r)["categories"].pop(), "expected 2 values and texts"),
    "plot value": (
        lambda r: first_plot(r)["series"][0]["values"].__setitem__(0, -1),
        "a logarithmic axis has no place for -1",
    ),
    "ticks": (lambda r: first_plot(r)["x_axis"].update(ticks=[]), "needs at least two ticks"),
    "same plot twice": (
        lambda r: r["sections"][1]["plots"].append(first_plot(r)),
        "two plots have the same id",
    ),
}


@pytest.mark.parametrize("change", BREAKS)
def test_broken_reports_are_refused_by_name(conv, change):
    break_it, message = BREAKS[change]
    break_it(conv)
    with pytest.raises(ReportError) as error:
        model.checked(conv, "x.json")
    assert error.value.code == BAD_DATA
    assert str(error.value).startswith("x.json: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def ratio_bars(report):
    return report["sections"][0]["plots"][0]


def roofline(report):
    means = [s for s in report["sections"] if s["title"] == "Geometric means"]
    return means[0]["plots"][0]


@pytest.mark.parametrize(
    "break_it, message",
    [
        (lambda r: ratio_bars(r).update(baseline=0), "no place for 0"),
        (lambda r: ratio_bars(r)["series"][0]["lo"].pop(), "lo: expected 4 numbers"),
        (lambda r: roofline(r)["roofs"][0]["x"].pop(), "x and y differ in length"),
        (lambda r: roofline(r).pop("y_axis"), "`y_axis` is missing"),
    ],
)
def test_broken_ratio_bars_and_rooflines_are_refused(peers, break_it, message):
    break_it(peers)
    with pytest.raises(ReportError, match=message):
        model.checked(peers, "x.json")


def test_lines_of_different_length_are_refused(sweep):
    first_plot(sweep)["panels"][0]["series"][0]["lo"].pop()
    with pytest.raises(ReportError, match="differ in length"):
        model.checked(sweep, "x.json")


@pytest.mark.parametrize(
    "content", [b"", b"[1", b"\xff\xfe", b"[" * 100_000, b'{"schema": NaN}', b"3"]
)
def test_files_that_are_no_json_are_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ReportError) as error:
        model.load(path)
    assert error.value.code == BAD_DATA
    assert str(path) in str(error.value)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(ReportError, match="can't be read: No such file"):
        model.load(tmp_path / "none.json")
