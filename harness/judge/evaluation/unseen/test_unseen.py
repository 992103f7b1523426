"""Data of others: what is read of it, refused of it, and said of it."""

import re

import pytest

from .. import files, noise
from . import score, tables, text


def rounds(profile, effect, key, count=20):
    rng = noise.generator(key, profile, effect)
    return noise.gate_rounds(rng, noise.PROFILES[profile], effect, count, 5)


def unseen_folder(folder, effect):
    """A folder as others write it: one gate and one history, with what is true of them."""
    folder.mkdir()
    files.write_gate(folder / "gate.csv", {"c": rounds("quiet", effect, "unseen")})
    (folder / "gate_truth.csv").write_text(f"case_id,profile,effect_pct\nc,quiet,{effect}\n")
    one = noise.history(noise.generator("u"), noise.PROFILES["quiet"], effect, 0, 200, 5)
    files.write_history(folder / "series.csv", {"s": one})
    (folder / "truth.csv").write_text(
        "series_id,profile,n,base_ns,event,idx,effect_pct,alert\n"
        f"s,quiet,200,1,has_steps,,{effect},0\ns,quiet,200,1,regression,{one.steps[0]},{effect},1\n"
    )
    return folder


def test_a_folder_of_others_is_scored_by_its_own_truth(tmp_path):
    folder = unseen_folder(tmp_path / "theirs", 10.0)
    scored = score.score(folder, tmp_path)
    assert scored["gate"] == {"10": {"worse": 1}}
    assert scored["history"]["confirmed"]["effects"]["10"]["found_percent"] == 100
    assert scored["history"]["confirmed"]["false"] == 0
    told = text.text(scored)
    assert "gate, one session, effect 10 %, 1 rows: worse 1 (100.0 % [2.5, 100.0])" in told
    assert "gate, both sessions (the second is drawn), effect 10 %, 1 rows: worse 1" in told
    assert "found at 10 %: 100.0 %" in told
    for name in ("truth.csv", "gate_truth.csv"):
        (folder / name).unlink()
    blind = score.score(folder, tmp_path)
    assert blind["gate"] == {"all": {"worse": 1}}
    assert blind["history"]["suspects"] >= 1


def test_a_truth_that_names_changes_only_is_enough(tmp_path):
    """Nights that are missing, series that never change and aren't named, events in any order."""
    folder = unseen_folder(tmp_path / "theirs", 10.0)
    lines = (folder / "series.csv").read_text().splitlines()
    gone = [line for line in lines if not line.startswith(("s,3,", "s,4,", "s,5,"))]
    few = [line for line in lines[1:] if int(line.split(",")[1]) < 50]
    unnamed = [line.replace("s,", "unnamed,", 1) for line in few]
    (folder / "series.csv").write_text("\n".join(gone + unnamed) + "\n")
    head, _, change = (folder / "truth.csv").read_text().splitlines()
    (folder / "truth.csv").write_text(f"{head}\n{change}\n")
    made = score.histories(folder / "series.csv", folder / "truth.csv")
    _, effect, one = made["s"]
    assert effect == 10 and len(one.hosts) == 197
    assert one.steps == [int(change.split(",")[5]) - 3]
    assert made["unnamed"][1] == 0 and made["unnamed"][2].steps == []
    scored = score.score(folder, tmp_path)["history"]
    assert scored["levels"]["effects"]["10"]["found_percent"] == 100
    assert scored["levels"]["nights"] == 197 - 40 + 10
    assert "no suspect was measured again" in text.text({"history": scored})
    (folder / "truth.csv").write_text(f"{head}\n{change.replace('s,', 'other,', 1)}\n")
    with pytest.raises(files.Refused, match="no series other in series.csv"):
        score.score(folder, tmp_path)


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("gate.csv", "case_id,round,arm\n", "no column cpu_ns"),
        ("gate.csv", "case_id,round,arm,cpu_ns\nc,0,up,1\n", "gate.csv:2: 'up' is no arm"),
        ("series.csv", "series_id,idx,host,ns_per_op\ns,0,h,-1\n", "series.csv:2: -1 is no time"),
        ("aa.csv.gz", "not compressed", "can't be unpacked"),
        ("readme.txt", "", "no gate.csv, series.csv or recording there"),
    ],
)
def test_data_that_cannot_be_scored_is_refused_in_one_line(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(files.Refused, match=problem) as refused:
        score.score(tmp_path, tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["inf", "nan", "1e999", "-1", "0.5", "", "three"])
def test_a_night_of_others_is_a_number(text):
    with pytest.raises(files.Refused, match="^t: idx '.*' is no (number|night)$"):
        tables.night("t", {"idx": text})


@pytest.mark.parametrize(
    "idx, effect, problem",
    [
        ("inf", "5", "idx 'inf' is no number"),
        ("20", "5", "idx '20' is not in s, which has nights 2 to 19"),
        ("1", "5", "idx '1' is not in s, which has nights 2 to 19"),
        ("9", "nan", "effect_pct 'nan' is no number"),
        ("9", "-100", "effect_pct '-100' leaves no time"),
    ],
)
def test_a_truth_that_cannot_be_is_refused_in_one_line(tmp_path, idx, effect, problem):
    series = "".join(f"s,{i},h,1\n" for i in range(2, 20))
    (tmp_path / "series.csv").write_text("series_id,idx,host,ns_per_op\n" + series)
    (tmp_path / "truth.csv").write_text(
        f"series_id,profile,event,idx,effect_pct,alert\ns,quiet,regression,{idx},{effect},1\n"
    )
    with pytest.raises(files.Refused, match=problem) as refused:
        score.histories(tmp_path / "series.csv", tmp_path / "truth.csv")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("effect", ["-100", "-inf", "x"])
def test_an_effect_of_a_gate_leaves_some_time(tmp_path, effect, monkeypatch):
    monkeypatch.setattr(files, "ask", lambda *_: [{"case_id": "c", "verdict": "same"}])
    (tmp_path / "gate.csv").write_text("case_id,round,arm,cpu_ns\nc,0,base,1\n")
    truth = tmp_path / "gate_truth.csv"
    truth.write_text(f"case_id,profile,effect_pct\nc,quiet,{effect}\n")
    with pytest.raises(files.Refused, match=f"effect_pct '{effect}' "):
        score.gates(tmp_path / "gate.csv", truth, tmp_path)


def test_each_series_is_replayed_once(tmp_path, monkeypatch):
    nights = {"a": 20, "b": 30, "c": 20, "short": 5}
    lines = [f"{name},{i},h,1" for i in range(30) for name, n in nights.items() if i < n]
    (tmp_path / "series.csv").write_text("\n".join(["series_id,idx,host,ns_per_op", *lines]))
    asked = []

    def ask(_, path, *arguments):
        rows = tables.rows_of(path, "series_id", "idx", "host", "ns_per_op")
        asked.append((len(rows), sorted({row["series_id"] for row in rows}), arguments))
        return []

    monkeypatch.setattr(files, "ask", ask)
    assert score.last_answers(tmp_path / "series.csv", nights) == []
    assert asked == [
        (40, ["a", "c"], ("--once", "--first-night", 19, "--window", 20)),
        (30, ["b"], ("--once", "--first-night", 29, "--window", 30)),
    ]


def test_effects_are_told_by_size():
    said = text.text({"gate": {effect: {"same": 1} for effect in ("10", "-5", "2")}})
    assert re.findall("effect (-?[0-9]+) %", said) == ["-5", "2", "10"]


def write_sessions(folder, second_effect, named="c"):
    """A gate of one row whose first session says 10 %, with a second session of its own."""
    folder.mkdir()
    lines = ["case_id,round,arm,rep,cpu_ns,session"]
    for session, effect in ((1, 10.0), (2, second_effect)):
        times = rounds("quiet", effect, f"session {session}")
        lines += [
            f"{named},{r},{arm},{k},{value:.6g},{session}"
            for r, pair in enumerate(times)
            for arm, values in zip(("base", "head"), pair)
            for k, value in enumerate(values)
        ]
    (folder / "gate.csv").write_text("\n".join(lines) + "\n")
    (folder / "gate_truth.csv").write_text(f"case_id,profile,effect_pct\n{named},their own,10\n")


@pytest.mark.parametrize("effect, said", [(10.0, "worse"), (0.0, "inconclusive")])
def test_a_second_session_confirms_or_leaves_open(tmp_path, effect, said):
    write_sessions(tmp_path / "theirs", effect)
    scored = score.score(tmp_path / "theirs", tmp_path)
    assert scored["gate"] == {"10": {"worse": 1}}
    assert scored["gate_confirmed"] == {"10": {said: 1}}
    assert scored["second_session"] == "measured"


def test_a_row_that_the_second_session_lacks_is_open(tmp_path):
    write_sessions(tmp_path / "theirs", 10.0)
    path = tmp_path / "theirs" / "gate.csv"
    path.write_text("\n".join(x for x in path.read_text().splitlines() if x[-2:] != ",2") + "\n")
    assert score.score(tmp_path / "theirs", tmp_path)["gate_confirmed"] == {
        "10": {"inconclusive": 1}
    }


def test_other_sessions_are_refused(tmp_path):
    write_sessions(tmp_path / "theirs", 10.0)
    path = tmp_path / "theirs" / "gate.csv"
    path.write_text(path.read_text() + "c,0,base,0,5,3\n")
    with pytest.raises(files.Refused, match="gate.csv:402: session '3' is none of 1, 2"):
        score.score(tmp_path / "theirs", tmp_path)


def test_without_a_kind_that_is_known_nothing_is_measured_again(tmp_path):
    folder = unseen_folder(tmp_path / "theirs", 10.0)
    truth = folder / "gate_truth.csv"
    truth.write_text(truth.read_text().replace("quiet", "their own"))
    scored = score.score(folder, tmp_path)
    assert "gate_confirmed" not in scored
    assert "gate: no row was measured again" in text.text(scored)


def quoted(path):
    """As spreadsheets write it: a mark at the beginning, quotes around all, CR LF."""
    lines = path.read_text().splitlines()
    told = ["".join(f'"{field}",' for field in line.split(","))[:-1] for line in lines]
    path.write_bytes(("\ufeff" + "\r\n".join(told) + "\r\n").encode())


def test_quoted_files_are_scored_as_plain_ones(tmp_path):
    plain = score.score(unseen_folder(tmp_path / "plain", 10.0), tmp_path)
    folder = unseen_folder(tmp_path / "theirs", 10.0)
    for path in folder.iterdir():
        quoted(path)
    assert score.score(folder, tmp_path) == plain


@pytest.mark.parametrize("name", ["gemm, 64 x 64", 'the "fast" path', "50 % of %41", "größer/ä"])
def test_names_may_hold_commas_quotes_and_percents(tmp_path, name):
    """The truth names them as the file does."""
    write_sessions(tmp_path / "theirs", 10.0, named='"{}"'.format(name.replace('"', '""')))
    scored = score.score(tmp_path / "theirs", tmp_path)
    assert scored["gate"] == {"10": {"worse": 1}}
    assert scored["gate_confirmed"] == {"10": {"worse": 1}}


HEAD = "case_id,round,arm,cpu_ns\n"


@pytest.mark.parametrize(
    "text_, problem",
    [
        (HEAD + '"c",0,base,1\n"c",0,up,1\n', r"gate.csv:3: 'up' is no arm"),
        (HEAD + '"c",0,base\n', r"gate.csv:2: 3 fields, expected 4"),
        (HEAD + '"c",0,base,1,5\n', r"gate.csv:2: 5 fields, expected 4"),
        (HEAD + '"c,0,base,1\n', r"gate.csv:2: unexpected end of data"),
        (HEAD + '"c"d,0,base,1\n', r"gate.csv:2: ',' expected after '\"'"),
        (HEAD + '"c\nd",0,base,1\n', r"gate.csv:3: a line break within a field"),
        ('"case_id","round","arm"\n', r"gate.csv:1: no column cpu_ns"),
        ('"case_id","round","arm","cpu_ns"\n', r"gate.csv: has columns, but no rows"),
        ('""', r"gate.csv:1: no column"),
    ],
)
def test_quoted_data_that_cannot_be_scored_is_refused_in_one_line(tmp_path, text_, problem):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "gate.csv").write_text(text_)
    with pytest.raises(files.Refused, match=problem) as refused:
        score.score(folder, tmp_path)
    assert "\n" not in str(refused.value) and "plain-" not in str(refused.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "gate.csv").write_bytes(HEAD.encode() + b"\xff\n")
    with pytest.raises(files.Refused, match="gate.csv: is no UTF-8 at byte 25"):
        score.score(tmp_path, tmp_path)
    (tmp_path / "gate.csv").write_text(HEAD + "c,0,base,1\nc,0,head,1\n")
    (tmp_path / "gate_truth.csv").write_bytes(b"case_id,effect_pct\n\xff,1\n")
    with pytest.raises(files.Refused, match="gate_truth.csv: is no UTF-8"):
        score.score(tmp_path, tmp_path)


def test_kinds_of_machines_and_delays_are_told(tmp_path):
    folder = unseen_folder(tmp_path / "theirs", 10.0)
    files.write_gate(
        folder / "gate.csv",
        {"c": rounds("quiet", 10.0, "unseen"), "d": rounds("lab", 0.0, "unseen")},
    )
    (folder / "gate_truth.csv").write_text("case_id,profile,effect_pct\nc,quiet,10\nd,lab,0\n")
    scored = score.score(folder, tmp_path)
    assert scored["gate_profiles"] == {"quiet": {"10": {"worse": 1}}, "lab": {"0": {"same": 1}}}
    told = text.text(scored)
    assert "gate on quiet: found at 10 %: 100.0 % [2.5, 100.0]" in told
    assert "gate on lab: false 0.0 % [0.0, 97.5], inconclusive 0.0 % [0.0, 97.5]" in told
    delay = scored["history"]["suspects"]["effects"]["10"]["median_delay_nights"]
    assert f"found at 10 %: 100.0 % [2.5, 100.0] after {delay:g} nights" in told


def test_histories_of_several_kinds_are_told_by_kind():
    one = {
        "false": 1,
        "nights": 100,
        "false_per_100": 1.0,
        "interval": {"low": 0.1, "high": 5.0, "at_most": 4.0},
        "effects": {},
    }
    told = text.text(
        {"history": {"suspects": one, "by_profile": {"suspects": {"a": one, "": one}}}}
    )
    assert "history, suspects on a: 1.00 [0.10, 5.00] false per 100 nights (1 in 100)" in told
    assert "history, suspects on an unnamed kind: 1.00" in told


def test_the_retractions_and_recordings_are_told():
    gone = {"retracted": 1, "alerts": 9, "withdrawn": 2, "levels": 12}
    told = text.text(
        {"history": {"retractions": gone}, "recordings": [{"recording": "r, all", "same": 3}]}
    )
    assert "1 of 9 alerts retracted, 2 of 12 levels withdrawn" in told
    assert "recording r, all: same 3" in told
