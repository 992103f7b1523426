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
