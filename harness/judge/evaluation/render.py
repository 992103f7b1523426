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
