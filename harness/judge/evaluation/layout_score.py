"""What link orders are for: synthetic gates of rows whose time depends on where their code lies."""

import numpy as np

from . import files, gate_score, noise

SD_PERCENT = (0.5, 2.0, 5.0)  # of the offset that a build has in a link order
ORDERS = (1, 10, 20)
EFFECTS = (0.0, 5.0)


def drawn(name, session, orders, sd_percent):
    """Rounds of a row in which every link order gives each build an offset of its own. With one
    order both sessions have the same two programs, else the second has others."""
    _, profile, effect, _ = name.split("/")
    rng = noise.generator("layout", name, session)
    times = noise.gate_rounds(
        rng, noise.PROFILES[profile], float(effect), gate_score.ROUNDS, gate_score.REPETITIONS
    )
    programs = noise.generator("offsets", name, session if orders > 1 else 1)
    offsets = sd_percent / 100 * programs.standard_normal((orders, 2))
    order = [files.layout_of(r, orders) for r in range(gate_score.ROUNDS)]
    return times * np.exp(offsets[order])[:, :, None]


def verdicts(folder, names, session, orders, sd_percent):
    cases = {name: (None, None, drawn(name, session, orders, sd_percent)) for name in names}
    confirms = session == 2 and orders > 1  # sessions that share their programs err together
    answers = gate_score.verdicts_of(folder, cases, orders if orders > 1 else 0, confirms)
    return {name: answer["verdict"] for name, answer in answers.items()}


def percent(names, chosen):
    return 100 * sum(map(chosen, names)) / len(names)


def line(folder, names, orders, sd_percent):
    """What one session and both say of the nulls and of the rows that are slower."""
    first = verdicts(folder, names, 1, orders, sd_percent)
    flagged = [name for name in names if first[name] in ("worse", "better")]
    second = verdicts(folder, flagged, 2, orders, sd_percent) if flagged else {}
    nulls = [name for name in names if name.split("/")[2] == "0"]
    slower = [name for name in names if name not in nulls]
    return {
        "sd_percent": sd_percent,
        "orders": orders,
        "nulls": len(nulls),
        "slower": len(slower),
        "false_percent": percent(nulls, lambda n: n in second),
        "confirmed_percent": percent(nulls, lambda n: second.get(n) == first[n]),
        "open_percent": percent(nulls, lambda n: first[n] == "inconclusive"),
        "found_percent": percent(slower, lambda n: first[n] == "worse"),
    }


def score(folder, seeds, copies):
    names = [
        f"{seed}/{profile}/{effect:g}/{copy}"
        for seed in seeds
        for profile in noise.PROFILES
        for effect in EFFECTS
        for copy in range(copies)
    ]
    return [line(folder, names, orders, sd) for sd in SD_PERCENT for orders in ORDERS]
