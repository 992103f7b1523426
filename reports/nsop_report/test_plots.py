"""Plots show the numbers of the report on the axes of the report."""

import json
from xml.etree import ElementTree

import pytest

from nsop_report import main, plots
from nsop_report.conftest import load_report


def all_plots(report):
    return [plot for section in report["sections"] for plot in section["plots"]]


def tick_texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_each_plot_is_the_same_every_time(report):
    drawn = all_plots(report)
    assert drawn
    for plot in drawn:
        data = plots.image(plot)
        assert data.startswith(b"<svg ") and len(data) > 1000
        assert plots.image(plot) == data


def test_lines_are_the_series_on_logarithmic_axes(sweep):
    plot = all_plots(sweep)[0]
    figure = plots.draw(plot)
    assert len(figure.axes) == 2
    for axes, panel in zip(figure.axes, plot["panels"]):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_xlabel() == plot["x_axis"]["label"]
        assert axes.get_ylabel() == panel["y_axis"]["label"]
        assert tick_texts(axes.yaxis) == [tick["text"] for tick in panel["y_axis"]["ticks"]]
        shown = {line.get_label(): line for line in axes.get_lines()}
        assert list(shown) == [series["label"] for series in panel["series"]]
        for series in panel["series"]:
            assert list(shown[series["label"]].get_xdata()) == series["x"]
            assert list(shown[series["label"]].get_ydata()) == series["y"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [series["label"] for series in plot["panels"][0]["series"]]
    assert figure._suptitle.get_text() == "ReLU Forward"


def marks(axes):
    """[[x, y] of each mark] of each series."""
    return [[list(xy) for xy in cloud.get_offsets()] for cloud in axes.collections]


def test_values_are_marks_on_a_log_axis_with_their_texts(conv):
    plot = all_plots(conv)[1]
    axes = plots.draw(plot).axes[0]
    assert axes.get_xscale() == "log" and not axes.containers  # a bar has no origin there
    assert tick_texts(axes.yaxis) == plot["categories"]
    assert axes.get_xlabel() == plot["x_axis"]["label"]
    for shown, series in zip(marks(axes), plot["series"]):
        known = [[v, row] for row, v in enumerate(series["values"]) if v is not None]
        assert shown == known
    texts = {text.get_text() for text in axes.texts}
    known = {t for s in plot["series"] for t, v in zip(s["texts"], s["values"]) if v is not None}
    assert texts == known and "no time" not in texts


def test_ratios_are_points_on_their_intervals_beside_one():
    plot = next(p for p in all_plots(load_report("peers")) if "baseline" in p)
    axes = plots.draw(plot).axes[0]
    series = plot["series"][0]
    one, *drawn = axes.get_lines()
    assert list(one.get_xdata()) == [1.0, 1.0] and not axes.containers
    intervals, points = drawn[::2], drawn[1::2]
    assert [list(line.get_xdata()) for line in intervals] == [
        list(pair) for pair in zip(series["lo"], series["hi"])
    ]
    assert [line.get_xdata()[0] for line in points] == series["values"]
    assert [text.get_text() for text in axes.texts] == series["texts"]
    assert any("than torch" in text for text in series["texts"])


def test_roofline_has_its_roofs_and_points():
    plot = next(p for p in all_plots(load_report("peers")) if p["kind"] == "scatter")
    axes = plots.draw(plot).axes[0]
    assert [list(line.get_xdata()) for line in axes.get_lines()] == [r["x"] for r in plot["roofs"]]
    assert [text.get_text() for text in axes.texts] == [r["label"] for r in plot["roofs"]]
    boxes = [text.get_window_extent() for text in axes.texts]
    pairs = [(a, b) for at, a in enumerate(boxes) for b in boxes[at + 1 :]]
    assert pairs and not any(a.overlaps(b) for a, b in pairs)
    for points, series in zip(axes.collections, plot["series"]):
        assert [list(xy) for xy in points.get_offsets()] == [
            list(xy) for xy in zip(series["x"], series["y"])
        ]


@pytest.mark.parametrize("name_of_row", ["$\\frac{1}{$", "a\nb\u202e", "x" * 500, "日本"])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_draw_as_text(conv, name_of_row):
    plot = all_plots(conv)[0]
    plot["title"] = plot["categories"][0] = plot["series"][0]["label"] = name_of_row
    assert ElementTree.fromstring(plots.image(plot)).tag.endswith("svg")


def test_ten_lines_look_different():
    assert len(set(plots.COLOURS)) == len(set(plots.MARKERS)) == 10


def history():
    ticks = [{"value": value, "text": f"{value} ns"} for value in (1000, 1050, 1100, 1150)]
    return {
        **{"schema": "nsop.plot/1", "kind": "history", "id": "history", "title": "relu n=1, hwy"},
        "points": [{"x": x, "y": 1010 + 100 * (x > 4)} for x in range(1, 9)],
        **{"left_out": [{"x": 3, "y": 1049}], "failed": [2]},
        "levels": [{"from": 1, "to": 4, "y": 1010}, {"from": 5, "to": 8, "y": 1110}],
        "changes": [
            {"x": 5, "worse": True, "text": "+10 % [+9 %, +11 %]", "commit": "abc, 2026-01-05"}
        ],
        "x_axis": {
            "label": "night",
            "ticks": [{"value": 1, "text": "2026-01-01"}, {"value": 8, "text": "2026-01-08"}],
        },
        "y_axis": {"label": "CPU time of an operation", "ticks": ticks},
    }


def test_a_history_shows_nights_levels_and_what_changed():
    axes = plots.draw(history()).axes[0]
    levels = [line for line in axes.lines if line.get_linewidth() == 5]
    assert [list(line.get_ydata()) for line in levels] == [[1010, 1010], [1110, 1110]]
    nights = next(line for line in axes.lines if line.get_label() == "a night")
    assert list(nights.get_ydata()) == [1010] * 4 + [1110] * 4
    said = [text.get_text() for text in axes.texts]
    assert said == ["+10 % [+9 %, +11 %]", "abc, 2026-01-05"]
    assert tick_texts(axes.yaxis) == ["1000 ns", "1050 ns", "1100 ns", "1150 ns"]
    assert plots.image(history()) == plots.image(history())


def test_a_history_is_drawn_into_the_file_that_is_named(tmp_path):
    (tmp_path / "plot.json").write_text(json.dumps(history()))
    out = tmp_path / "plot.svg"
    assert main.main(["--plot", str(tmp_path / "plot.json"), "--out", str(out)]) == 0
    assert out.read_bytes() == plots.image(history())


@pytest.mark.parametrize(
    "key,value",
    [
        ("schema", "other"),
        ("kind", "bars"),
        ("points", [{"x": 1, "y": -1}]),
        ("points", [{"x": 1}]),
        ("levels", [{"from": 1, "to": "x", "y": 1}]),
        ("changes", [{"x": 1, "worse": 1, "text": "", "commit": ""}]),
        ("y_axis", {"label": "", "ticks": []}),
        ("failed", ["x"]),
    ],
)
def test_a_damaged_history_is_bad_data(tmp_path, capsys, key, value):
    (tmp_path / "plot.json").write_text(json.dumps(dict(history(), **{key: value})))
    out = tmp_path / "plot.svg"
    assert main.main(["--plot", str(tmp_path / "plot.json"), "--out", str(out)]) == 4
    assert not out.exists()
    assert capsys.readouterr().err.count("\n") == 1
