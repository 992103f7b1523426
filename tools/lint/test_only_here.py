from pathlib import Path

import only_here
import pytest


def run(rule, tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return rule(tmp_path, [Path(name)])


@pytest.mark.parametrize(
    "text",
    [
        'sql("SELECT id FROM run");',
        'sql("INSERT OR IGNORE INTO run VALUES (1)");',
        'sql(R"(CREATE\n  TABLE run (id TEXT))");',
        'sql("BEGIN IMMEDIATE");',
        'sql("PRAGMA user_version");',
    ],
)
def test_sql_is_found_outside_the_store_only(tmp_path, text):
    problems = run(only_here.check_sql, tmp_path, "harness/run/a.cpp", text)
    assert len(problems) == 1 and problems[0].startswith("harness/run/a.cpp:1: SQL outside")
    assert run(only_here.check_sql, tmp_path, "harness/store/a.cpp", text) == []
    assert run(only_here.check_sql, tmp_path, "harness/run/a_test.cpp", text) == []


def test_prose_is_not_sql(tmp_path):
    text = '// SELECT x FROM y\nprint("select a row from the table; update it");'
    assert run(only_here.check_sql, tmp_path, "harness/run/a.cpp", text) == []


def test_sql_in_python_is_found(tmp_path):
    text = "import sqlite3\nrows = db.execute('SELECT *\\n FROM run')\n"
    problems = run(only_here.check_sql, tmp_path, "reports/a.py", text)
    assert problems == ["reports/a.py:2: SQL outside harness/store: SELECT * FROM"]


@pytest.mark.parametrize(
    "text", ["cd /workspace/main", "see /root/.cache", "x=/home/me/a", "in /root."]
)
def test_machine_paths_are_found(tmp_path, text):
    problems = run(only_here.check_machine_paths, tmp_path, "docs/a.md", "first\n" + text)
    assert len(problems) == 1 and problems[0].startswith("docs/a.md:2: path of a machine: /")


@pytest.mark.parametrize(
    "text", ["the root/home of", "${HOME}/root/x", "https://x.org/home/me", "a/root/b", "/rooted"]
)
def test_other_paths_are_not(tmp_path, text):
    assert run(only_here.check_machine_paths, tmp_path, "docs/a.md", text) == []


@pytest.mark.parametrize(
    "text", ["std::ranges::copy(x, y.begin());", "std::ranges::fill(dx, 0.0f);"]
)
def test_layers_copy_no_floats_one_by_one(tmp_path, text):
    (problem,) = run(only_here.check_float_loops, tmp_path, "layers/a.cpp", text)
    assert problem.startswith("layers/a.cpp:1: a loop over single floats")
    for elsewhere in ("layers/a_test.cpp", "harness/core/a.cpp", "layers/testing/a_support.h"):
        assert run(only_here.check_float_loops, tmp_path, elsewhere, text) == []


def test_filling_with_other_numbers_is_a_loop(tmp_path):
    text = "std::ranges::fill(y, 1.0f);"
    assert run(only_here.check_float_loops, tmp_path, "layers/a.cpp", text) == []


@pytest.mark.parametrize(
    "text", ["std::thread t(run);", "auto f = std::async(run);", "std::vector<std::jthread> all;"]
)
def test_threads_start_where_they_are_looked_at(tmp_path, text):
    (problem,) = run(only_here.check_threads, tmp_path, "harness/run/a.cpp", text)
    assert problem.startswith("harness/run/a.cpp:1: starts a thread")
    assert run(only_here.check_threads, tmp_path, "harness/worker/a.cpp", text) == []


def test_waiting_and_counting_cores_starts_no_thread(tmp_path):
    text = "std::this_thread::sleep_for(a);\nstd::thread::hardware_concurrency();\n"
    assert run(only_here.check_threads, tmp_path, "harness/run/a.cpp", text) == []
