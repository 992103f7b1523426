#!/usr/bin/env python3
"""Simulates many nodes that measure a project's commits: how long from a commit to its alert?

usage: tools/fleet.py [--nodes N[,N...]] [--at-once N[,N...]] [--rows N] [--days N] [--seed N]

Prints a Markdown table, one line per number of nodes and of passes at once. Nothing here is
measured; the constants of Fleet say where they come from. All nodes are of one kind. docs/scale.md
says what the model leaves out.
"""

import argparse
import heapq
import math
import random
from dataclasses import dataclass, field, replace

DAY = 86_400.0


@dataclass(frozen=True)
class Fleet:
    """Times in seconds, shares from 0 to 1."""

    nodes: int = 1000
    rows: int = 100_000
    commit_every: float = 60.0  # on average; a Poisson process
    row_takes: float = 1.67  # both builds of a row: two minutes for 72 rows, a gate's budget
    build_takes: float = 120.0  # of a commit, on every node at once, with a compiler cache
    task_takes: float = 1.5  # what Slurm needs for each shard beside its measuring
    most_per_shard: float = 300.0  # shards of five minutes
    at_once: int = 1  # passes, each on its share of the nodes
    searching: float = 0.05  # of the nodes, kept for confirming and searching
    rows_of_search: int = 20  # of those that a commit made slower, so many are followed
    slower_commits: float = 0.01  # of all commits
    power: float = 0.99  # of one pass for a slow-down of 5 %
    node_dies_every: float = 30 * DAY  # on average, each
    bytes_per_invocation: float = 288.0  # in the database, as its kept runs take
    invocations_per_row: int = 11
    # Share of the rows whose code a commit changes: what, how often.
    touches: tuple = ((0.001, 0.80), (0.01, 0.19), (1.0, 0.01))

    @property
    def measuring(self):
        """Nodes that measure one pass."""
        return max(1, (self.nodes - self.searchers) // self.at_once)

    @property
    def searchers(self):
        return max(1, round(self.nodes * self.searching))


@dataclass(order=True)
class Commit:
    at: float
    touched: float = field(compare=False)
    is_slower: bool = field(compare=False)


@dataclass
class Outcome:
    delays: list = field(default_factory=list)  # seconds, of the alerts
    slower: int = 0  # commits that should have had an alert
    commits: int = 0
    passes: int = 0
    rows: int = 0  # measured in passes
    busy: float = 0.0  # node-seconds of passes and searches
    deaths: int = 0
    longest_queue: int = 0  # of alerts that waited for nodes to search


def commits_of(fleet, days, random_numbers):
    """Those of so many days, in their order."""
    commits, now = [], 0.0
    shares, weights = zip(*fleet.touches)
    while True:
        now += random_numbers.expovariate(1 / fleet.commit_every)
        if now >= days * DAY:
            return commits
        touched = random_numbers.choices(shares, weights)[0]
        commits.append(Commit(now, touched, random_numbers.random() < fleet.slower_commits))


def pass_takes(fleet, rows, random_numbers, outcome):
    """Seconds of measuring so many rows, and what nodes that die in it cost."""
    shards = max(1, math.ceil(rows * fleet.row_takes / fleet.most_per_shard))
    if shards < fleet.measuring:
        shards = min(rows, fleet.measuring)
    each = rows * fleet.row_takes / shards + fleet.task_takes
    waves = math.ceil(shards / fleet.measuring)
    takes = waves * each
    expected = fleet.measuring * takes / fleet.node_dies_every
    deaths = _poisson(expected, random_numbers)
    outcome.deaths += deaths
    outcome.busy += shards * each + deaths * each
    return fleet.build_takes + takes + (each * math.ceil(deaths / fleet.measuring) if deaths else 0)


def _poisson(mean, random_numbers):
    """Knuth's method (The Art of Computer Programming, 3.4.1), in pieces of which each is small."""
    count = 0
    while mean > 0:
        piece, product = min(mean, 20.0), random_numbers.random()
        least = math.exp(-piece)
        while product > least:
            count += 1
            product *= random_numbers.random()
        mean -= piece
    return count


def search_takes(fleet, commits):
    """Confirming, then halving so many commits; each step builds one and measures a few rows."""
    measured = fleet.rows_of_search * fleet.row_takes
    steps = math.ceil(math.log2(commits)) if commits > 1 else 0
    return measured + steps * (fleet.build_takes + measured)


def simulate(fleet, days=7, seed=1):
    """Whenever nodes for a pass are free, it takes the newest commit and compares it with the one
    that the pass before took, in the rows whose code differs. What is slower is confirmed and
    searched on other nodes, first come, first served. A slow-down that a pass misses is found by
    the pass over all rows that each day begins with."""
    random_numbers = random.Random(seed)
    commits = commits_of(fleet, days, random_numbers)
    outcome = Outcome(commits=len(commits), slower=sum(one.is_slower for one in commits))
    found, missed = [], []  # found: (when, commit, commits among which it is)
    lanes = [0.0] * fleet.at_once  # when the nodes of each are free
    first, next_whole = 0, DAY
    while first < len(commits):
        now = max(heapq.heappop(lanes), commits[first].at)
        last = first
        while last < len(commits) and commits[last].at <= now:
            last += 1
        new = commits[first:last]
        is_whole = now >= next_whole
        share = 1.0 if is_whole else 1 - math.prod(1 - one.touched for one in new)
        rows = max(1, round(fleet.rows * share))
        now += pass_takes(fleet, rows, random_numbers, outcome)
        heapq.heappush(lanes, now)
        outcome.passes += 1
        outcome.rows += rows
        if is_whole:
            next_whole += DAY
            found += [(now, one, round(DAY / fleet.commit_every)) for one in missed]
            missed = []
        for one in new:
            if one.is_slower and random_numbers.random() < fleet.power:
                found.append((now, one, len(new)))
            elif one.is_slower:
                missed.append(one)
        first = last
    free = [0.0] * fleet.searchers
    ends = []
    for when, commit, among in sorted(found, key=lambda one: one[0]):
        takes = search_takes(fleet, among)
        begins = max(when, heapq.heappop(free))
        heapq.heappush(free, begins + takes)
        ends = [end for end in ends if end > when] + [begins + takes]
        outcome.longest_queue = max(outcome.longest_queue, len(ends) - fleet.searchers)
        outcome.busy += takes
        outcome.delays.append(begins + takes - commit.at)
    return outcome


def quantile(values, share):
    """Of the sorted values; NaN without any."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def duration(seconds):
    if math.isnan(seconds):
        return "-"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def line_of(fleet, days, outcome):
    share = outcome.passes / outcome.commits
    stored = outcome.rows * fleet.invocations_per_row * fleet.bytes_per_invocation / days
    cells = [
        f"{fleet.nodes:,}",
        f"{fleet.at_once}",
        f"{outcome.passes / days:.0f}",
        f"{100 * min(1, share):.1f} %",
        f"{outcome.rows / outcome.passes:,.0f}",
        duration(quantile(outcome.delays, 0.5)),
        duration(quantile(outcome.delays, 0.95)),
        f"{len(outcome.delays)} of {outcome.slower}",
        f"{max(0, outcome.longest_queue)}",
        f"{100 * outcome.busy / (fleet.nodes * days * DAY):.0f} %",
        f"{stored / 1e9:.1f} GB",
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| Nodes | Passes at once | Passes a day | Commits measured | Rows of a pass | Delay, median "
    "| 95 % | Alerts | Searches that waited | Nodes busy | Stored a day |\n|" + "---:|" * 11
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", default="10,30,100,300,1000")
    parser.add_argument("--at-once", default="1,8")
    parser.add_argument("--rows", type=int, default=Fleet.rows)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(HEAD)
    for nodes in map(int, options.nodes.split(",")):
        for at_once in map(int, options.at_once.split(",")):
            fleet = replace(Fleet(), nodes=nodes, at_once=at_once, rows=options.rows)
            print(line_of(fleet, options.days, simulate(fleet, options.days, options.seed)))


if __name__ == "__main__":
    main()
