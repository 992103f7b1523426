"""The scores as Markdown and plots."""

import jinja2

from reports.nsop_report.svg import svg

from .. import binomial, distribution_score, files, gate_score, live_score
from . import targets

TEMPLATES = files.ROOT / "reports" / "templates"
COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#000000")


def percent(share):
    """One decimal, so that 99.8 % never reads as all of them."""
    return f"{share:.1f} %"


def share(hits, count):
    """The share with its exact 95 % interval: `79.7 % [75.6, 83.3]`."""
    if not count:
        return "-"
    low, high = binomial.interval(hits, count)
    return f"{percent(100 * hits / count)} [{100 * low:.1f}, {100 * high:.1f}]"


def gate_row(name, scored):
    effects = scored["effects"]

    def found(effect):
        one = effects[effect]["better" if float(effect) < 0 else "worse"]
        return share(one["hits"], one["count"])

    nulls = effects["0"]
    false, count = nulls["worse"]["hits"] + nulls["better"]["hits"], nulls["same"]["count"]
    return [
        name,
        targets.bounded(false, count),
        share(nulls["inconclusive"]["hits"], nulls["inconclusive"]["count"]),
        *map(found, ("1", "2", "5", "10", "-5")),
    ]


def history_row(name, scored):
    def found(effect):
        one = scored["effects"][effect]
        delay = one["median_delay_nights"]
        return share(*targets.steps_found(one)) + (f", {delay:g} n." if delay else "")

    false = f"{scored['false_per_100']:.2f} ({scored['false']} in {scored['nights']:,})"
    return [name, false, *map(found, ("2", "5", "10", "-5"))]


def gate_rules(gate):
    yield "nsop, one session", gate["first_session"]
    yield "nsop, confirmed", gate["confirmed"]
    yield "nsop, one session, --layouts 10", gate["link_orders"]
    yield from gate["others"].items()


def layout_row(scored):
    """[SD of a layout, link orders, false, confirmed, inconclusive, found], shares of the rows with
    their intervals. Earlier results don't tell how many rows are slower: as many as are not."""
    nulls = scored["nulls"]
    counts = [nulls, nulls, nulls, scored.get("slower", nulls)]
    shares = ("false", "confirmed", "open", "found")
    return [
        f"{scored['sd_percent']:g} %",
        scored["orders"],
        *(
            share(round(scored[f"{name}_percent"] * count / 100), count)
            for name, count in zip(shares, counts)
        ),
    ]


def distribution_row(scored):
    """[head, same, found, confirmed, inconclusive, and by the fastest alone: same]."""
    parts = ("same", "found", "confirmed", "inconclusive", "same_by_fastest")
    return [scored["head"], *(share(scored[p]["hits"], scored[p]["count"]) for p in parts)]


def margin_row(scored):
    """[correlation of neighbouring rounds, wrong in one session]."""
    return [f"{scored['correlation']:g}", share(scored["wrong"]["hits"], scored["wrong"]["count"])]


def hidden_row(scored):
    """[head, told by the fastest alone, told, median delay, false rises of the mean]; of what did
    not change only the last."""
    told = [share(scored[p]["hits"], scored[p]["count"]) for p in ("by_fastest", "found")]
    delay = scored["median_delay_nights"]
    told.append("-" if delay is None else f"{delay:g}")
    if scored["head"] == distribution_score.UNCHANGED:
        told = ["-"] * 3
    false = 100 * scored["false"] / scored["nights"]
    return [scored["head"], *told, f"{false:.2f} ({scored['false']} in {scored['nights']:,})"]


def history_rules(history):
    yield "nsop, new levels", history["levels"]
    yield "nsop, suspects with the newest night", history["suspects"]
    yield "nsop, confirmed alerts", history["confirmed"]
    yield from history["others"].items()


def change(value):
    return f"{value:+.1f} %"


def counted(verdicts):
    return [verdicts.get(v, 0) for v in ("worse", "better", "same", "inconclusive")]


def true_change(true):
    """What the calibration says, with its interval."""
    return f"{change(true[0])} [{change(true[1])}, {change(true[2])}]" if true else "not calibrated"


def slowed_rows(live):
    """[row, built in and true change, SD, rounds, worse and better, same and of those the claims
    too small, inconclusive, named alone]."""
    for effect in live["effects"]:
        for row in effect["rows"]:
            worse, better, same, inconclusive = counted(row["verdicts"])
            claims = row["same_below_truth"]
            yield [
                f"`{row['case']}`",
                f"{effect['built_percent']} %: {true_change(row['true_percent'])}",
                f"{row['sd_percent']:.2f} %",
                f"{row['rounds']:g}",
                f"{worse}, {better}",
                f"{same} ({'-' if claims is None else claims})",
                inconclusive,
                f"{row['named_alone']} of {row['gates']}",
            ]


def null_row(row):
    name, sd = f"`{row['case']}`", f"{row['sd_percent']:.2f} %"
    return [name, sd, f"{row['rounds']:g}", *counted(row["verdicts"])]


def other_rows(live):
    """What gates with one slower op said of the rows of all others, in words."""
    for effect in live["effects"]:
        said = counted(effect["others"])
        yield (
            f"+{effect['built_percent']} % (commit {effect['commit']}, judged by "
            f"{effect['judge']}, {effect['day']}): "
            f"{effect['gates']} gates, {targets.LIVE_GATES} asked for ({effect['void']} void), "
            f"rows of other ops worse {said[0]}, better {said[1]}, same {said[2]}, "
            f"inconclusive {said[3]}"
        )


def power_rows(live):
    """[built in, paired SD, judged, found by each look, confirmed, the same]."""
    for effect in live["effects"]:
        for row in effect.get("power", []):
            least, most = row["sd_percent"]
            yield [
                f"{effect['built_percent']} %",
                f"over {least} %" if most is None else f"{least} to {most} %",
                row["judged"],
                ", ".join(str(row["found_by"][str(look)]) for look in live_score.LOOKS),
                row["confirmed"],
                row["same"],
            ]


def now_and_then_rows(live):
    """[head, gates, same, worse of these gates and by one session, better, inconclusive, SD]."""
    for one in live.get("distributions", ()):
        worse, better, same, inconclusive = counted(one["verdicts"])
        gates = one["gates"] - one["void"]
        yield [
            one["what"],
            gates,
            same,
            f"{worse} ({one['one_session']})",
            better,
            inconclusive,
            f"{one['sd_percent']:.2f} %",
        ]


def cost_text(cost):
    if not cost:
        return "A gate of a whole suite was not measured."
    return (
        f"A gate of {cost['rows']} rows (commit {cost['commit']}) took {cost['seconds']:.0f} s of "
        f"measuring; the median row was decided after {cost['median_rounds']:g} rounds."
    )


def of_parts(parts):
    """`commit A, judged by B, DAY`, of each that there is."""
    said = [f"commit {p['commit']}, judged by {p['judge']}, {p['day']}" for p in parts]
    return "; ".join(dict.fromkeys(said))


def live_text(live):
    """What the template prints; None where nothing was measured."""
    if not live:
        return None
    nulls = live["nulls"]
    return {
        **{key: live[key] for key in ("layouts", "cpu", "cpus")},
        "wanted": targets.LIVE_GATES,
        "looks": live_score.LOOKS,
        "power": list(power_rows(live)),
        "now_and_then": list(now_and_then_rows(live)),
        "now_and_then_of": of_parts(live.get("distributions", [])),
        "minutes": f"{live['seconds'] / 60:.0f}",
        "nulls": nulls,
        "null_rows": [null_row(r) for r in nulls["rows"]],
        "slowed": list(slowed_rows(live)),
        "others": "; ".join(other_rows(live)),
        "cost": cost_text(live["cost"]),
    }


def retraction_text(gone):
    share = 100 * gone["withdrawn"] / gone["levels"] if gone["levels"] else 0
    return (
        f"Of {gone['levels']} new levels told before anything was measured again, "
        f"{gone['withdrawn']} ({share:.1f} %) are not in the last night's answer; of "
        f"{gone['alerts']} confirmed alerts, a further independent measurement takes "
        f"{gone['retracted']} back."
    )


def suite_text(history):
    """What the rates of one row mean for the nights of a whole suite."""
    rows = gate_score.ROWS
    nightly = rows * history["suspects"]["false_per_100"] / 100
    levels = rows * history["levels"]["false_per_100"] / 100
    return (
        f"The rates are those of one row. A suite of {rows} such rows raises {nightly:.1f} false "
        f"suspects a night, {levels:.1f} of them new levels: so many are measured again."
    )


def markdown(result, plots):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    gate, history = result["gate"], result["history"]
    rows = targets.rows(result)

    def by_profile(key):
        kinds = gate["first_session"].get(key, {})
        return ", ".join(f"{name} {one['hits']} of {one['count']}" for name, one in kinds.items())

    return (
        env.get_template("judge.md.j2")
        .render(
            seeds=targets.seeds_text(result["seeds"]),
            gate={
                "cases": f"{gate['cases']:,}",
                "rounds": f"{gate['median_rounds']:g}",
                "rows": [gate_row(name, scored) for name, scored in gate_rules(gate)],
                "false_by_profile": by_profile("false_by_profile"),
                "inconclusive_by_profile": by_profile("inconclusive_by_profile"),
                "distributions": [
                    distribution_row(scored) for scored in result.get("distributions", ())
                ],
                "margin": [margin_row(scored) for scored in result.get("margin", ())],
                "layouts": [layout_row(scored) for scored in result.get("layouts", ())],
            },
            history={
                "series": f"{history['series']:,}",
                "rows": [history_row(name, scored) for name, scored in history_rules(history)],
                "hidden": [hidden_row(scored) for scored in result.get("hidden", ())],
            },
            recordings=[
                [
                    r["recording"],
                    *(r.get(v, 0) for v in ("same", "inconclusive", "worse", "better")),
                ]
                for r in result["recordings"]
            ],
            live=live_text(result.get("live")),
            retractions=retraction_text(history["retractions"]),
            suite=suite_text(history),
            headline=targets.headline(rows),
            head=targets.head(result, rows),
            targets=rows,
            plots=plots,
        )
        .strip()
        + "\n"
    )


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
