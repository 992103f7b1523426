"""How often the rule is wrong of rows whose change lies exactly at the margin, by the correlation
of neighbouring rounds: what its intervals promise holds for independent normal rounds only."""

import numpy as np

from . import files, gate_score, noise

CORRELATIONS = (0.0, 0.2, 0.4, 0.6)
WORTH, SD = 0.01, 0.03  # gate.h; of a round, too noisy for a row to be called the same before
ROUNDS = 20


def drawn(key, count, correlation):
    """[count gates, rounds]: ln(head / base) at the margin; an autoregression of order one."""
    rng = noise.generator("margin", key, correlation)
    steps = rng.standard_normal((count, ROUNDS))
    for i in range(1, ROUNDS):
        steps[:, i] *= np.sqrt(1 - correlation**2)
        steps[:, i] += correlation * steps[:, i - 1]
    return np.log1p(WORTH) + SD * steps


def line(folder, seeds, gates, correlation):
    """Of `gates` gates for each seed: how many were called worse in one session."""
    wrong = 0
    for seed in seeds:
        logs = drawn(seed, gates, correlation)
        times = 1e6 * np.exp(np.stack([np.zeros_like(logs), logs], axis=2))[..., None]
        path = folder / "margin.csv"
        files.write_gate(path, {str(i): one for i, one in enumerate(times)})
        wrong += sum(row["verdict"] == "worse" for row in files.ask("gate", path))
    return {"correlation": correlation, "wrong": gate_score.share(wrong, len(seeds) * gates)}


def score(folder, seeds, gates):
    return [line(folder, seeds, gates, correlation) for correlation in CORRELATIONS]
