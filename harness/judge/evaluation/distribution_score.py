"""Synthetic gates of heads that are slower now and then: what their fastest repetition does not
tell. Scored by today's rule, and by the rule that looks at the fastest repetition alone."""

import numpy as np

from . import files, gate_score, noise

ROUNDS, REPETITIONS = 20, 10
UNCHANGED = "unchanged"


def of_repetitions(share, factor):
    """So many repetitions of the head are slower, by chance."""

    def slowed(rng, times):
        slow = rng.random(times[:, 1].shape) < share
        return np.where(slow, factor, 1.0)

    return slowed


def of_processes(share, factor):
    def slowed(rng, times):
        return np.where(rng.random((len(times), 1)) < share, factor, 1.0)

    return slowed


def of_the_first(count, factor):
    """The first repetitions of each process, after its warm-up."""

    def slowed(_, times):
        return np.where(np.arange(times.shape[2]) < count, factor, 1.0)

    return slowed


HEADS = {
    UNCHANGED: of_repetitions(0, 1),
    "70 % of the repetitions 20 % slower": of_repetitions(0.7, 1.2),
    "half of the repetitions twice as slow": of_repetitions(0.5, 2),
    "one repetition in ten five times as slow": of_repetitions(0.1, 5),
    "the first repetition of a process twice as slow": of_the_first(1, 2),
    "half of the processes 20 % slower": of_processes(0.5, 1.2),
}
ONE_OF_TWO = "one of two threads 10 % slower"
DELAYED = "unchanged, half of all first operations delayed"
# Of the first operation of a process: how many of both arms' are delayed, how much slower the
# head's is.
FIRSTS = {
    "the first operation of a process twice as slow": (0, 2),
    DELAYED: (0.5, 1),
    "the first operation five times as slow, half of all delayed": (0.5, 5),
}
NULLS = (UNCHANGED, DELAYED)
FIRST_SD, DELAY = 0.3, 20  # of ln(time) between processes; how much longer a delayed one takes


def of_two_threads(rng, times, factor):
    """An operation takes as long as the slower of two threads, whose times differ with an SD of a
    thousandth; the head's second one is slower by the factor, too."""
    other = times * np.exp(0.001 * rng.standard_normal(times.shape))
    other[:, 1] *= factor
    return np.maximum(times, other)


def drawn(name, head, session):
    """[rounds, 2 arms, repetitions] CPU ns of one row; a second session is another day."""
    rng = noise.generator("distribution", name, head, session)
    profile = noise.PROFILES[name.split("/")[1]]
    times = noise.gate_rounds(rng, profile, 0.0, ROUNDS, REPETITIONS)
    if head == ONE_OF_TWO:
        return of_two_threads(rng, times, 1.1)
    if head in FIRSTS:
        return times
    times[:, 1] *= HEADS[head](rng, times)
    return times


def drawn_firsts(name, head, session, times):
    """[rounds, 2 arms] ns of the first operation of each process of drawn(), `times`."""
    rng = noise.generator("firsts", name, head, session)
    share, factor = FIRSTS[head]
    shape = times.shape[:2]
    firsts = times.min(axis=2) * np.exp(FIRST_SD * rng.standard_normal(shape))
    firsts *= np.where(rng.random(shape) < share, DELAY, 1)
    return firsts * [1, factor]


def answers(folder, cases, firsts, *arguments):
    path = folder / "distribution.csv"
    files.write_gate(path, cases, firsts=firsts)
    return {row["case_id"]: row for row in files.ask("gate", path, *arguments)}


def by_kind(names, hits):
    """The share of the rows of each kind of machine that are among `hits`."""
    kinds = dict.fromkeys(name.split("/")[1] for name in names)
    of = {kind: [name for name in names if name.split("/")[1] == kind] for kind in kinds}
    return {k: gate_score.share(len(hits & set(rows)), len(rows)) for k, rows in of.items()}


def line(folder, names, head):
    """What gates said of the rows of one head; "confirmed" is what gate_score.stands() asks."""

    def session(number, of, *arguments):
        times = {name: drawn(name, head, number) for name in of}
        firsts = {n: drawn_firsts(n, head, number, times[n]) for n in of} if head in FIRSTS else {}
        return answers(folder, times, firsts, *arguments)

    def verdicts(said):
        return {name: answer["verdict"] for name, answer in said.items()}

    first = session(1, names)
    said = verdicts(first)
    found = [name for name in names if said[name] in ("worse", "better")]
    second = session(2, found, "--confirm") if found else {}
    confirmed = {
        name
        for name in found
        if said[name] == "worse" and gate_score.stands(first[name], second[name])
    }
    fastest = verdicts(session(1, names, "--fastest"))

    def alone(one, other):
        """Rows that one rule leaves open and the other doesn't."""
        return sum(one[n] == "inconclusive" != other[n] for n in names)

    def share(answers, *wanted):
        return gate_score.share(sum(v in wanted for v in answers.values()), len(names))

    def of_kinds(verdict):
        return by_kind(names, {name for name in names if said[name] == verdict})

    return {
        "head": head,
        "same": share(said, "same"),
        "inconclusive": share(said, "inconclusive"),
        "found": share(said, "worse"),
        "better": share(said, "better"),
        "confirmed": gate_score.share(len(confirmed), len(names)),
        "same_by_fastest": share(fastest, "same"),
        "inconclusive_by_fastest": share(fastest, "inconclusive"),
        "open_today_alone": alone(said, fastest),
        "open_by_fastest_alone": alone(fastest, said),
        "same_by_profile": of_kinds("same"),
        "found_by_profile": of_kinds("worse"),
        "confirmed_by_profile": by_kind(names, confirmed),
    }


def names_of(seeds, copies):
    """The rows that are drawn, of all kinds of machines: `seed/profile/-/copy`, so that those of a
    seed and a kind are of one gate (files.gates_of)."""
    return [
        f"{seed}/{profile}/-/{copy}"
        for seed in seeds
        for profile in noise.PROFILES
        for copy in range(copies)
    ]


def score(folder, seeds, copies):
    """A line per kind of head, over all kinds of machines."""
    names = names_of(seeds, copies)
    return [line(folder, names, head) for head in (*HEADS, ONE_OF_TWO, *FIRSTS)]
