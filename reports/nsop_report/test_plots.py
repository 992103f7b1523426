"""Plots show the numbers of the report on the axes of the report."""

from xml.etree import ElementTree

import pytest

from nsop_report import plots
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


def test_bars_are_the_values_with_their_texts(conv):
    plot = all_plots(conv)[1]
    axes = plots.draw(plot).axes[0]
    assert axes.get_xscale() == "log"
    assert tick_texts(axes.yaxis) == plot["categories"]
    assert axes.get_xlabel() == plot["x_axis"]["label"]
    widths = [[bar.get_width() for bar in group] for group in axes.containers]
    assert widths[0] == plot["series"][0]["values"]
    assert widths[1][0] == plot["series"][1]["values"][0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == plot["series"][0]["texts"] + plot["series"][1]["texts"]
    assert "no time" in texts


def test_ratio_bars_begin_at_one_and_name_the_peer():
    plot = next(p for p in all_plots(load_report("peers")) if "baseline" in p)
    axes = plots.draw(plot).axes[0]
    bars = [bar for group in axes.containers for bar in group]
    values = plot["series"][0]["values"]
    assert [bar.get_x() for bar in bars] == [1.0] * len(values)
    assert [bar.get_x() + bar.get_width() for bar in bars] == pytest.approx(values)
    assert [text.get_text() for text in axes.texts] == plot["series"][0]["texts"]
    assert any("than torch" in text for text in plot["series"][0]["texts"])


def test_roofline_has_its_roofs_and_points():
    plot = next(p for p in all_plots(load_report("peers")) if p["kind"] == "scatter")
    axes = plots.draw(plot).axes[0]
    assert [list(line.get_xdata()) for line in axes.get_lines()] == [r["x"] for r in plot["roofs"]]
    assert [text.get_text() for text in axes.texts] == [r["label"] for r in plot["roofs"]]
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
