"""What the committed reports of the layers promise: every configuration measured, before and
after, and nothing allocated by a layer."""

import pathlib

import pytest

from nsop_report import model

GENERATED = pathlib.Path(__file__).resolve().parents[1] / "generated"
EMPTY = {"n/a", "N/A", "-", "", "not measured", "unsupported", "error", "timeout", "wrong"}

# The case of every configuration of the reports that these answer, by label; {} is its pass.
LARGE = "in=8x64x32x32 k=2 s=2 p=0"
POOLS = {
    "MaxPool2D": "maxpool2d pass={} in=4x32x16x16 k=2 s=2 p=0",
    "AvgPool2D": "avgpool2d pass={} in=4x32x16x16 k=2 s=2 p=0",
    "MaxPool2D_Large": f"maxpool2d pass={{}} {LARGE}",
    "AvgPool2D_Large": f"avgpool2d pass={{}} {LARGE}",
}
CASES = {
    "Conv2D_Small": "conv2d pass={} in=1x3x28x28 out=16 k=3 s=1 p=1 bias=1",
    "Conv2D": "conv2d pass={} in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1",
    "Conv1D": "conv1d pass={} in=8x64x256 out=128 k=3 s=1 p=1 bias=1",
    **POOLS,
    "Dense": "dense pass={} in=32x256 out=512 bias=1 w=io",
    "Softmax": "softmax pass={} n=32x128 axis=1 range=-3:3",
    "LSTM": "lstm pass={} in=1x16x128 hidden=256",
    "Dropout": "dropout pass={} n=32x512 rate=0.5",
    "ReLU": "relu pass={} n=32x512 range=-3:3",
    "Sigmoid": "sigmoid pass={} n=32x512 range=-6:6",
    "Tanh": "tanh pass={} n=32x512 range=-3.5:3.5",
    "Dense_Matched": "dense pass={} in=1x1024 out=32 bias=1 w=io",
    "Conv1D_Matched": "conv1d pass={} in=1x1x1024 out=32 k=3 s=1 p=1 bias=1",
    "Conv2D_Matched": "conv2d pass={} in=1x1x32x32 out=32 k=3 s=1 p=1 bias=1",
    **{
        f"Conv{n}D_Matched_Kernel{k}": f"conv{n}d pass={{}} in=1x1x{size} out=32"
        f" k={k} s=1 p={k // 2} bias=1"
        for n, size in ((1, "1024"), (2, "32x32"))
        for k in (5, 7)
    },
    "Conv1D_Matched_WithMean": "conv1d pass={} in=1x1x1024 out=32 k=3 s=1 p=1 bias=1",
    "Conv2D_Matched_WithPool": "conv2d pass={} in=1x1x32x32 out=32 k=3 s=1 p=1 bias=1",
}
BOTH = ("Forward", "Backward")
CONVOLUTIONS = [("Conv2D_Small", ("Forward",)), ("Conv2D", BOTH), ("Conv1D", BOTH)]
KERNELS = [(f"Conv{n}D_Matched_Kernel{k}", ("Forward",)) for n in (1, 2) for k in (5, 7)]
MATCHED = [("Dense_Matched", BOTH), ("Conv1D_Matched", BOTH), ("Conv2D_Matched", BOTH), *KERNELS]
REDUCED = [("Conv1D_Matched_WithMean", ("Backward",)), ("Conv2D_Matched_WithPool", ("Backward",))]
SMALL = [(name, BOTH) for name in ("Dense", "Softmax", "LSTM", "Dropout")]
CLAIMED = [(name, BOTH) for name in ("ReLU", "Sigmoid", "Tanh")]
EXPECTED = {
    "layers": CONVOLUTIONS + [(p, BOTH) for p in POOLS] + SMALL + MATCHED + REDUCED + CLAIMED,
    "conv": CONVOLUTIONS
    + [(f"{pool}_Large", BOTH) for pool in ("MaxPool2D", "AvgPool2D")]
    + [("Conv2D_Matched", BOTH)],
    "matched": MATCHED + REDUCED,
}


def case_of(label, operation):
    """What a row of this label must have measured."""
    case = CASES[label].format(operation.lower())
    matched = label.startswith("Conv") and "_Matched" in label
    reduced = matched and (operation == "Forward" or "_With" in label)
    return case + " reduce=mean" if reduced else case


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
    rows = rows_of(model.load(GENERATED / f"{name}.json"))
    expected = {(label, operation) for label, ops in EXPECTED[name] for operation in ops}
    assert expected <= set(rows)
    for key in expected:
        cells = rows[key]
        assert cells["case"]["text"] == case_of(*key)
        ours = {c: v for c, v in cells.items() if c.startswith(("before_", "after_"))}
        windows = key[0].startswith(("Conv", "MaxPool", "AvgPool"))
        for column in ["time_hwy", "time_tensor_ops"][: 1 + windows]:
            ours[column] = cells[column]
        assert len(ours) >= 6, key
        for column, cell in ours.items():
            assert cell["text"] not in EMPTY and cell.get("value") is not None, (key, column)
        assert cells["after_allocs"]["value"] == cells["after_bytes"]["value"] == 0, key
