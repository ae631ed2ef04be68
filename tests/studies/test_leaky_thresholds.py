"""Claims on leaky parities: rows that just hold and rows that just fail."""

import math

import polars as pl
import pytest

from glassware.studies.leaky import (
    digit_strips,
    first_step,
    leak_needed,
    lemmas,
    separation,
    theorem_schedule,
    training,
)
from glassware.studies.leaky import network_against_linear as against
from glassware.theory.leaky.distributions import majority_agreement
from tests.studies.made import check
from tests.studies.test_leaky_studies import first_step_of, fit, followed_by, run_of, strips_of


def judged(study, claim, rows):
    """Whether the claim holds, and the number it rests on."""
    finding = check(study.STUDY, claim, pl.DataFrame(rows))
    return finding.holds, pytest.approx(finding.measured.value)


# -- the network against linear methods -------------------------------------------------------------------------------


@pytest.mark.parametrize(("uniform", "leaking", "good"), [(0.99, 0.99, True), (0.989, 1.0, False), (1.0, 0.989, False)])
def test_a_run_of_the_network_needs_99_percent_on_both(uniform, leaking, good):
    rows = [*fit(against.NETWORK, 1.0, count=10), *fit(against.NETWORK, uniform, leaking=leaking, count=2)]
    assert judged(against, "network", rows) == (good, 1.0 if good else 10 / 12)


@pytest.mark.parametrize(("off", "held"), [(0.0199, True), (-0.0199, True), (0.0201, False), (-0.0201, False)])
def test_the_mean_of_the_worst_linear_setting(off, held):
    right, mean = majority_agreement(7), majority_agreement(5) + off
    rows = [
        *fit("linear", right, k=7),
        *(row for shift in (-0.1, 0.0, 0.1) for row in fit("linear", mean + shift, count=1)),
    ]
    assert judged(against, "linear", rows) == (held, off)


@pytest.mark.parametrize(
    ("claim", "method", "place", "most"),
    [
        ("fixed-features", "tangent gates", {"k": 5}, 0.75),
        ("kernels", "cubic kernel", {"k": 5}, 0.75),
        ("large-baselines", "linear", {"n": 101, "k": 7}, 0.7),
        ("large-baselines", "tangent gates", {"n": 101, "k": 7}, 0.7),
    ],
)
def test_the_largest_mean_of_the_baselines(claim, method, place, most):
    for mean, held in ((most - 0.001, True), (most + 0.001, False)):
        cell = [row for shift in (-0.1, 0.0, 0.1) for row in fit(method, mean + shift, count=1, **place)]
        others = [*fit(method, 0.4, **{**place, "q": 10}), *fit(against.NETWORK, 1.0, k=3)]
        assert judged(against, claim, [*cell, *others]) == (held, mean)


def test_monomials():
    for degree, level, held in ((1, 0.5, True), (1, 0.501, False), (2, 0.501, False)):
        rows = [*fit(f"monomials to degree {degree}", level, k=3, count=1), *fit("monomials to degree 2", 0.3, k=3)]
        assert judged(against, "monomials-below", rows) == (held, level)
    rows = [*fit("monomials to degree 3", 1.0, k=3), *fit("monomials to degree 3", 0.9999, k=3, count=1)]
    assert judged(against, "monomials-at-k", rows) == (False, 0.9999)


@pytest.mark.parametrize(("level", "good", "held"), [(0.99, 9, True), (0.99, 8, False), (0.989, 9, False)])
def test_nine_of_ten_seeds_at_some_width(level, good, held):
    rows = [
        *fit(against.NETWORK, 1.0, k=3),
        *fit(against.NETWORK, level, k=5, count=good),
        *fit(against.NETWORK, 0.5, k=5, count=10 - good),
    ]
    assert judged(against, "width-enough", rows) == (held, 1.0 if held else 0.5)


# -- the first step ---------------------------------------------------------------------------------------------------

STEP = {"n": 101, "k": 3, "q": 200, "m": 20_000, "seed": 1, "good": 50, "alpha": 0.26, "alpha_low": 0.25,
        "alpha_high": 1.0, "alpha_closed": 0.26, "off_rms": 0.005, "off_largest": 0.0, "bias_largest": 0.0}  # fmt: skip


def steps(*changes):
    return [{**STEP, "seed": i, **change} for i, change in enumerate(changes)]


@pytest.mark.parametrize("column", ["off_largest", "bias_largest"])
def test_an_exact_step_leaves_nothing(column):
    for value, held in ((0.99e-12, True), (1.01e-12, False)):
        assert judged(first_step, "exact-zero", steps({"m": 0}, {"m": 0, column: value})) == (held, value)


@pytest.mark.parametrize(("ratio", "held"), [(1.049, True), (0.951, True), (1.051, False), (0.949, False)])
def test_the_mean_alpha_of_the_worst_cell(ratio, held):
    changes = [{"alpha": 0.26 * (ratio + shift)} for shift in (-0.2, 0.0, 0.2)]
    assert judged(first_step, "alpha", steps(*changes, {"k": 5})) == (held, ratio)


@pytest.mark.parametrize(("low", "high", "held"), [(0.25, 1.0, True), (0.2499, 1.0, False), (0.25, 1.0001, False)])
def test_one_network_beyond_the_printed_alpha_is_enough(low, high, held):
    rows = steps({"m": 0}, {"m": 0, "alpha_low": low, "alpha_high": high})
    assert judged(first_step, "alpha-printed", rows) == (held, 1.0 if held else 0.5)


def test_good_neurons_within_four_standard_errors():
    p = first_step.good_probability(3)
    error = math.sqrt(p * (1 - p) / 10_000)
    for off, held in ((3.9, True), (-3.9, True), (4.1, False), (-4.1, False)):
        good = round(10_000 * (p + off * error))
        found = check(first_step.STUDY, "good-share", pl.DataFrame(steps({"q": 10_000, "good": good})))
        assert found.holds is held
        assert found.measured.value == pytest.approx(abs(off), abs=0.05)


@pytest.mark.parametrize(("q", "good", "held"), [(24, 1, True), (25, 1, False)])
def test_good_neurons_are_as_many_as_the_lemma_needs(q, good, held):
    """1/(14 sqrt 3) is 4.12%; with so few neurons both shares lie within four standard errors."""
    rows = steps({"q": q, "good": good}, {"k": 5, "q": 1000, "good": round(1000 * first_step.good_probability(5))})
    assert judged(first_step, "good-share", rows)[0] is held
    far = steps({"q": 10_000, "good": 5000}, {"k": 5, "q": 1000, "good": round(1000 * first_step.good_probability(5))})
    assert judged(first_step, "good-share", far)[0] is False


def test_sampled_steps_are_no_exact_ones():
    sampled = {"m": 1, "off_largest": 0.5, "alpha_low": 0.1}
    for claim in ("exact-zero", "alpha-printed"):
        assert judged(first_step, claim, steps({"m": 0}, {"m": -1}, sampled))[0] is True
        assert judged(first_step, claim, steps(sampled))[0] is None


def test_noise_off_the_relevant_coordinates():
    usual = 0.75 / math.sqrt(20_000)
    for factor, held in ((2.99, True), (3.01, False)):
        assert judged(first_step, "noise", steps({}, {"off_rms": factor * usual})) == (held, factor)
    for power, held in ((-0.451, True), (-0.549, True), (-0.449, False), (-0.551, False)):
        sizes = [{"m": m, "off_rms": m**power} for m in (2000, 20_000, 200_000)]
        assert judged(first_step, "noise-slope", steps(*sizes)) == (held, power)
        assert judged(first_step, "noise-slope", steps(*sizes[:2]))[0] is None


# -- how much leak is needed ------------------------------------------------------------------------------------------


def leaks(**levels):
    """Three runs a share around these means of D1 accuracy."""
    means = {0.0: 0.5, 0.05: 0.7, 0.1: 0.9, 0.25: 0.995, 0.5: 0.995, 0.75: 0.995, 0.95: 0.8}
    means |= {float(name[1:].replace("_", ".")): level for name, level in levels.items()}
    return [{"leak": p, "m": 1000, "uniform": mean + d} for p, mean in means.items() for d in (-0.004, 0.0, 0.004)]


@pytest.mark.parametrize(
    ("claim", "name", "level", "held", "value"),
    [
        ("no-leak", "p0", 0.451, True, 0.451),
        ("no-leak", "p0", 0.449, False, 0.449),
        ("no-leak", "p0", 0.549, True, 0.549),
        ("no-leak", "p0", 0.551, False, 0.551),
        ("enough", "p0_25", 0.9901, True, 0.9901),
        ("enough", "p0_25", 0.9899, False, 0.9899),
        ("enough", "p0_5", 0.9899, False, 0.9899),
        ("enough", "p0_75", 0.9899, False, 0.9899),
        ("little", "p0_1", 0.701, True, 0.001),
        ("little", "p0_1", 0.7, False, 0.0),
        ("too-much", "p0_95", 0.899, True, 0.899),
        ("too-much", "p0_95", 0.901, False, 0.901),
    ],
)
def test_levels_of_leak(claim, name, level, held, value):
    finding = check(leak_needed.STUDY, claim, pl.DataFrame(leaks(**{name: level})))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(value, abs=1e-9)
    share = float(name[1:].replace("_", "."))
    missing = [row for row in leaks() if row["leak"] != share]
    assert judged(leak_needed, claim, missing)[0] is None


@pytest.mark.parametrize(("power", "held"), [(-0.31, True), (-0.69, True), (-0.29, False), (-0.71, False)])
def test_the_threshold_share_falls_as_a_power(power, held):
    edges = [(m, 0.1 * (m / 10_000) ** power) for m in (10_000, 100_000, 1_000_000)]
    rows = [{"leak": p, "m": m, "uniform": u} for m, at in edges for p, u in ((at / 2, 0.94), (at * 2, 0.95))]
    assert judged(leak_needed, "threshold", rows) == (held, power)
    assert judged(leak_needed, "threshold", [row for row in rows if row["m"] > 10_000])[0] is None
    bumped = [{**row, "leak": row["leak"] * (5 if row["m"] == 100_000 else 1)} for row in rows]
    assert judged(leak_needed, "threshold", bumped)[0] is False  # it must fall from each size to the next


# -- training ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "held"), [(0.99, True), (0.989, False)])
def test_every_run_reaches_99_percent(level, held):
    runs = [run_of(), run_of(uniform=(0.2, 0.5, level))]
    assert judged(training, "learns", runs) == (held, 1.0 if held else 0.5)
    wide = [*[run_of(q=1000)] * 9, run_of(q=1000, uniform=(0.2, 0.5, level))]
    assert judged(training, "wide", wide)[0] is True  # nine of ten are enough
    assert judged(training, "wide", [*wide[1:], run_of(q=1000, uniform=(0.2, 0.5, level))])[0] is held
    small = [run_of(q=q, uniform=(0.2, 0.2, 0.2), k=k) for q, k in ((999, 7), (1000, 8))]
    assert judged(training, "wide", [run_of(q=1000), *small]) == (True, 1.0)


@pytest.mark.parametrize(
    ("leaking", "uniform", "held"),
    [((0.5, 0.99, 1.0), (0.5, 0.99, 1.0), True), ((0.5, 0.989, 1.0), (0.5, 0.99, 1.0), False),
     ((0.5, 0.6, 0.7), (0.5, 0.6, 0.7), False)],
)  # fmt: skip
def test_the_leak_is_learned_no_later(leaking, uniform, held):
    rows = [run_of(), run_of(leaking=leaking, uniform=uniform)]
    assert judged(training, "leak-first", rows) == (held, 1.0 if held else 0.5)


@pytest.mark.parametrize(("start", "held"), [(0.99e-9, True), (1.01e-9, False)])
def test_the_largest_output_at_the_start(start, held):
    assert judged(training, "silent-start", [first_step_of(0.0), first_step_of(start)]) == (held, start)
    printed = [first_step_of(2.0, "printed"), first_step_of(start, "printed")]
    assert judged(training, "silent-start-printed", printed) == (held, start)


# -- the theorem's schedule -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "held"), [(0.99, True), (0.989, False)])
def test_every_run_of_the_schedule(level, held):
    runs = [followed_by(uniform=u) for u in (1.0, level)]
    assert judged(theorem_schedule, "as-stated", runs) == (held, 1.0 if held else 0.5)
    fast = [followed_by("500 times the rate", uniform=u) for u in (1.0, level)]
    assert judged(theorem_schedule, "larger-rate", fast) == (held, level)


@pytest.mark.parametrize(
    ("off", "leaking", "held"),
    [(0.029, 0.99, True), (-0.029, 0.99, True), (0.031, 1.0, False), (-0.031, 1.0, False), (0.0, 0.989, False)],
)
def test_the_run_furthest_from_the_majority(off, leaking, held):
    at = majority_agreement(3)
    rows = [followed_by(uniform=at), followed_by(uniform=at + off, leaking=leaking)]
    assert judged(theorem_schedule, "majority", rows) == (held, abs(off))


def test_drift_and_width():
    for drift, held in ((0.9999, True), (1.001, False)):
        assert judged(theorem_schedule, "drift", [followed_by(), followed_by(drift=drift)]) == (held, drift)
    for last, held in (((0.2, 0.4), True), ((0.1, 0.499), False)):  # means of 0.2, 0.3 and the last
        pairs = [(10, (0.1, 0.3)), (20, (0.2, 0.4)), (30, last)]
        rows = [followed_by(q=q, uniform=u) for q, both in pairs for u in both]
        assert judged(theorem_schedule, "width", rows) == (held, sum(last) / 2 - 0.2)
        assert judged(theorem_schedule, "width", rows[:4])[0] is None


# -- separation -------------------------------------------------------------------------------------------------------


def sized(method, k, *pairs):
    """Two runs a size around these mean accuracies."""
    rows = [(size, u + d) for size, u in pairs for d in (-0.04, 0.04)]
    return [{"method": method, "n": 31, "k": k, "size": s, "m": 1, "seed": 0, "uniform": u} for s, u in rows]


@pytest.mark.parametrize(("size", "level", "held"), [(200, 0.9501, True), (201, 0.9501, False), (200, 0.9499, False)])
@pytest.mark.parametrize("k", [3, 5])
def test_the_larger_threshold_of_the_network(k, size, level, held):
    rows = [*sized(separation.NETWORK, k, (10, 0.5), (size, level)), *sized(separation.NETWORK, 8 - k, (50, 1.0))]
    found = check(separation.STUDY, "network", pl.DataFrame(rows))
    assert found.holds is held
    assert found.measured.value == (size if level > 0.95 else math.inf)


@pytest.mark.parametrize(("level", "held"), [(0.9499, True), (0.9501, False)])
def test_the_most_features(level, held):
    rows = sized(separation.FEATURES, 5, (100, 1.0), (3000, level))
    assert judged(separation, "features", rows) == (held, level)


def test_how_thresholds_grow():
    for last, held in ((1600, True), (1500, False)):
        sizes = {3: 100, 5: 800, 7: 2 * last}
        rows = [row for k, size in sizes.items() for row in sized(separation.FEATURES, k, (10, 0.5), (size, 1.0))]
        assert judged(separation, "features-grow", rows) == (held, math.log2(2 * last / 800) / 2)
        assert judged(separation, "features-grow", rows[:4])[0] is None
    for last, held in ((80, True), (81, False)):
        rows = [*sized(separation.NETWORK, 3, (10, 1.0)), *sized(separation.NETWORK, 9, (20, 0.5), (last, 1.0))]
        assert judged(separation, "network-grows", rows) == (held, last / 10)
        assert judged(separation, "network-grows", rows[:2])[0] is None


# -- lemmas and digits ------------------------------------------------------------------------------------------------

PRINTED = {
    "printed-pairing": "the network starts at 0",
    "printed-alpha": "Lemma 7: the value of alpha",
    "printed-coefficients": "Lemma 10: hinges add up to the parity",
    "printed-hinges": "Lemmas 8 and 10: hinges are unclipped",
}


@pytest.mark.parametrize(("gap", "held"), [(0.99e-12, True), (1.01e-12, False)])
def test_equalities_to_twelve_digits(gap, held):
    case = {"statement": "one", "form": "corrected", "gap": 0.0, "value": 0.5, "bound": 1.0}
    assert judged(lemmas, "equalities", [case, {**case, "gap": gap}]) == (held, gap)
    for claim, statement in PRINTED.items():
        printed = {**case, "form": "printed", "statement": statement}
        assert judged(lemmas, claim, [printed, {**printed, "gap": gap}])[0] is held
        assert judged(lemmas, claim, [case])[0] is None


@pytest.mark.parametrize(("value", "held"), [(1.999, True), (2.0, False)])
def test_inequalities_with_room(value, held):
    case = {"statement": "one", "form": "corrected", "gap": None, "value": 0.5, "bound": 2.0}
    assert judged(lemmas, "inequalities", [case, {**case, "value": value}]) == (held, value / 2)


@pytest.mark.parametrize(
    ("claim", "k", "network", "best", "held"),
    [
        ("one-digit", 1, 0.979, 0.95, True),
        ("one-digit", 1, 0.981, 0.95, False),
        ("network", 3, 0.701, 0.5, True),
        ("network", 3, 0.699, 0.5, False),
        ("fixed", 3, 0.9, 0.559, True),
        ("fixed", 3, 0.9, 0.561, False),
    ],
)
def test_digits(claim, k, network, best, held):
    levels = {digit_strips.NETWORK: network, **dict.fromkeys(digit_strips.FIXED, 0.4)}
    levels[digit_strips.FIXED[-1]] = best
    shifted = lambda kept: [
        row for d in (-0.1, 0.0, 0.1) for row in strips_of(k, {m: v + d for m, v in levels.items() if m in kept})
    ]
    assert judged(digit_strips, claim, shifted(digit_strips.METHODS))[0] is held
    assert judged(digit_strips, claim, shifted((digit_strips.NETWORK, *digit_strips.FIXED[1:])))[0] is None
