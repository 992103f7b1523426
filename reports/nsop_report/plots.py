"""A checked plot of a report to SVG. Axes, ticks and their texts come with the data."""

import math

from nsop_report import escape
from nsop_report.svg import svg

# Okabe & Ito, colours that people with any colour vision can tell apart; then brown, grey, yellow.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9") + (
    "#8C510A",
    "#777777",
    "#F0E442",
)
MARKERS = "osD^vP*Xh<"
BEFORE, AFTER = "#999999", "#0072B2"
FASTER, SLOWER, OPEN = "#0072B2", "#D55E00", "#777777"
POINTS = ("#E69F00", "#0072B2")
ROOF = "#888888"
LONGEST_LABEL = 60


def image(plot):
    """The plot as bytes of SVG; equal plots give equal bytes with one version of matplotlib."""
    return svg(draw(plot))


def draw(plot):
    """The plot as a matplotlib figure."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    if plot["kind"] == "scatter":
        return _draw_scatter(plot)
    if plot["kind"] == "history":
        return _draw_history(plot)
    return _draw_bars(plot) if plot["kind"] == "bars" else _draw_lines(plot)


def _text(text):
    """`text` as itself: without control characters and without mathematics between dollars."""
    text = escape.clean(text)
    if len(text) > LONGEST_LABEL:
        text = text[: LONGEST_LABEL - 1] + "…"
    return text.replace("$", r"\$")


def _figure(width, height, title):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    figure.suptitle(_text(title), fontsize=13, fontweight="bold")
    return figure


def _place(figure, axes, columns):
    """The legend below the axes, the title above, both as high as their lines of text need."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=columns, frameon=False)
    height = figure.get_figheight()
    lines = max(1, math.ceil(len(labels) / columns))
    figure.tight_layout(rect=(0, (0.15 + 0.2 * lines) / height, 1, 1 - 0.05 / height))


def _set_axis(axis, spec):
    """An x or y axis with the ticks of `spec` and no others."""
    from matplotlib.ticker import NullLocator

    ticks = [tick["value"] for tick in spec["ticks"]]
    axis.set_ticks(ticks, [_text(tick["text"]) for tick in spec["ticks"]])
    axis.set_minor_locator(NullLocator())
    axis.set_label_text(_text(spec["label"]))
    axis.grid(True, which="major", color="#dddddd", linewidth=0.8)


def _draw_lines(plot):
    figure = _figure(11, 4.8, plot["title"])
    panels = figure.subplots(1, len(plot["panels"]), squeeze=False)[0]
    for axes, panel in zip(panels, plot["panels"]):
        _draw_panel(axes, panel, plot["x_axis"])
    _place(figure, panels[0], columns=6)
    return figure


def _draw_panel(axes, panel, x_axis):
    from nsop_report import frames  # pandas is loaded only where something is drawn

    axes.set_xscale("log")
    axes.set_yscale("log")
    known = frames.points(panel["series"])
    for index, series in enumerate(panel["series"]):
        own = known[known["series"] == index]
        if series.get("roof"):
            _draw_roof_line(axes, own, series["label"])
            continue
        colour = COLOURS[index % len(COLOURS)]
        axes.plot(
            own["x"],
            own["y"],
            label=_text(series["label"]),
            color=colour,
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            linewidth=1.6,
            linestyle="--" if series.get("dashed") else "-",
            clip_on=False,
        )
        axes.fill_between(own["x"], own["lo"], own["hi"], color=colour, alpha=0.15)
    _set_axis(axes.xaxis, x_axis)
    axes.tick_params(axis="x", labelsize=8.5)
    _set_axis(axes.yaxis, panel["y_axis"])
    axes.set_ylim(panel["y_axis"]["ticks"][0]["value"], panel["y_axis"]["ticks"][-1]["value"])
    axes.spines[["top", "right"]].set_visible(False)


def _draw_roof_line(axes, own, label):
    axes.plot(own["x"], own["y"], label=_text(label), color=ROOF, linewidth=3, alpha=0.6, zorder=1)


def _draw_scatter(plot):
    from nsop_report import frames

    figure = _figure(9, 6.2, plot["title"])
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    left, right = (plot["x_axis"]["ticks"][end]["value"] for end in (0, -1))
    for roof in plot["roofs"]:
        axes.plot(roof["x"], roof["y"], color=ROOF, linewidth=1.4, zorder=1)
    known = frames.points(plot["series"])
    for index, series in enumerate(plot["series"]):
        own = known[known["series"] == index]
        axes.scatter(
            own["x"],
            own["y"],
            label=_text(series["label"]),
            color=POINTS[index % len(POINTS)],
            marker=MARKERS[index % len(MARKERS)],
            s=34,
            alpha=0.75,
            linewidths=0,
            zorder=2 + index,
        )
    _set_axis(axes.xaxis, plot["x_axis"])
    _set_axis(axes.yaxis, plot["y_axis"])
    axes.set_xlim(left, right)
    axes.set_ylim(plot["y_axis"]["ticks"][0]["value"], plot["y_axis"]["ticks"][-1]["value"])
    axes.spines[["top", "right"]].set_visible(False)
    _place(figure, axes, columns=4)
    _label_roofs(axes, plot["roofs"], left, right)
    return figure


def _label_roofs(axes, roofs, left, right):
    """Names on their lines, in their direction: no two overlap, and as few points as can be lie
    under them. One that has no free place stays away; the text of the report has its number."""
    taken, points = [], _points_of(axes)
    for roof in roofs:
        best = None
        for share in _shares(roof):
            label = _roof_label(axes, roof, share)
            box = label.get_window_extent(axes.figure.canvas.get_renderer())
            free = not any(box.overlaps(other) for other in taken)
            covered = sum(box.contains(x, y) for x, y in points)
            if free and _inside(axes, box) and (best is None or covered < best[0]):
                if best is not None:
                    best[1].remove()
                best = covered, label, box
            else:
                label.remove()
        if best is not None:
            taken.append(best[2])


def _points_of(axes):
    """Pixels of all points that were drawn."""
    clouds = (axes.transData.transform(cloud.get_offsets()) for cloud in axes.collections)
    return [tuple(point) for cloud in clouds for point in cloud]


def _shares(roof):
    """Places along a line to try, as shares of its length on the plot; flat ones from the right."""
    places = [at / 20 for at in range(1, 19)]
    return places[::-1] if roof["y"][0] == roof["y"][1] else places


def _inside(axes, box):
    frame = axes.get_window_extent()
    return frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1


def _roof_label(axes, roof, share):
    (x0, x1), (y0, y1) = roof["x"], roof["y"]
    (left_px, low_px), (right_px, high_px) = axes.transData.transform([(x0, y0), (x1, y1)])
    return axes.text(
        x0 * (x1 / x0) ** share,
        y0 * (y1 / y0) ** share,
        _text(roof["label"]),
        rotation=math.degrees(math.atan2(high_px - low_px, right_px - left_px)),
        rotation_mode="anchor",
        va="center",
        ha="center",
        fontsize=8.5,
        color="#333333",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        zorder=3,
    )


def _draw_bars(plot):
    """A line for each row with a mark for each series: a log axis has no origin for bars."""
    if "baseline" in plot:
        return _draw_ratios(plot)
    from nsop_report import frames

    rows = len(plot["categories"])
    figure = _figure(10, 1.9 + 0.36 * rows, plot["title"])
    axes = figure.subplots()
    axes.set_xscale("log")
    known = frames.marks(plot)
    for row, values in known.groupby("row")["value"]:
        axes.plot([values.min(), values.max()], [row, row], color="#bbbbbb", linewidth=1, zorder=1)
    for index, series in enumerate(plot["series"]):
        own = known[known["series"] == index]
        axes.scatter(
            own["value"],
            own["row"],
            label=_text(series["label"]),
            color=(BEFORE, AFTER)[index] if index < 2 else COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            s=46,
            zorder=2 + index,
        )
    _write_ends(axes, known)
    _finish_rows(axes, plot, rows)
    left, right = (plot["x_axis"]["ticks"][end]["value"] for end in (0, -1))
    axes.set_xlim(left / (right / left) ** 0.12, right * (right / left) ** 0.12)  # room for texts
    _place(figure, axes, columns=2)
    return figure


def _write_ends(axes, known):
    """The texts of the least and the largest value of each row, outside of them."""
    from nsop_report import frames

    for end in frames.ends(known).itertuples():
        axes.annotate(
            _text(end.text),
            (end.value, end.row),
            xytext=(7 * end.side, 0),
            textcoords="offset points",
            va="center",
            ha="left" if end.side > 0 else "right",
            fontsize=8.5,
        )


def _finish_rows(axes, plot, rows):
    axes.set_yticks(range(rows), [_text(name) for name in plot["categories"]], fontsize=9)
    axes.set_ylim(rows - 0.4, -0.6)
    _set_axis(axes.xaxis, plot["x_axis"])
    axes.grid(False, axis="y")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_ratios(plot):
    """A forest plot: each ratio as a point on its interval, beside the line of no difference."""
    from nsop_report import frames

    rows = len(plot["categories"])
    figure = _figure(10, 1.6 + 0.34 * rows, plot["title"])
    axes = figure.subplots()
    axes.set_xscale("log")
    base = plot["baseline"]
    left, right = (plot["x_axis"]["ticks"][end]["value"] for end in (0, -1))
    axes.axvline(base, color="black", linewidth=1, zorder=1)
    for mark in frames.marks(plot).itertuples():
        open_ = mark.lo <= base <= mark.hi
        colour = OPEN if open_ else FASTER if mark.value > base else SLOWER
        marker = "o" if open_ else "^" if mark.value > base else "v"
        axes.plot([mark.lo, mark.hi], [mark.row] * 2, color=colour, linewidth=1.8, zorder=2)
        axes.plot([mark.value], [mark.row], color=colour, marker=marker, markersize=7, zorder=3)
        axes.annotate(
            _text(mark.text),
            (max(mark.hi, base), mark.row),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
    _finish_rows(axes, plot, rows)
    axes.set_xlim(left, right * (right / left) ** 0.4)  # room for the text of the longest row
    height = figure.get_figheight()
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.05 / height))
    return figure


def _draw_history(plot):
    """Nights as points, levels as lines, and what changed between them."""
    from nsop_report import frames

    figure = _figure(10, 4.2, plot["title"])
    axes = figure.subplots()
    levels = frames.levels(plot)
    for start, end, y in zip(levels["from"] - 0.4, levels["to"] + 0.4, levels["y"]):
        axes.plot([start, end], [y, y], color=AFTER, linewidth=5, alpha=0.25, zorder=1)
    nights = dict(list(frames.nights(plot).groupby("kind")))
    for key, label, colour, marker in (
        ("points", "a night", "black", "o"),
        ("left_out", "of another line of commits", BEFORE, "x"),
    ):
        if key in nights:
            axes.plot(
                nights[key]["x"],
                nights[key]["y"],
                marker,
                color=colour,
                markersize=4.5,
                label=label,
                clip_on=False,
                zorder=2,
            )
    _finish_history(axes, plot, nights.get("failed"))
    for change in plot["changes"]:
        colour = SLOWER if change["worse"] else FASTER
        axes.axvline(change["x"] - 0.5, color=colour, linewidth=1.2, linestyle="--", zorder=0)
        for line, text in enumerate((change["text"], change["commit"])):
            axes.annotate(
                _text(text),
                (change["x"] - 0.5, 1),
                xycoords=("data", "axes fraction"),
                xytext=(5, -4 - 13 * line),
                textcoords="offset points",
                va="top",
                fontsize=8.5,
                color=colour,
            )
    _place(figure, axes, columns=3)
    return figure


def _finish_history(axes, plot, failed):
    low, high = (plot["y_axis"]["ticks"][end]["value"] for end in (0, -1))
    room = 0.2 * (high - low) if plot["changes"] else 0
    if failed is not None:
        at_foot = [low] * len(failed)
        axes.plot(failed["x"], at_foot, "v", color=SLOWER, label="failed", zorder=2)
    _set_axis(axes.xaxis, plot["x_axis"])
    _set_axis(axes.yaxis, plot["y_axis"])
    axes.grid(False, axis="x")
    axes.set_ylim(low, high + room)
    axes.spines[["top", "right"]].set_visible(False)
