"""The scores as Markdown and plots."""

import io

import jinja2

from . import files

TEMPLATES = files.ROOT / "reports" / "templates"
COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#000000")


def percent(share):
    """One decimal, so that 99.8 % never reads as all of them."""
    return f"{share:.1f} %"


def gate_row(name, scored):
    effects = scored["effects"]

    def found(effect):
        verdict = "better" if float(effect) < 0 else "worse"
        return percent(effects[effect][verdict]["percent"])

    nulls = effects["0"]
    false = nulls["worse"]["hits"] + nulls["better"]["hits"]
    return [
        name,
        f"{percent(100 * false / nulls['same']['count'])} ({false} of {nulls['same']['count']})",
        percent(nulls["inconclusive"]["percent"]),
        *map(found, ("1", "2", "5", "10", "-5")),
    ]


def history_row(name, scored):
    def found(effect):
        one = scored["effects"][effect]
        delay = one["median_delay_nights"]
        return percent(one["found_percent"]) + (f", {delay:g} n." if delay else "")

    false = f"{scored['false_per_100']:.2f} ({scored['false']} in {scored['nights']:,})"
    return [name, false, *map(found, ("2", "5", "10", "-5"))]


def gate_rules(gate):
    yield "nsop, one session", gate["first_session"]
    yield "nsop, confirmed", gate["confirmed"]
    yield from gate["others"].items()


def history_rules(history):
    yield "nsop, new levels", history["levels"]
    yield "nsop, suspects with the newest night", history["suspects"]
    yield "nsop, confirmed alerts", history["confirmed"]
    yield from history["others"].items()


def change(value):
    return f"{value:+.1f} %"


def live_effect(row, built):
    """What was built in and what it costs, as text."""
    true = row.get("true_percent")
    if not built:
        return "0 (itself)"
    if not true:
        return f"{built} % of the outputs twice; not calibrated"
    return (
        f"{built} % of the outputs twice: {change(true[0])} [{change(true[1])}, {change(true[2])}]"
    )


def live_rows(live):
    """[effect, case, paired SD, rounds, worse, better, same, unclear, same below the truth]."""
    for effect in live["effects"]:
        built = effect["built_percent"]
        for row in effect["rows"]:
            verdicts = row["verdicts"]
            yield [
                live_effect(row, built),
                f"`{row['case']}`",
                f"{row['sd_percent']:.2f} %",
                f"{row['rounds']:g}",
                *(verdicts.get(v, 0) for v in ("worse", "better", "same", "inconclusive")),
                row.get("same_below_truth", "-") if built else "-",
            ]


def live_text(live):
    """What the template prints; None where nothing was measured."""
    if not live:
        return None
    nulls = [e for e in live["effects"] if e["built_percent"] == 0]
    verdicts = [row["verdicts"] for effect in nulls for row in effect["rows"]]
    wrong = sum(v.get("worse", 0) + v.get("better", 0) for v in verdicts)
    return {
        "gates": live["gates"],
        "layouts": live["layouts"],
        "minutes": f"{live['seconds'] / 60:.0f}",
        "wrong": wrong,
        "judged": sum(sum(v.values()) for v in verdicts),
        "void": sum(effect["void"] for effect in live["effects"]),
        "rows": list(live_rows(live)),
    }


def markdown(result, plots):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    gate, history = result["gate"], result["history"]
    false = gate["first_session"]["false_by_profile"]
    return (
        env.get_template("judge.md.j2")
        .render(
            seeds=", ".join(map(str, result["seeds"])),
            gate={
                "cases": f"{gate['cases']:,}",
                "rounds": f"{gate['median_rounds']:g}",
                "rows": [gate_row(name, scored) for name, scored in gate_rules(gate)],
                "false_by_profile": ", ".join(
                    f"{name} {one['hits']} of {one['count']}" for name, one in false.items()
                ),
            },
            history={
                "series": f"{history['series']:,}",
                "rows": [history_row(name, scored) for name, scored in history_rules(history)],
            },
            recordings=[
                [
                    r["recording"],
                    *(r.get(v, 0) for v in ("same", "inconclusive", "worse", "better")),
                ]
                for r in result["recordings"]
            ],
            live=live_text(result.get("live")),
            plots=plots,
        )
        .strip()
        + "\n"
    )


def png(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=120, metadata={"Software": None})
    return out.getvalue()


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
    return png(figure)


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
    return png(figure)


def live_plot(live):
    """Share of gates that called a row worse, over its true change, one curve per row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4))
    axes = figure.subplots()
    curves = {}
    for effect in live["effects"]:
        for row in effect["rows"]:
            true = row.get("true_percent")
            if effect["built_percent"] and not true:
                continue
            share = 100 * row["verdicts"].get("worse", 0) / sum(row["verdicts"].values())
            curves.setdefault(row["case"], []).append((true[0] if true else 0, share))
    for colour, (case, points) in zip(COLOURS, curves.items()):
        x, y = zip(*sorted(points))
        axes.plot(x, y, "o-", color=colour, label=case)
    axes.axvline(1, color="0.6", linestyle=":", label="margin")
    axes.set_xlabel("true change of the time, %")
    axes.set_ylabel("gates that called it worse, %")
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return png(figure)
