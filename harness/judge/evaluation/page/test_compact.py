"""What is stored is what was scored, but for digits that nobody reads."""

import json

import pytest

from .. import clusters, gate_score
from . import compact

SUMMARY = {
    "false": 3,
    "nights": 96000,
    "false_per_100": 0.003125,
    "interval": {"low": 0.0012, "high": 0.0061, "at_most": 0.0056},
    "effects": {
        "2": {
            "steps": 120,
            "found_percent": 100 * 37 / 120,
            "median_delay_nights": 9.5,
            "delay_interval": [7, 12],
        },
        "5": {
            "steps": 6,
            "found_percent": 0.0,
            "median_delay_nights": None,
            "delay_interval": None,
        },
    },
}


def stored(value):
    """As it comes back from a file."""
    return compact.unpacked(json.loads(json.dumps(compact.packed(value))))


def test_what_is_stored_comes_back():
    verdicts = {"worse": 1, "better": 0, "same": 2, "inconclusive": 3}
    effects = {"-5": {v: gate_score.share(hits, 6) for v, hits in verdicts.items()}}
    gate = {"cases": 5, "effects": effects, "found": gate_score.share(1, 3)}
    result = {"history": {"levels": SUMMARY}, "gate": gate}
    assert stored(result) == result
    assert compact.packed(effects) == {"-5": "1 0 2 3"}


def test_what_is_stored_is_short():
    assert compact.packed(SUMMARY) == {
        "alarms": "3/96000 0.0012 0.0061 0.0056",
        "effects": {"2": "37/120 9.5 7 12", "5": "0/6 -"},
    }
    assert compact.packed(gate_score.share(1, 3)) == "1/3"


def test_a_share_of_nothing_has_no_percentage():
    assert stored(gate_score.share(0, 0)) == {"hits": 0, "count": 0, "percent": None}


def test_floats_keep_five_digits():
    assert compact.packed([100 / 3, 1, None, True]) == [33.333, 1, None, True]
    bounds = clusters.rate([(3, 1000), (7, 1000)])
    summary = {**SUMMARY, "interval": bounds}
    assert stored(summary)["interval"] == pytest.approx(bounds, rel=1e-4)
    tiny = {**SUMMARY, "interval": {"low": 0.0, "high": 2.8e-6, "at_most": 1e-12}}
    assert stored(tiny) == tiny


@pytest.mark.parametrize("text", ["2026-11-22", "n=100x100", "1/2/3", "a 1/2", "18/20 -x", ""])
def test_other_texts_stay(text):
    assert compact.packed(text) == stored(text) == text


def test_results_of_earlier_versions_stay():
    earlier = {
        "false": 1,
        "nights": 10,
        "false_per_100": 10.0,
        "effects": {"2": {"steps": 5, "found_percent": 20.0, "median_delay_nights": 3.0}},
    }
    assert compact.unpacked(earlier) == earlier
