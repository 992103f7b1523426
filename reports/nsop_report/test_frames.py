import pandas
from nsop_report import frames

PLOT = {
    "series": [
        {"values": [3.0, None, 5.0], "texts": ["three", "", "five"]},
        {"values": [1.0, None, 5.0], "texts": ["one", "", "a five"]},
        {"values": [2.0, 7.0, None], "texts": ["two", "seven", ""]},
    ]
}


def test_marks_are_what_is_known_in_the_order_of_the_series():
    known = frames.marks(PLOT)
    assert list(known["row"]) == [0, 2, 0, 2, 0, 1]
    assert list(known["series"]) == [0, 0, 1, 1, 2, 2]
    assert list(known["value"]) == [3, 5, 1, 5, 2, 7]
    assert "lo" not in known and known["value"].dtype == float


def test_marks_of_a_forest_plot_have_their_intervals():
    series = {"values": [2.0, None], "texts": ["2x", ""], "lo": [1.5, 0], "hi": [2.5, 0]}
    (mark,) = frames.marks({"series": [series]}).itertuples()
    assert (mark.row, mark.lo, mark.value, mark.hi, mark.text) == (0, 1.5, 2.0, 2.5, "2x")


def test_marks_of_nothing_are_empty():
    known = frames.marks({"series": [{"values": [None], "texts": [""]}]})
    assert known.empty and frames.ends(known).empty
    assert frames.marks({"series": []}).empty


def test_the_ends_of_a_row_are_its_least_and_largest_mark():
    found = [(end.row, end.side, end.text) for end in frames.ends(frames.marks(PLOT)).itertuples()]
    one_mark = (1, 1, "seven")
    equals_by_text = [(2, -1, "a five"), (2, 1, "five")]
    assert found == [(0, -1, "one"), (0, 1, "three"), one_mark, *equals_by_text]


def test_points_are_those_of_each_series_with_intervals_where_all_have_them():
    one = {"x": [1, 10], "y": [2.0, 3.0], "lo": [1.5, 2.5], "hi": [2.5, 3.5]}
    found = frames.points([one, {**one, "x": [7, 70]}])
    assert list(found["series"]) == [0, 0, 1, 1] and list(found["x"]) == [1, 10, 7, 70]
    assert list(found["lo"]) == [1.5, 2.5] * 2 and list(found["hi"]) == [2.5, 3.5] * 2
    assert list(frames.points([one, {"x": [5], "y": [6]}]).columns) == ["x", "y", "series"]
    assert frames.points([{"x": [], "y": []}]).empty and frames.points([]).empty


def test_nights_have_their_kind_and_failed_ones_no_time():
    plot = {"points": [{"x": 1, "y": 10}], "left_out": [{"x": 2, "y": 11}], "failed": [3]}
    found = frames.nights(plot)
    assert list(found["kind"]) == ["points", "left_out", "failed"] and list(found["x"]) == [1, 2, 3]
    assert list(found["y"][:2]) == [10, 11] and found["y"].isna()[2]
    assert frames.nights({"points": [], "left_out": [], "failed": []}).empty


def test_levels_are_a_line_each():
    (level,) = frames.levels({"levels": [{"y": 10, "to": 4, "from": 1}]}).to_dict("records")
    assert level == {"from": 1, "to": 4, "y": 10}
    assert frames.levels({"levels": []}).empty


def test_curves_keep_runs_of_one_seed_apart():
    runs = [{"seed": 1, "means": [[0, 10], [50, 12]]}, {"seed": 1, "means": [[0, 11]]}]
    found = frames.curves(runs)
    assert list(found["run"]) == [0, 0, 1]
    assert list(found["episode"]) == [0, 50, 0] and list(found["score"]) == [10, 12, 11]


def test_reports_have_their_ages_or_none():
    rows = [{"name": "conv"}, {"name": "judge"}, {"name": "dqn"}]
    found = frames.reports(rows, {"conv": 3, "dqn": None})
    assert list(found["name"]) == ["conv", "judge", "dqn"]
    assert found["behind"][0] == 3 and pandas.isna(found["behind"][1:]).all()
    assert frames.reports([], {}).empty
