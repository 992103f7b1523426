"""Figures are small, deterministic SVG that show what matplotlib drew, with texts as texts."""

import hashlib
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from nsop_report import plots, svg
from nsop_report.conftest import TESTDATA, load_report

SPACE = "{http://www.w3.org/2000/svg}"
DRAW = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from nsop_report import model, plots
report = model.load(sys.argv[2])
data = b"".join(plots.image(p) for s in report["sections"] for p in s["plots"])
print(hashlib.sha256(data).hexdigest())
"""


def figure_of(draw):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 3))
    draw(figure.subplots())
    return figure


def parsed(figure):
    return ElementTree.fromstring(svg.svg(figure))


def elements(root, kind):
    """Those that are drawn, not those that are defined."""
    return [node for node in root if node.tag == SPACE + kind]


def numbers(path):
    return [float(n) for n in re.findall(r"-?[0-9.]+", path)]


@pytest.mark.parametrize("report_name", ["sweep", "peers"])
def test_two_processes_draw_the_same_bytes(report_name):
    source = TESTDATA / f"{report_name}.json"
    command = [sys.executable, "-c", DRAW, TESTDATA.parent, source]
    drawn = [
        subprocess.run(
            command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": s}
        )
        for s in ("1", "2")
    ]
    report = load_report(report_name)
    here = b"".join(plots.image(p) for s in report["sections"] for p in s["plots"])
    assert {done.stdout.strip() for done in drawn} == {hashlib.sha256(here).hexdigest()}


def test_no_time_no_version_and_no_font_of_one_machine_is_in_it(conv):
    text = plots.image(conv["sections"][1]["plots"][0]).decode()
    for word in ("Matplotlib", "metadata", "DejaVu", "date", "<image"):
        assert word not in text


def test_texts_are_texts(conv):
    plot = next(p for s in conv["sections"] for p in s["plots"] if p["kind"] == "bars")
    root = ElementTree.fromstring(plots.image(plot))
    texts = [node.text for node in elements(root, "text")]
    assert set(plot["categories"]) | set(plot["series"][0]["texts"]) | {plot["title"]} <= set(texts)


def test_marks_of_one_look_are_one_path_with_every_place():
    figure = figure_of(lambda axes: axes.plot([1, 2, 3], [5, 4, 9], marker="o", clip_on=False))
    root = parsed(figure)
    sheet = root.find(SPACE + "style").text
    marking = [c for c in re.findall(r"\.(c\d+)\{[^}]*marker:", sheet)]
    paths = [n for n in elements(root, "path") if n.get("class") in marking]
    line = figure.axes[0].lines[0]
    points = line.get_transform().transform(line.get_xydata()) * 72 / figure.dpi
    wanted = [v for x, y in points for v in (x, 216 - y)]
    assert any(numbers(n.get("d")) == pytest.approx(wanted, abs=0.06) for n in paths)
    assert not list(root.iter(SPACE + "use")) and not elements(root, "g")


def test_bars_of_one_look_are_one_path_and_none_is_lost():
    figure = figure_of(lambda axes: axes.barh(range(7), range(1, 8), color="#0072B2"))
    text = svg.svg(figure).decode()
    name = re.search(r"\.(c\d+)\{fill:#0072b2\}", text)[1]
    (path,) = re.findall(rf'<path class="{name}" d="([^"]*)"', text)
    assert path.count("M") == path.count("z") == 7


def test_what_lies_outside_the_axes_is_left_out():
    def beside(axes):
        axes.plot([0, 1], [0, 1], color="#0072B2")
        axes.plot([5, 6], [5, 6], color="#D55E00")
        axes.set_xlim(0, 2)
        axes.set_ylim(0, 2)

    text = svg.svg(figure_of(beside)).decode()
    assert "#0072b2" in text and "#d55e00" not in text


def test_what_reaches_over_the_axes_stays_clipped():
    def over(axes):
        axes.plot([0, 1, 2], [0, 9, 0])
        axes.set_ylim(0, 5)

    root = parsed(figure_of(over))
    assert any(node.get("clip-path") for node in elements(root, "path"))
    inside = parsed(figure_of(lambda axes: axes.plot([0, 1, 2], [0, 9, 0])))
    assert not any(node.get("clip-path") for node in elements(inside, "path"))


def test_parts_of_a_figure_are_drawn_one_after_the_other():
    """The second panel's background must not cover its lines and marks."""
    plot = next(p for s in load_report("sweep")["sections"] for p in s["plots"])
    lines = plots.image(plot).decode().splitlines()
    white = re.search(r"\.(c\d+)\{fill:#fff\}", "\n".join(lines))[1]
    last = max(i for i, line in enumerate(lines) if f'class="{white}"' in line)
    sheet = "\n".join(lines)
    marking = re.findall(r"\.(c\d+)\{[^}]*marker:", sheet)
    after = [line for line in lines[last:] if any(f'class="{c}"' in line for c in marking)]
    assert len(after) >= len(plot["panels"][1]["series"])


@pytest.mark.parametrize("value, text", [(0.04, "0"), (-0.04, "0"), (12.0, "12"), (-1.25, "-1.2")])
def test_numbers_are_short(value, text):
    assert svg._number(value) == text


def test_a_picture_in_a_figure_is_refused():
    with pytest.raises(ValueError, match="image"):
        parsed(figure_of(lambda axes: axes.imshow([[1, 2], [3, 4]])))
