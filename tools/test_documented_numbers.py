"""docs/statistics.md has the numbers of the code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = " ".join((ROOT / "docs/statistics.md").read_text().split())
WORDS = dict(zip("two three four five six seven eight nine ten".split(), range(2, 11)))
WORDS["sixteen"] = 16
WORDS.update(
    {"twelve": 12, "dozen": 12, "twenty": 20, "quarter": 25, "tenth": 10, "fifth": 20, "hour": 3600}
)

# What the text says, where the code says it, and what the code's number is multiplied by.
NUMBERS = [
    (r"(\w+) values on a fifth is cut off", "stats/gate/look.cpp", r"kManyValues = (\d+)", 1),
    (r"beyond (\d+) % it makes a row", "stats/gate/gate.h", r"excess_worth = ([\d.]+)", 100),
    (r"needs all of it within (\d+) %", "stats/gate/gate.h", r"excess_same = ([\d.]+)", 100),
    (
        r"beyond (\d+) % worse or better by itself",
        "stats/gate/gate.h",
        r"first_worth = (.*?),",
        100,
    ),
    (r"within (\d+) % for `same`", "stats/gate/gate.h", r"first_same = ([\d.]+)", 100),
    (r"`same` therefore needs (\d+) rounds", "stats/gate/gate.h", r"same_rounds = (\d+)", 1),
    (r"(\w+) standard deviations of most", "stats/gate/look.cpp", r"kFarSd = (\d+)", 1),
    (r"gives at least one in (\w+)\.", "stats/gate/look.cpp", r"kLopsided = 1.0 / (\d+)", 1),
    (
        r"not interrupted, at least (\w+)\)",
        "stats/base/repetitions.h",
        r"kFewestRepetitions = (\d+)",
        1,
    ),
    (
        r"looked at after (\d+), 10 and 20 rounds",
        "stats/gate/gate.h",
        r"looks = {{(\d+), 0.002}",
        1,
    ),
    (
        r"looked at after 6, (\d+) and 20 rounds",
        "stats/gate/gate.h",
        r"looks = .*{(\d+), 0.004}",
        1,
    ),
    (r"looked at after 6, 10 and (\d+) rounds", "stats/gate/gate.h", r"looks = .*{(\d+), 0.01}", 1),
    (r"lies beyond ([\d.]+) %, `same`", "stats/gate/gate.h", r"worth = ([\d.]+)", 100),
    (r"`same` when it lies within ([\d.]+) %", "stats/gate/gate.h", r"same = ([\d.]+)", 100),
    (r"discovery rate of (\d+) %", "judge/gate/session.h", r"discovery_rate = ([\d.]+)", 100),
    (r"takes (\w+) times the alpha of each", "stats/gate/gate.h", r"confirming = (\d+)", 1),
    (r"Each session has (\w+) orders of each", "judge/gate/session.h", r"kLinkOrders = (\d+)", 1),
    (r"each control (\w+) times with one", "judge/gate/probe.cpp", r"kInvocations = (\d+)", 1),
    (r"differ by an SD above (\d+) %", "judge/gate/probe.cpp", r"kMostSd = ([\d.]+)", 100),
    (
        r"fewer than a (\w+) of the repetitions un",
        "judge/gate/probe.cpp",
        r"kLeastClean = (.*);",
        100,
    ),
    (r"Reports and stored runs use (\d+),", "stats/comparison.h", r"floor_core = ([\d.]+)", 100),
    (r"use 3, (\d+) or", "stats/comparison.h", r"floor_cache = ([\d.]+)", 100),
    (r"3, 6 or (\d+) %", "stats/comparison.h", r"floor_dram = ([\d.]+)", 100),
    (r"(\d+) and more flops per byte", "stats/policy.cpp", r"kCoreFlopsPerByte = (\d+)", 1),
    (r"this kind of host: ([\d.]+) % on", "stats/policy.cpp", r"kQuietTau = ([\d.]+)", 100),
    (r"(\d+) % under a hypervisor", "stats/policy.cpp", r"kNoisyTau = ([\d.]+)", 100),
    (r"and at least ([\d.]+) %. The med", "stats/between_runs.cpp", r"kLeastTau = (.*);", 100),
    (r"at least an (\w+) apart", "stats/between_runs.cpp", r"kApartSeconds = (\d+)", 1),
    (r"at least (\w+) runs; `tau`", "stats/between_runs.h", r"kFewestRunsForTau = (\d+)", 1),
    (r"with ([\d.]+) degrees of freedom per", "stats/between_runs.h", r"DfPerStep = ([\d.]+)", 1),
    (r"lost more than (\d+) % of its time", "stats/doubts.cpp", r"kMostLost = ([\d.]+)", 100),
    (r"CPU time above ([\d.]+) of the thr", "stats/doubts.cpp", r"OverThread = ([\d.]+)", 1),
    (r"and more than (\d+) us\)", "stats/doubts.cpp", r"kClockSlackNs = (\d+)", 1e-3),
    (r"and its size (\d+) %", "stats/history/change_points.h", r"least = ([\d.]+)", 100),
    (r"must last (\d+) nights: mach", "stats/history/change_points.h", r"hold = (\d+)", 1),
    (r"Fewer than (\w+) nights say", "stats/history/change_points.h", r"fewest = (\d+)", 1),
    (
        r"median of its nights, at least (\w+)",
        "stats/history/change_points.h",
        r"shortest = (\d+)",
        1,
    ),
    (r"\+/- ([\d.]+) errors", "stats/history/change_points.h", r"z = ([\d.]+)", 1),
    (
        r"before a segment has (\w+)\.",
        "stats/history/change_points.cpp",
        r"FewestOfASegment = (\d+)",
        1,
    ),
    (r"median of the (\w+) before\)", "stats/history/change_points.cpp", r"kLevel = (\d+)", 1),
    (
        r"stands out \((\d+) stand",
        "stats/history/change_points.cpp",
        r"change\) <= (\d+) \* noise",
        1,
    ),
    (r"deviations and (\d+) % from", "stats/history/change_points.cpp", r"log1p\(([\d.]+)\)", 100),
    (
        r"at least ([\d.]+) % \| steps",
        "stats/history/change_points.cpp",
        r"kSmallestNoise = (.*);",
        100,
    ),
    (
        r"the (\d+) % quantile of the d",
        "stats/history/change_points.cpp",
        r"steps\), ([\d.]+)\)",
        100,
    ),
    (r"that says ([\d.]+) times as", "stats/history/change_points.cpp", r"wide > ([\d.]+) \* s", 1),
    (r"\| (\d+) `s`² ln", "stats/history/change_points.cpp", r"penalty_ = (\d+) \* s \* s", 1),
    (r"grid \| ([\d.]+) `s` apart", "stats/history/change_points.cpp", r"kStep = ([\d.]+)", 1),
    (r"at most (\d+) levels", "stats/history/change_points.cpp", r"kMost = (\d+)", 1),
    (r"up to (\d+) `s` from", "stats/history/change_points.cpp", r"kReach = (\d+)", 1),
    (r"at least ([\d.]+) `s` \|", "stats/history/change_points.cpp", r", ([\d.]+) \* s}\)", 1),
    (
        r"or ([\d.]+) of what the 80",
        "stats/history/change_points.cpp",
        r"\}?([\d.]+) \* quantile\(s",
        1,
    ),
    (r"residuals, 0 to ([\d.]+)", "stats/history/change_points.cpp", r"0\.0, ([\d.]+)\) : 0", 1),
    (
        r"within (\d+) % of the step",
        "stats/history/change_points.cpp",
        r"kAlike = ([\d.]+)",
        100,
    ),
    (
        r"beats by its whole interval and (\d+) % more",
        "report/base/data/limits.cpp",
        r"kMostShare = 1([\d.]+)",
        100,
    ),
    (
        r"the one within (\d+) percentage points",
        "report/base/data/limits.cpp",
        r"kFittingShare = ([\d.]+)",
        100,
    ),
    (r"clears 1 % by (\d+) errors", "stats/history/change_points.h", r"z_of_one = (\d+)", 1),
    (r"in a row if by ([\d.]+),", "stats/history/change_points.h", r"z_of_two = ([\d.]+)", 1),
    (r"direction and within (\d+) nights", "stats/history/change_points.h", r"near = (\d+)", 1),
    (r"at most (\d+) nights old", "stats/history/change_points.h", r"oldest = (\d+)", 1),
    (r"shown when it is (\d+) nights old", "stats/history/change_points.h", r"oldest = (\d+)", 1),
    (r"in the newest (\d+) nights, `", "judge/nightly/suspects.h", r"window = (\d+)", 1),
    (r"neighbouring nights of (\d+) days", "judge/nightly/suspects.h", r"creep_days = (\d+)", 1),
    (r"of (\w+) nights before the change", "judge/nightly/suspects.cpp", r"kSlack = (\d+)", 1),
    (r"suspect again after (\w+) more", "judge/nightly/suspects.cpp", r"bad <= (\d+);", 1),
    (r"The median of the last (\w+) nights", "stats/history/creep.h", r"window = (\d+)", 1),
    (r"days; (\d+) % or more is a suspect", "stats/history/creep.h", r"least = ([\d.]+)", 100),
    (
        r"larger steps: (\d+) % of the mean, 25 %",
        "stats/history/change_points.h",
        r"kExcessChanges{.least = ([\d.]+)}",
        100,
    ),
    (
        r"larger steps: 5 % of the mean, (\d+) % of",
        "stats/history/change_points.h",
        r"kFirstChanges{.least = ([\d.]+)}",
        100,
    ),
    (r"night, (\w+) times in all", "judge/nightly/follow_up.h", r"kMostAttempts = (\d+)", 1),
    (r"change for (\w+) nights \(", "judge/nightly/revisit.h", r"kNightsBack = (\d+)", 1),
    (r"one of its rows for (\d+) days", "judge/nightly/revisit.h", r"kDaysSilent = (\d+)", 1),
    (r"closed when (\d+) nights or", "judge/nightly/revisit.h", r"kNightsUnseen = (\d+)", 1),
]


def value(text):
    return WORDS[text] if text in WORDS else float(text)


@pytest.mark.parametrize("said, file, code, times", NUMBERS, ids=[n[0] for n in NUMBERS])
def test_a_number_of_the_text_is_that_of_the_code(said, file, code, times):
    in_text = re.findall(said, TEXT)
    assert len(set(in_text)) == 1, f"{said}: {in_text}"
    in_code = re.search(code, (ROOT / "harness" / file).read_text())
    assert in_code, f"{file}: {code}"
    assert value(in_text[0]) == pytest.approx(times * float(in_code.group(1)))


def test_what_looks_spend_in_one_direction_is_half_the_sum_of_their_alphas():
    header = (ROOT / "harness/stats/gate/gate.h").read_text()
    looks, further = (
        sum(map(float, re.findall(r"\d, ([\d.]+)}", line)))
        for line in re.findall(r"std::vector<Look> \w+ = (.*);", header)
    )
    spent = re.search(r"looks spend, ([\d.]+) % for the first three and ([\d.]+) % for all", TEXT)
    assert float(spent.group(1)) == pytest.approx(50 * looks)
    assert float(spent.group(2)) == pytest.approx(50 * (looks + further))
    one_side = re.search(r"at most ([\d.]+) % for one session over the first three looks", TEXT)
    assert float(one_side.group(1)) == pytest.approx(50 * looks)
