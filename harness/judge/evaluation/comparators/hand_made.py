"""Rules that are a threshold and no statistics, as most hand-made gates and alerts are."""


def by_one_run(times):
    """More than 5 % between one run of each (most hand-made gates)."""
    ratio = times[0, 1].mean() / times[0, 0].mean()
    return "worse" if ratio > 1.05 else "better" if ratio < 1 / 1.05 else "same"


def each_night(is_told):
    """A rule that looks at the newest night alone, as one that is replayed."""

    def nightly(values):
        for night in range(len(values)):
            yield night, [night] if is_told(values, night) else []

    return nightly


def is_above_previous(values, night):
    """10 % above the night before (github-action-benchmark at 110 %)."""
    return night >= 1 and values[night] > 1.1 * values[night - 1]


def is_beyond_three_sd(values, night):
    """Beyond three standard deviations from the mean of the 30 nights before."""
    if night < 30:
        return False
    before = values[night - 30 : night]
    return abs(values[night] - before.mean()) > 3 * before.std(ddof=1)
