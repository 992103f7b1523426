"""The report of learning runs: numbers from their files only."""

import json

import pytest
from nsop_report import learning


def run(seed, **changes):
    return {
        "schema": "nsop.learning/1",
        "seed": seed,
        "episodes": 3000,
        "evaluated": 100,
        "random_mean": 1090.4,
        "evaluated_mean": 3270.0,
        "goal": 1.5,
        "ratio": 3.0,
        "target": "AVX3",
        "means": [[30, 1100.0], [60, 1300.0], [90, 3270.0]],
        "scores": [1, 2, 3],
        **changes,
    }


@pytest.fixture
def curves(tmp_path):
    paths = [tmp_path / f"curve{seed}.json" for seed in (2, 1)]
    paths[0].write_text(json.dumps(run(2, ratio=1.4, evaluated_mean=1527.0)))
    paths[1].write_text(json.dumps(run(1)))
    return [str(path) for path in paths]


def test_a_row_per_seed_in_order(curves, tmp_path, page):
    assert learning.main(["--out", str(tmp_path / "out"), *curves]) == 0
    (table,) = page((tmp_path / "out/dqn_learning.md").read_text()).tables
    assert [row[0] for row in table] == ["Seed", "1", "2"]
    assert table[1] == ["1", "3,000", "1,090", "3,270", "100", "3.00", "1.5", "reached"]
    assert table[2][-1] == "missed"
    assert (tmp_path / "out/dqn_learning.svg").read_bytes()[:5] == b"<svg "


def test_its_json_renders_to_the_same_text(curves, tmp_path):
    learning.main(["--out", str(tmp_path / "a"), "--no-plots", *curves])
    source = tmp_path / "a/dqn_learning.json"
    assert "scores" not in json.loads(source.read_text())["runs"][0]
    learning.main(["--out", str(tmp_path / "b"), "--no-plots", "--render", str(source)])
    assert (tmp_path / "a/dqn_learning.md").read_text() == (
        tmp_path / "b/dqn_learning.md"
    ).read_text()


@pytest.mark.parametrize("text", ["no JSON", '{"schema": "other/1"}'])
def test_another_file_is_refused_in_one_line(text, tmp_path, capsys):
    path = tmp_path / "x.json"
    path.write_text(text)
    assert learning.main(["--out", str(tmp_path), str(path)]) == 4
    assert capsys.readouterr().err.count("\n") == 1


def test_the_headline_counts_the_seeds_that_reach_the_goal(curves):
    assert (
        learning.headline(learning.load(curves))
        == "1 of 2 seeds reach the goal, the worst 0.93 times it"
    )
