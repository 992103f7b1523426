"""SciPy is the oracle of our statistics: the C++ answers of stats_probe against it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats
from scipy.stats import mstats

EXAMPLES = settings(max_examples=200, deadline=None, derandomize=True)
PROBABILITIES = st.floats(1e-9, 1 - 1e-9)
TIMES = st.floats(1.0, 1e9)


def lists(fewest=2, most=60, elements=TIMES):
    return st.lists(elements, min_size=fewest, max_size=most)


def t_interval(mean, half):
    return math.exp(mean - half), math.exp(mean + half)


# ---- distributions


@EXAMPLES
@given(k=st.integers(0, 60), n=st.integers(1, 60), m=st.integers(1, 60))
def test_precedence(ask, k, n, m):
    """Drawing the k smallest without replacement from n + m, all of them of the n."""
    expected = stats.hypergeom.pmf(k, n + m, n, k) if k <= n else 0
    assert ask("precedence", k=k, n=n, m=m) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@EXAMPLES
@given(x=st.floats(-37, 37))
def test_normal_cdf(ask, x):
    assert ask("normal_cdf", x=x) == pytest.approx(stats.norm.cdf(x), rel=1e-12, abs=1e-300)


@EXAMPLES
@given(p=PROBABILITIES)
def test_normal_quantile(ask, p):
    assert ask("normal_quantile", p=p) == pytest.approx(stats.norm.ppf(p), rel=1e-9, abs=1e-12)


@EXAMPLES
@given(p=PROBABILITIES, df=st.one_of(st.integers(1, 200), st.floats(0.5, 1e4)))
def test_t_quantile(ask, p, df):
    ours = ask("t_quantile", p=p, df=df)
    assert ours == pytest.approx(stats.t.ppf(p, df), rel=1e-8, abs=1e-9)
    assert stats.t.cdf(ours, df) == pytest.approx(p, rel=1e-9)


@EXAMPLES
@given(x=st.floats(-1e4, 1e4), df=st.floats(0.5, 1e4))
def test_t_cdf(ask, x, df):
    assert ask("t_cdf", x=x, df=df) == pytest.approx(stats.t.cdf(x, df), rel=1e-9, abs=1e-250)


@pytest.mark.parametrize("df", [1, 2, 5, 9, 19, 39, 100])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.975, 0.99, 0.995, 0.999, 0.9999])
def test_t_quantiles_that_verdicts_use(ask, p, df):
    """Against the inverse of the incomplete beta function: SciPy's t.ppf is good to 1e-9 only."""
    x = special.betaincinv(df / 2, 0.5, 2 * (1 - p))
    expected = math.sqrt(df * (1 - x) / x)
    assert ask("t_quantile", p=p, df=df) == pytest.approx(expected, rel=1e-11, abs=1e-14)


@EXAMPLES
@given(a=st.floats(0.1, 1e3), b=st.floats(0.1, 1e3), x=st.floats(0, 1))
def test_incomplete_beta(ask, a, b, x):
    expected = special.betainc(a, b, x)
    assert ask("incomplete_beta", a=a, b=b, x=x) == pytest.approx(expected, rel=1e-8, abs=1e-14)


@EXAMPLES
@given(n=st.integers(0, 2000), data=st.data())
def test_fair_binomial_cdf(ask, n, data):
    k = data.draw(st.integers(-1, n + 1))
    expected = stats.binom.cdf(k, n, 0.5)
    assert ask("fair_binomial_cdf", k=k, n=n) == pytest.approx(expected, rel=1e-9, abs=1e-300)


# ---- robust location and spread


@EXAMPLES
@given(values=lists(fewest=1))
def test_median_and_mad(ask, values):
    assert ask("median", values=values) == pytest.approx(np.median(values), rel=1e-14)
    mad = stats.median_abs_deviation(values, scale="normal")
    assert ask("scaled_mad", values=values) == pytest.approx(mad, rel=1e-9, abs=1e-5)


@EXAMPLES
@given(values=lists())
def test_standard_deviation(ask, values):
    expected = np.std(values, ddof=1)
    assert ask("standard_deviation", values=values) == pytest.approx(expected, rel=1e-9, abs=1e-5)


@EXAMPLES
@given(values=lists(), share=st.floats(0, 0.45))
def test_trimmed_mean_and_winsorised_variance(ask, values, share):
    answer = ask("trimmed_mean", values=values, share=share)
    assert answer["mean"] == pytest.approx(stats.trim_mean(values, share), rel=1e-12)
    n, cut = len(values), int(share * len(values))
    winsorised = np.asarray(mstats.winsorize(np.array(values), limits=(cut / n, cut / n)))
    kept = n - 2 * cut
    assert answer["df"] == kept - 1
    if kept > 1:
        se = winsorised.std(ddof=1) * math.sqrt((n - 1) / (kept * (kept - 1)))
        assert answer["se"] == pytest.approx(se, rel=1e-9, abs=1e-5)


@EXAMPLES
@given(values=lists(fewest=6, most=40, elements=st.floats(-5, 5)))
def test_trimmed_mean_against_the_yuen_test(ask, values):
    """SciPy's Yuen test of a sample against its own mirror image: t = 2 mean / sqrt(2 se^2)."""
    mirror = [-v for v in values]
    answer = ask("trimmed_mean", values=values, share=0.1)
    if answer["se"] < 1e-6:
        return
    expected = stats.ttest_ind(values, mirror, equal_var=False, trim=0.1).statistic
    ours = 2 * answer["mean"] / math.sqrt(2 * answer["se"] ** 2)
    assert ours == pytest.approx(expected, rel=1e-6, abs=1e-6)


@EXAMPLES
@given(values=lists(fewest=10, most=40, elements=st.floats(-5, 5)))
def test_trimmed_mean_interval_against_mstats(ask, values):
    """Where n is a multiple of ten SciPy cuts what we cut; it then divides by the nominal
    share kept,
    sqrt(n) (1 - 2 share), where Yuen has sqrt(kept (kept - 1) n / (n - 1))."""
    values = values[: len(values) // 10 * 10]
    n, kept = len(values), len(values) * 8 // 10
    answer = ask("trimmed_mean", values=values, share=0.1)
    low, high = mstats.trimmed_mean_ci(np.array(values), limits=(0.1, 0.1), alpha=0.01)
    half = stats.t.ppf(0.995, answer["df"]) * answer["se"]
    half *= math.sqrt(kept * (kept - 1) / (n - 1)) / (math.sqrt(n) * 0.8)
    assert answer["mean"] - half == pytest.approx(low, rel=1e-9, abs=1e-9)
    assert answer["mean"] + half == pytest.approx(high, rel=1e-9, abs=1e-9)


@EXAMPLES
@given(values=lists(fewest=1, most=120), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999]))
def test_median_interval_is_the_exact_binomial_one(ask, values, confidence):
    n, ordered = len(values), sorted(values)
    fits = [k for k in range(n // 2) if 1 - 2 * stats.binom.cdf(k, n, 0.5) >= confidence]
    answer = ask("median_interval", values=values, confidence=confidence)
    assert answer == ([ordered[fits[-1]], ordered[n - 1 - fits[-1]]] if fits else None)


@pytest.mark.parametrize("n", [6, 9, 20, 51])
def test_median_interval_agrees_with_the_quantile_test(ask, n):
    """SciPy's one-sided quantile intervals at 97.5 % have our ends."""
    values = np.random.default_rng(n).lognormal(size=n)
    low, high = ask("median_interval", values=values.tolist(), confidence=0.95)
    k = int(np.searchsorted(np.sort(values), low))
    below = stats.binomtest(k, n, 0.5, alternative="less").pvalue
    assert below <= 0.025 < stats.binomtest(k + 1, n, 0.5, alternative="less").pvalue
    assert high == np.sort(values)[n - 1 - k]


def test_median_interval_needs_six_values(ask):
    assert ask("median_interval", values=[1, 2, 3, 4, 5], confidence=0.95) is None
    assert ask("median_interval", values=[6, 2, 3, 4, 5, 1], confidence=0.95) == [1, 6]


@pytest.mark.parametrize("n", [4, 6, 9, 20])
def test_median_standard_error_is_never_too_small(ask, n):
    """Against the spread of simulated medians of normal samples. sqrt(pi / 2n) is what large
    samples
    have; the median of a small one varies less (n = 2: by a fifth), so the error is on the
    safe side.
    """
    samples = np.random.default_rng(n).normal(size=(3000, n))
    errors = [ask("median_standard_error", values=s.tolist()) for s in samples]
    assert 0.97 < np.mean(errors) / np.std(np.median(samples, axis=1)) < 1.25


# ---- comparisons


@EXAMPLES
@given(pairs=st.lists(st.tuples(TIMES, TIMES), min_size=6, max_size=40))
def test_paired_interval(ask, pairs):
    before, after = [p[0] for p in pairs], [p[1] for p in pairs]
    logs = np.log(np.array(after)) - np.log(np.array(before))
    n, cut = len(logs), int(0.1 * len(logs))
    kept = n - 2 * cut
    spread = np.asarray(mstats.winsorize(logs, limits=(cut / n, cut / n))).std(ddof=1)
    half = stats.t.ppf(0.995, kept - 1) * spread * math.sqrt((n - 1) / (kept * (kept - 1)))
    answer = ask("compare_paired", before=before, after=after)
    mean = stats.trim_mean(logs, 0.1)
    assert answer["ratio"] == pytest.approx(math.exp(mean), rel=1e-9)
    assert math.log(answer["lo"]) == pytest.approx(mean - half, rel=1e-7, abs=1e-7)
    assert math.log(answer["hi"]) == pytest.approx(mean + half, rel=1e-7, abs=1e-7)


@EXAMPLES
@given(
    before=lists(elements=st.floats(100, 200)),
    after=lists(elements=st.floats(100, 200)),
    tau=st.sampled_from([0.0, 0.005, 0.03]),
    tau_df=st.sampled_from([0, 3.3, 17.7, 300]),
)
def test_unpaired_interval(ask, before, after, tau, tau_df):
    quantile = stats.t.ppf(0.995, tau_df) if tau_df else stats.norm.ppf(0.995)
    half_squared = 2 * (quantile * tau) ** 2
    for values in (before, after):
        se = ask("median_standard_error", values=np.log(values).tolist())
        half_squared += (stats.t.ppf(0.995, len(values) - 1) * se) ** 2
    mean = math.log(np.median(after) / np.median(before))
    low, high = t_interval(mean, math.sqrt(half_squared))
    answer = ask("compare_unpaired", before=before, after=after, tau=tau, tau_df=tau_df)
    assert answer["ratio"] == pytest.approx(math.exp(mean), rel=1e-12)
    assert answer["lo"] == pytest.approx(low, rel=1e-7, abs=1e-300)
    assert answer["hi"] == pytest.approx(high, rel=1e-7)


# ---- the gate


def middle_of(rounds):
    """Mean, standard error and degrees of freedom of the trimmed mean of the clusters' means."""
    means = [np.mean([d for d, c in rounds if c == one]) for one in sorted({c for _, c in rounds})]
    n, share = len(means), 0.2 if len(means) >= 20 else 0.1
    cut = int(share * n)
    kept = n - 2 * cut
    spread = np.asarray(mstats.winsorize(np.array(means), limits=(cut / n, cut / n))).std(ddof=1)
    return (
        stats.trim_mean(means, share),
        spread * math.sqrt((n - 1) / (kept * (kept - 1))),
        kept - 1,
    )


ROUNDS = st.integers(6, 30).flatmap(
    lambda clusters: st.lists(
        st.tuples(st.floats(-0.1, 0.1), st.floats(-0.3, 0.3)),
        min_size=clusters,
        max_size=2 * clusters,
    ).map(lambda values: [(d, i % clusters, e) for i, (d, e) in enumerate(values)])
)
FASTEST, EXCESS = 0, 2  # places in a round


def of_statistic(rounds, place):
    return [(r[place], r[1]) for r in rounds]


def finding(low, high, worth):
    return "worse" if low > math.log1p(worth) else "better" if high < -math.log1p(worth) else None


def lopsided(rounds):
    """Are rounds far from the middle on one side? By the sign test where there are many."""
    values = np.array([r[FASTEST] for r in rounds])
    far = max(math.log(1.04), 3 * stats.median_abs_deviation(values, scale="normal"))
    above, below = int((values > far).sum()), int((values < -far).sum())
    if len(values) < 20 or above == below:
        return above != below
    most = max(above, below)
    return stats.binomtest(most, above + below, alternative="greater").pvalue <= 1 / 16


def expected_verdict(rounds, fastest, excess):
    """The rule of docs/statistics.md, from the logarithms (low, high) of both intervals."""
    found = finding(*fastest, 0.01), finding(*excess, 0.02)
    if None not in found and found[0] != found[1]:
        return "inconclusive"
    if found != (None, None):
        return found[0] or found[1]
    within = all(
        -math.log1p(margin) < low and high < math.log1p(margin)
        for (low, high), margin in ((fastest, 0.02), (excess, 0.10))
    )
    return "same" if within and len(rounds) >= 10 and not lopsided(rounds) else "inconclusive"


@EXAMPLES
@given(rounds=ROUNDS, scale=st.sampled_from([1, 0.1, 0.01]), alpha=st.sampled_from([0.002, 0.01]))
def test_a_look(ask, rounds, scale, alpha):
    rounds = [(d * scale, cluster, e * scale) for d, cluster, e in rounds]
    answer = ask("decide_gate", rounds=rounds, alpha=alpha)
    intervals = []
    for name, place in (("fastest", FASTEST), ("excess", EXCESS)):
        mean, error, df = middle_of(of_statistic(rounds, place))
        half = stats.t.ppf(1 - alpha / 2, df) * error
        middle, low, high = map(math.log, answer[name])
        assert middle == pytest.approx(mean, rel=1e-9, abs=1e-12)
        assert low == pytest.approx(mean - half, rel=1e-7, abs=1e-9)
        assert high == pytest.approx(mean + half, rel=1e-7, abs=1e-9)
        intervals.append((low, high))
    assert answer["verdict"] == expected_verdict(rounds, *intervals)


@EXAMPLES
@given(
    rounds=ROUNDS,
    prior_df=st.floats(0.1, 4),
    prior_variance=st.floats(1e-8, 1e-2),
)
def test_a_moderated_look(ask, rounds, prior_df, prior_variance):
    prior = {"prior_df": prior_df, "prior_variance": prior_variance}
    answer = ask("decide_gate", rounds=rounds, alpha=0.004, **prior)
    values = of_statistic(rounds, FASTEST)
    mean, error, own_df = middle_of(values)
    df = own_df + prior_df
    of_mean = prior_variance / len({cluster for _, cluster in values})
    half = stats.t.ppf(1 - 0.002, df) * math.sqrt((own_df * error**2 + prior_df * of_mean) / df)
    middle, low, high = map(math.log, answer["fastest"])
    assert middle == pytest.approx(mean, rel=1e-9, abs=1e-12)
    assert low == pytest.approx(mean - half, rel=1e-7, abs=1e-9)
    assert high == pytest.approx(mean + half, rel=1e-7, abs=1e-9)


@EXAMPLES
@given(
    rows=st.lists(st.tuples(st.floats(1e-8, 1e-2), st.integers(2, 40)), min_size=10, max_size=60)
)
def test_what_rows_say_of_each_other_s_noise(ask, rows):
    """limma's fitFDist (Smyth 2004, section 6.2), with a root finder for its inverse trigamma."""
    half_df = np.array([df for _, df in rows]) / 2
    logs = np.log([variance for variance, _ in rows])
    logs = logs - special.digamma(half_df) + np.log(half_df)
    beyond = logs.var(ddof=1) - special.polygamma(1, half_df).mean()
    df = 4.0
    if beyond > 0:
        root = optimize.brentq(lambda y: special.polygamma(1, y) - beyond, 1e-9, 1e12)
        df = min(2 * root, df)
    variance = math.exp(logs.mean() + special.digamma(df / 2) - math.log(df / 2))
    assert ask("prior_of", rows=rows, most_df=4) == pytest.approx([df, variance], rel=1e-6)


@EXAMPLES
@given(rounds=ROUNDS, worth=st.sampled_from([0.01, 0.02]), excess_worth=st.sampled_from([0, 0.02]))
def test_the_p_value_beyond_a_margin(ask, rounds, worth, excess_worth):
    answer = ask("gate_p_value", rounds=rounds, worth=worth, excess_worth=excess_worth)
    p_values = []
    for place, margin in ((FASTEST, worth), (EXCESS, excess_worth)):
        mean, error, df = middle_of(of_statistic(rounds, place))
        beyond = abs(mean) - math.log1p(margin)
        if abs(beyond) <= 1e-12 or error < 1e-9:
            return
        p_values.append(min(1, 2 * stats.t.sf(beyond / error, df)) if beyond > 0 else 1)
    expected = min(1, 2 * min(p_values)) if excess_worth else p_values[0]
    assert answer == pytest.approx(expected, rel=1e-6, abs=1e-12)


def adjusted(p_values):
    """Benjamini & Hochberg's: the smallest rate at which each is a discovery."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.array(p_values)[order] * len(p_values) / np.arange(1, len(p_values) + 1)
    out = np.empty(len(p_values))
    out[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return out


@EXAMPLES
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=40), q=st.sampled_from([0.05, 0.2]))
def test_discoveries(ask, values, q):
    """SciPy 1.11 has false_discovery_control(); older ones the same by hand."""
    control = getattr(stats, "false_discovery_control", adjusted)
    expected = control(values)
    for found, p in zip(ask("discoveries", values=values, q=q), expected):
        if abs(p - q) > 1e-9:
            assert found == (p <= q)


@EXAMPLES
@given(values=lists(fewest=11, most=60, elements=st.floats(-1, 1)))
def test_tau_of_steps(ask, values):
    """The median size of steps about zero, as a standard deviation, of one of the two runs."""
    expected = stats.median_abs_deviation(values, center=lambda *_, **__: 0.0, scale="normal")
    answer = ask("tau_of_steps", values=values)
    assert answer == pytest.approx(max(0.001, expected / math.sqrt(2)), rel=1e-3)
