import pytest
import readme_table

ROOT = readme_table.ROOT


@pytest.fixture
def report():
    return readme_table.model.load(ROOT / "reports/testdata/before_after.json")


def test_the_excerpt_shows_cells_of_the_report_unchanged(report):
    lines = readme_table.markdown(report).splitlines()
    table = report["sections"][0]["tables"][0]
    assert lines[0].startswith("| Layer | Operation | Before time | After time | Speedup |")
    assert set(lines[1]) <= set("|-:")
    speedup = [column["id"] for column in table["columns"]].index("speedup")
    for line, row in zip(lines[2:], table["rows"][: readme_table.ROWS]):
        assert f"| {row['cells'][speedup]['text']} " in line
        assert line.count(" | ") == len(readme_table.COLUMNS) - 1
    assert lines[-1].startswith("Host: ")


def test_only_what_is_between_the_markers_changes():
    readme = "a\n<!-- report:begin -->\nold\n<!-- report:end -->\nb\n"
    once = readme_table.filled(readme, "new")
    assert once == "a\n<!-- report:begin -->\n\nnew\n\n<!-- report:end -->\nb\n"
    assert readme_table.filled(once, "new") == once


def test_the_readme_has_the_markers_once():
    readme = (ROOT / "README.md").read_text()
    assert readme.count(readme_table.BEGIN) == 1
    assert readme.count(readme_table.END) == 1
