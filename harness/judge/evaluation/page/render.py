"""The scores as Markdown and plots."""

import jinja2

from .. import distribution_score, files, live_score
from . import live_targets, tables, targets
from .tables import share

TEMPLATES = files.ROOT / "reports" / "templates"


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
    """[correlation of neighbouring rounds, wrong in one session; if widened; open where nothing
    changed; if widened]: results of earlier versions have the first two."""
    names = "wrong", "wrong_widened", "open", "open_widened"
    return [
        f"{scored['correlation']:g}",
        *(tables.of_share(scored[n]) for n in names if n in scored),
    ]


def hidden_row(scored):
    """[head, told by the fastest alone, told, median delay, false rises of the mean]; of what did
    not change only the last."""
    told = [share(scored[p]["hits"], scored[p]["count"]) for p in ("by_fastest", "found")]
    delay = scored["median_delay_nights"]
    told.append("-" if delay is None else f"{delay:g}")
    if scored["head"] == distribution_score.UNCHANGED:
        told = ["-"] * 3
    false = 100 * scored["false"] / scored["nights"]
    return [scored["head"], *told, tables.rate({**scored, "false_per_100": false})]


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
            f"{effect['gates']} gates, {live_targets.LIVE_GATES} asked for "
            f"({effect['void']} void), rows of other ops worse {said[0]}, better {said[1]}, "
            f"same {said[2]}, inconclusive {said[3]}"
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
        "wanted": live_targets.LIVE_GATES,
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
    withdrawn = share(gone["withdrawn"], gone["levels"])
    retracted = share(gone["retracted"], gone["alerts"])
    return (
        f"Of {gone['levels']} new levels told before anything was measured again, "
        f"{gone['withdrawn']} ({withdrawn}) are not in the last night's answer; of "
        f"{gone['alerts']} confirmed alerts, a further independent measurement takes "
        f"{gone['retracted']} back ({retracted})."
    )


def by_profile(gate, key):
    """`quiet 0 of 800, lab ...` of the first session."""
    kinds = gate["first_session"].get(key, {})
    return ", ".join(f"{name} {one['hits']} of {one['count']}" for name, one in kinds.items())


def gate_part(result):
    gate = result["gate"]
    return {
        "cases": f"{gate['cases']:,}",
        "rounds": f"{gate['median_rounds']:g}",
        "rows": [tables.gate_row(name, scored) for name, scored in tables.gate_rules(gate)],
        "kinds": list(tables.gate_kinds(gate)),
        "open": list(tables.open_rows(gate, result.get("live"))),
        "false_by_profile": by_profile(gate, "false_by_profile"),
        "inconclusive_by_profile": by_profile(gate, "inconclusive_by_profile"),
        "distributions": [distribution_row(scored) for scored in result.get("distributions", ())],
        "distribution_kinds": list(tables.distribution_kinds(result.get("distributions", ()))),
        "margin": [margin_row(scored) for scored in result.get("margin", ())],
        "widened": any("wrong_widened" in scored for scored in result.get("margin", ())),
        "layouts": [layout_row(scored) for scored in result.get("layouts", ())],
    }


def history_part(result):
    history = result["history"]
    rules = tables.history_rules(history)
    return {
        "series": f"{history['series']:,}",
        "rows": [tables.history_row(name, scored) for name, scored in rules],
        "points": list(tables.points(history)),
        "compared": list(tables.compared_rows(history)),
        "compared_series": f"{history.get('compared', {}).get('series', 0):,}",
        "hidden": [hidden_row(scored) for scored in result.get("hidden", ())],
    }


def markdown(result, plots):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = targets.rows(result)
    page = env.get_template("judge.md.j2").render(
        seeds=targets.seeds_text(result["seeds"]),
        gate=gate_part(result),
        history=history_part(result),
        recordings=list(tables.recording_rows(result["recordings"])),
        neighbours=tables.neighbours(result),
        by_rule=any("rule" in one for one in result["recordings"]),
        independent=tables.independent(result),
        public=[{**one, "rows": list(tables.public_rows(one))} for one in result.get("public", ())],
        live=live_text(result.get("live")),
        retractions=retraction_text(result["history"]["retractions"]),
        suite=tables.suite_text(result["history"]),
        headline=targets.headline(rows),
        head=targets.head(result, rows),
        targets=rows,
        plots=plots,
    )
    return page.strip() + "\n"
