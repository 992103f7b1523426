"""Rows of the table of targets: met, missed, or met by the estimate alone."""

from .. import binomial


def row(what, wanted, measured, met):
    """`met`: True, False, or a text why nothing can be said."""
    said = {True: "met", False: "**missed**"}.get(met, met)
    return [what, wanted, measured, said]


def shown(met, met_surely):
    """Missed by the estimate, met where the bound of its interval is on the good side as well."""
    if not met:
        return False
    return True if met_surely else "met by the estimate, not shown by so few"


def rarely(hits, count, most):
    """Of something that shall happen in a share of `most` at most."""
    return shown(hits <= most * count, binomial.at_most(hits, count) <= most)


def mostly(hits, count, least):
    """Of something that shall happen in a share of `least` at least."""
    return shown(hits >= least * count, binomial.at_least(hits, count) >= least)


def bounded(hits, count):
    """`0.0 % (0 of 440; at most 0.68 %)`, with the one-sided 95 % bound."""
    most = 100 * binomial.at_most(hits, count)
    share = 100 * hits / count if count else 0
    return f"{share:.1f} % ({hits} of {count}; at most {most:.2g} %)"


def found_text(hits, count):
    """`79.7 % (at least 77.2 %)`, with the one-sided 95 % bound."""
    return f"{100 * hits / count:.1f} % (at least {100 * binomial.at_least(hits, count):.1f} %)"


def all_of(results):
    """Of several: missed if one is, met if all are, else what keeps one from it."""
    if False in results:
        return False
    return next((result for result in results if result is not True), True)


def by_interval(result):
    """Do all rows ask for the interval? Results of earlier versions keep what was said of them:
    some of their rows compared estimates alone."""
    return result.get("schema") != "nsop.judge/1"
