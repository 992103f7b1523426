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


def origin(**changes):
    return {
        "commit": "0123456789abcdef" * 2 + "01234567",
        "dirty": False,
        "started_utc": "2026-11-27T01:02:03Z",
        "host": {"cpu_model": "AMD EPYC", "family": 25, "model": 17},
        **changes,
    }


def made_of(tmp_path, *origins):
    """The report of a run with each of these origins, None for a run without."""
    paths = []
    for seed, one in enumerate(origins):
        paths.append(tmp_path / f"curve{seed}.json")
        paths[-1].write_text(json.dumps(run(seed, **({"origin": one} if one else {}))))
    return learning.load(paths)


def test_the_head_tells_commit_day_and_machine(tmp_path):
    *_, last = learning.head(made_of(tmp_path, origin(), origin()))
    machine = "AMD EPYC (family 25, model 17)"
    assert last == f"AVX3, one thread on {machine}, 2026-11-27, at commit 0123456789ab."


def test_the_head_tells_of_every_day_and_of_uncommitted_changes(tmp_path):
    later = origin(started_utc="2026-11-28T00:00:00Z", dirty=True)
    *_, last = learning.head(made_of(tmp_path, later, origin()))
    assert ", 2026-11-27 and 2026-11-28, at commit 0123456789ab and 0123456789ab with un" in last


@pytest.mark.parametrize("origins", [[None], [origin(), None]], ids=["none", "one of two"])
def test_without_it_from_each_run_the_age_of_the_page_cannot_be_told(tmp_path, origins):
    *_, last = learning.head(made_of(tmp_path, *origins))
    assert last.startswith("AVX3, one thread. ") and "can't be told" in last


@pytest.mark.parametrize("target, times", [("AVX3", 1), ("AVX3_ZEN4", 1), ("AVX2", 0)])
def test_the_name_of_avx_512_is_explained_once_where_it_stands(target, times):
    text = learning.markdown({"runs": [run(1, target=target)]}, "x.svg")
    assert text.count("AVX3 is Highway's name for AVX-512.") == times
