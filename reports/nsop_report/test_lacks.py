"""Pages of runs that lack something: each renders, and says what. The models are built in C++
(harness/report/lacks_test.cpp)."""

import pathlib

import pytest

from nsop_report import main, model, render

LACKS = pathlib.Path(__file__).resolve().parents[1] / "testdata/lacks"
# What the page of each says, before the first table (the answer first) or anywhere.
AT_THE_TOP = {
    "peers": ["2 not judged of 2 rows", "eigen, onednn missing (make peers)"],
    "limits": ["2 faster of 2 rows", "The machine's limits were not measured here"],
    "rows": ["1 of 2 rows of this suite were no part of this run", "1 faster of 1 row"],
    "times": ["no row has a time: each failed or can", "2 failed: Add; ReLU"],
    "machine": ["is of another machine (Another CPU): nothing is compared"],
    "end": ["the run is aborted: 1 of 2 rows not measured"],
    "origin": ["the run is imported: another program measured it"],
}
ANYWHERE = {
    "peers": ["No row of hwy was judged against another library: eigen, onednn missing"],
    "limits": ["Machine's limits**: not measured on this host", "nsop run --suite limits"],
    "times": ["the worker was killed by signal 11", "10 s passed", "nothing was timed"]
    + ["No row of hwy was judged against another library: 2 rows without a time."],
    "machine": ["Machine's limits**: not measured on this host"],
    "end": ["not measured", "is slower than the best other library; 1 row has no time."],
}


@pytest.fixture(params=sorted(AT_THE_TOP))
def lacking(request):
    return request.param


def page_of(name):
    text = render.markdown(model.load(LACKS / f"{name}.json"))
    return text.replace("\\", "")


def test_every_model_of_a_lack_is_looked_at():
    assert {path.stem for path in LACKS.glob("*.json")} == set(AT_THE_TOP)


def test_the_page_says_what_it_lacks_before_its_first_table(lacking):
    top = page_of(lacking).split("\n|")[0]
    assert [text for text in AT_THE_TOP[lacking] if text not in top] == []


def test_and_gives_the_reasons(lacking):
    page = page_of(lacking)
    assert [text for text in ANYWHERE.get(lacking, []) if text not in page] == []


def test_the_page_and_its_plots_are_drawn(lacking, tmp_path):
    assert main.main(["--json", str(LACKS / f"{lacking}.json"), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "lacks.md").read_text()
    plots = {path.name for path in tmp_path.glob("*.svg")}
    assert plots == {name for name in plots if f"({name})" in page}
    assert "nan" not in page.lower().split() and "None" not in page and "inf" not in page.split()


def test_nothing_without_a_time_is_compared():
    report = model.load(LACKS / "times.json")
    cells = [
        cell
        for section in report["sections"]
        for table in section["tables"]
        for row in table["rows"]
        for cell in row["cells"]
    ]
    assert cells and not [cell for cell in cells if cell["kind"] in ("time", "ratio", "multiple")]
