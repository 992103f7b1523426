"""The numbers of reports as pandas frames, a line per mark, curve point or report: for plots and
tables that look at them row by row, by series or by release. Nothing is computed here."""

import pandas


def marks(plot):
    """Of a plot of rows, what is known: columns row, series (their places), value, text and, of a
    forest plot, lo and hi; in the order of the series."""
    parts = [
        pandas.DataFrame(
            {
                "row": range(len(series["values"])),
                "series": index,
                **{name: series[name] for name in ("lo", "hi") if name in series},
                "value": pandas.array(series["values"], dtype="Float64"),
                "text": series["texts"],
            }
        )
        for index, series in enumerate(plot["series"])
    ]
    none = pandas.DataFrame(columns=["row", "series", "value", "text"])
    known = pandas.concat(parts or [none], ignore_index=True).dropna(subset="value")
    return known.astype({"value": float})


def points(drawn):
    """Of series of x and y, or of lines of a plot: columns series (their places), x, y and, where
    every one of them has an interval, lo and hi; in the order of the series."""
    columns = [name for name in ("x", "y", "lo", "hi") if all(name in one for one in drawn)]
    parts = [
        pandas.DataFrame({name: one[name] for name in columns}).assign(series=place)
        for place, one in enumerate(drawn)
    ]
    none = pandas.DataFrame(columns=["series", "x", "y"])
    return pandas.concat(parts or [none], ignore_index=True)


def nights(plot):
    """Of a history: columns x, y and kind (`points`, `left_out` or `failed`, which has no y)."""
    spots = [(kind, one["x"], one["y"]) for kind in ("points", "left_out") for one in plot[kind]]
    failed = [("failed", x, None) for x in plot["failed"]]
    found = pandas.DataFrame([*spots, *failed], columns=["kind", "x", "y"])
    return found.astype({"x": float, "y": float})


def levels(plot):
    """Of a history: columns from, to and y, a line per level."""
    return pandas.DataFrame(plot["levels"], columns=["from", "to", "y"]).astype(float)


def ends(known):
    """The least and the largest mark of each row (its first and last of equals, by text), as
    columns row, side (-1, 1), value and text; of a row with one mark the largest alone."""
    ordered = known.sort_values(["row", "value", "text"], kind="stable")
    rows = ordered.groupby("row")
    least = ordered[rows.cumcount() == 0].assign(side=-1)
    largest = ordered[rows.cumcount(ascending=False) == 0].assign(side=1)
    both = pandas.concat([least[~least.index.isin(largest.index)], largest])
    return both.sort_values(["row", "side"])[["row", "side", "value", "text"]]


def curves(runs):
    """Of trainings: columns run (its place), episode and score."""
    parts = [
        pandas.DataFrame(run["means"], columns=["episode", "score"]).assign(run=place)
        for place, run in enumerate(runs)
    ]
    return pandas.concat(parts, ignore_index=True)


def reports(rows, ages):
    """The reports of a folder, a line each: `rows` ({name, title, ...}) in their order, with the
    column behind from `ages` ({name: commits}); missing where nobody counted."""
    frame = pandas.DataFrame(rows)
    behind = frame["name"].map(ages) if len(frame) else pandas.Series(dtype=object)
    return frame.assign(behind=behind.astype("Int64"))
