"""How old a report is: against the newest commit when the reports are published, not against the
newest report."""

import json
import re

from nsop_report import index, main
from nsop_report.test_index import folder, git, rows  # noqa: F401 (folder is a fixture)


def test_commits_after_the_newest_report_count_as_well(folder):  # noqa: F811
    git(folder, "commit", "-q", "--allow-empty", "-m", "measured by no report")
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    found = rows(folder)
    assert [found["conv"][3], found["frameworks"][3]] == ["3", "1"]
    assert "was 3 commits behind" in (folder / "conv.md").read_text()
    assert "was 1 commit behind" in (folder / "frameworks.md").read_text()


def test_the_index_names_the_commit_that_ages_are_counted_to(folder):  # noqa: F811
    main.main(["--index", str(folder), "--count-ages"])
    head = git(folder, "rev-parse", "HEAD")
    text = (folder / "README.md").read_text()
    assert f"`{head[:12]}`, the newest commit when the reports were last published" in text
    assert json.loads((folder / "ages.json").read_text())["head"] == head
    # What it tells a reader to run counts on.
    git(folder, "commit", "-q", "--allow-empty", "-m", "later")
    [command] = re.findall(r"`git (rev-list [^`]*)`", text)
    assert git(folder, *command.split()) == "1"
    assert index.markdown(folder) == text


def test_ages_between_reports_alone_are_no_ages(folder):  # noqa: F811
    earlier = {"schema": "nsop.ages/1", "newest": "f" * 40, "behind": {"conv": 2, "frameworks": 0}}
    (folder / "ages.json").write_text(json.dumps(earlier))
    main.main(["--index", str(folder)])
    assert "*Behind* is not counted." in (folder / "README.md").read_text()
    assert rows(folder)["conv"][3] == "-"
    assert main.main(["--index", str(folder), "--count-ages"]) == 0
    assert rows(folder)["conv"][3] == "2"


def test_without_git_nothing_is_counted(tmp_path, conv):
    (tmp_path / "conv.json").write_text(json.dumps(conv))
    assert main.main(["--index", str(tmp_path), "--count-ages"]) == 0
    assert "*Behind* is not counted." in (tmp_path / "README.md").read_text()
    assert rows(tmp_path)["conv"][3] == "-"
