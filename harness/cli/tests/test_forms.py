"""Forms and formats of reports: nsop and what is written down elsewhere name the same."""

import json

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import ROOT
from nsop_report import gate


@pytest.fixture
def forms(nsop):
    return json.loads(nsop("list", "forms", "--json").stdout)["forms"]


def forms_of(folder):
    """The forms of the reports in a folder, by file."""
    reports = {path.name: json.loads(path.read_text()) for path in (ROOT / folder).glob("*.json")}
    return {name: one["form"] for name, one in reports.items() if "form" in one}


def test_each_form_says_what_it_shows(forms):
    assert {"before_after", "sweep", "tracking"} <= {form["form"] for form in forms}
    assert {form["needs before"] for form in forms} == {"yes", "no"}
    assert all(form["what it shows"] for form in forms)


@pytest.mark.parametrize("folder", ["reports/testdata", "reports/generated"])
def test_reports_that_are_kept_are_of_a_form(forms, folder):
    found = forms_of(folder)
    assert found
    assert set(found.values()) <= {form["form"] for form in forms}, found


def test_every_introduction_is_of_a_form(forms):
    introductions = {path.name for path in (ROOT / "reports/templates/introductions").iterdir()}
    assert introductions <= {f"{form['form']}.md.j2" for form in forms}


def test_a_suite_of_an_unknown_form_is_told_which_there_are(nsop, forms, tmp_path):
    (tmp_path / "poem.toml").write_text(
        '[report]\nname = "poem"\ntitle = "Poem"\nform = "poem"\nbefore = "a"\nafter = "b"\n'
        '[[cases]]\nlabel = "A"\ncase = "relu"\n'
    )
    names = [form["form"] for form in forms]
    expected = f"unknown form 'poem', expected {', '.join(names[:-1])} or {names[-1]}"
    done = nsop("list", "suites", "--suites", str(tmp_path), code=2)
    assert one_line(done).endswith(f"poem.toml:4: {expected}")


def test_a_gate_has_the_formats_of_the_renderer(nsop):
    done = nsop("report", "--gate", "x", "--format", "html", code=2)
    assert f"{{{','.join(gate.FORMATS)}}}" in one_line(done)
