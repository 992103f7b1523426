"""What the committed reports of the layers promise: every configuration measured, before and
after, and nothing allocated by a layer."""

import json
import pathlib

import pytest

GENERATED = pathlib.Path(__file__).resolve().parents[1] / "generated"
EMPTY = {"n/a", "N/A", "-", "", "not measured", "unsupported", "error", "timeout", "wrong"}

# Label and operation of the configurations of the reports that these answer, by report.
BOTH = ("Forward", "Backward")
CONVOLUTIONS = [("Conv2D_Small", ("Forward",)), ("Conv2D", BOTH), ("Conv1D", BOTH)]
POOLS = [("MaxPool2D", BOTH), ("AvgPool2D", BOTH)]
KERNELS = [(f"Conv{n}D_Matched_Kernel{k}", ("Forward",)) for n in (1, 2) for k in (5, 7)]
MATCHED = [("Dense_Matched", BOTH), ("Conv1D_Matched", BOTH), ("Conv2D_Matched", BOTH), *KERNELS]
REDUCED = [("Conv1D_Matched_WithMean", ("Backward",)), ("Conv2D_Matched_WithPool", ("Backward",))]
SMALL = [(name, BOTH) for name in ("Dense", "Softmax", "LSTM", "Dropout")]
LARGE = [("MaxPool2D_Large", BOTH), ("AvgPool2D_Large", BOTH)]
CLAIMED = [(name, BOTH) for name in ("ReLU", "Sigmoid", "Tanh")] + LARGE
EXPECTED = {
    "layers": CONVOLUTIONS + POOLS + SMALL + MATCHED + REDUCED + CLAIMED,
    "conv": CONVOLUTIONS + POOLS + [("Conv2D_Matched", BOTH)],
    "matched": MATCHED + REDUCED,
}


def rows_of(report):
    """{(label, operation): {column: cell}} over all tables of measured rows."""
    rows = {}
    for section in report["sections"]:
        for table in section["tables"]:
            names = [column["id"] for column in table["columns"]]
            if names[:3] != ["layer", "operation", "case"]:
                continue
            for row in table["rows"]:
                cells = dict(zip(names, row["cells"]))
                key = (cells["layer"]["text"], cells["operation"]["text"])
                rows.setdefault(key, {}).update(cells)
    return rows


@pytest.mark.parametrize("name", EXPECTED)
def test_every_configuration_is_measured_and_layers_allocate_nothing(name):
    rows = rows_of(json.loads((GENERATED / f"{name}.json").read_text()))
    expected = {(label, operation) for label, ops in EXPECTED[name] for operation in ops}
    assert expected <= set(rows)
    for key in expected:
        cells = rows[key]
        ours = {c: v for c, v in cells.items() if c.startswith(("before_", "after_"))}
        windows = key[0].startswith(("Conv", "MaxPool", "AvgPool"))
        for column in ["time_hwy", "time_tensor_ops"][: 1 + windows]:
            ours[column] = cells[column]
        assert len(ours) >= 6, key
        for column, cell in ours.items():
            assert cell["text"] not in EMPTY and cell.get("value") is not None, (key, column)
        assert cells["after_allocs"]["value"] == cells["after_bytes"]["value"] == 0, key
