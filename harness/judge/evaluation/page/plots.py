"""The plots of the report, as SVG."""

from reports.nsop_report.svg import svg

from .tables import gate_rules, history_rules

COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#000000")


def image(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    figure.tight_layout()
    return svg(figure)


def power_plot(gate):
    """Share of rows found over the true change; at 0 % it is the share of false verdicts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5))
    axes = figure.subplots()
    effects = ("0", "1", "2", "5", "10")
    for colour, (name, scored) in zip(COLOURS, gate_rules(gate)):
        found = [scored["effects"][e]["worse"]["percent"] for e in effects]
        axes.plot(range(len(effects)), found, "o-", color=colour, label=name)
    axes.set_xticks(range(len(effects)), [f"+{e} %" if e != "0" else "0 %" for e in effects])
    axes.set_xlabel("true change of the time")
    axes.set_ylabel("rows called worse, %")
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    axes.legend()
    return image(figure)


def alarm_plot(history):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 3.5))
    axes = figure.subplots()
    names = [name for name, _ in history_rules(history)]
    values = [scored["false_per_100"] for _, scored in history_rules(history)]
    bars = axes.barh(range(len(names)), values, color=COLOURS[: len(names)])
    axes.bar_label(bars, [f"{v:.2f}" for v in values], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.15 * max(values))
    axes.set_xlabel("false alarms per 100 nights")
    return image(figure)


def live_plot(live):
    """Share of gates that called a row worse, over its true change, one curve per row; and how
    quiet the rows of a build against itself were and how often they were inconclusive."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2))
    left, right = figure.subplots(1, 2)
    curves = {}
    for effect in live["effects"]:
        for row in effect["rows"]:
            if row["true_percent"]:
                share = 100 * row["verdicts"].get("worse", 0) / row["gates"]
                curves.setdefault(row["case"], []).append((row["true_percent"][0], share))
    for number, (case, points) in enumerate(curves.items()):
        words = case.split()
        colour, marker = COLOURS[number // 3 % len(COLOURS)], "os^"[number % 3]
        label = f"{words[0]} {words[2]}"
        left.plot(*zip(*sorted(points)), "-", marker=marker, color=colour, label=label)
    left.axvline(1, color="0.6", linestyle=":", label="margin")
    left.set_xlabel("true change of the time, %")
    left.set_ylabel("gates that called it worse, %")
    left.set_ylim(-3, 103)
    left.legend(fontsize=7)
    for row in live["nulls"]["rows"]:
        said = row["verdicts"]
        share = 100 * said.get("inconclusive", 0) / sum(said.values())
        right.plot(row["sd_percent"], share, "o", color=COLOURS[0])
    right.axvline(2, color="0.6", linestyle=":")
    right.set_xlabel("paired SD of a row against itself, %")
    right.set_ylabel("inconclusive gates, %")
    right.set_ylim(-3, 103)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return image(figure)
