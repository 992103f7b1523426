"""What charts of invented models are drawn from."""

from nsop_report.site.testing.cells_support import HOSTS, duration


def sweep(line, n, ids):
    xs = [max(1, n // 4), n, n * 4]
    points = [
        [x, 100.0 * x, duration(100.0 * x), ids[at], 60.0 * x, f"{x:,}", duration(60.0 * x)]
        for at, x in enumerate(xs)
    ]
    return {
        "conclusion": "Time grows as the number of elements does.",
        "label": "elements",
        "series": [{"who": "hwy@AVX3", "threads": 1, "host": HOSTS[0], "points": points}],
        "x_ticks": [[x, f"{x:,}"] for x in xs],
        "y_ticks": [[100.0 * x, duration(100.0 * x)] for x in xs],
    }


def roofline(cases):
    points = []
    for at, case in enumerate(cases):
        x, y = 0.1 * 1.4 ** (at % 16), 3 * 1.3 ** (at % 14) + at % 5
        points.append(
            {
                "case_id": case["id"],
                "title": case["title"],
                "who": "hwy@AVX3",
                "ours": True,
                "x": x,
                "x_text": f"{x:.3g}",
                "y": y,
                "text": f"{y:.0f} GFLOP/s, {40 + at % 50} % of the limit",
                "peer": [x, y * 0.7] if at % 3 else None,
                "peer_text": f"onednn {y * 0.7:.0f} GFLOP/s" if at % 3 else "",
            }
        )
    return {
        "host": HOSTS[0],
        "threads": 1,
        "title": "Intel Xeon, 1 thread",
        "conclusion": "Most rows are bound by L2.",
        "x_label": "operations per byte",
        "y_label": "GFLOP/s",
        "x_ticks": [[0.1, "0.1"], [1, "1"], [10, "10"]],
        "y_ticks": [[1, "1"], [10, "10"], [100, "100"]],
        "roofs": [
            {
                "label": "L2 120 GB/s",
                "text": "rises to 108 GFLOP/s at 0.9",
                "x": [0.05, 0.9, 20],
                "y": [6, 108, 108],
            },
            {
                "label": "DRAM 12 GB/s ?",
                "text": "rises to 108 GFLOP/s at 9",
                "x": [0.05, 9, 20],
                "y": [0.6, 108, 108],
            },
        ],
        "points": points,
    }


def judge():
    rates = [[1, 5, 2, 9, "1 %: 5 % [2, 9]"], [5, 98, 96, 99, "5 %: 98 % [96, 99]"]]
    chart = {
        **{"title": "Power", "conclusion": "Five per cent are found.", "x_linear": True},
        **{"x_label": "effect", "y_label": "found", "x_ticks": [[1, "1 %"], [5, "5 %"]]},
        **{"y_ticks": [[0, "0 %"], [50, "50 %"], [100, "100 %"]]},
        "series": [{"label": "simulated", "points": rates}, {"label": "live", "points": rates}],
    }
    power = {
        "caption": "Power",
        "columns": ["Effect", "Found", ""],
        "rows": [["5 %", "98 % [96, 99]", "met"]],
    }
    return {
        "conclusion": "The judge finds what it should.",
        "tables": [power],
        "charts": [chart],
    }
