"""Claims of the theory bench: rows that just hold and rows that just fail."""

import math

import polars as pl
import pytest

from glassware.studies.theory import good_neurons, lower_bound, over_sparse, search_floors, under_sparse
from glassware.theory.pareto.good_neurons import good_probability, lucky_probability
from tests.studies.made import check
from tests.studies.test_theory_studies import learned, timed, trials


def judged(study, claim, rows):
    """Whether the claim holds, and the number it rests on."""
    finding = check(study.STUDY, claim, pl.DataFrame(rows, infer_schema_length=None))
    return finding.holds, pytest.approx(finding.measured.value)


# -- search and elimination -------------------------------------------------------------------------------------------

CELLS = {
    "search": (search_floors.SEARCH, 0.0, 99),
    "quarter": (search_floors.QUARTER, 0.0, 16),
    "search-noise": (search_floors.SEARCH, 0.1, 99),
    "elimination": (search_floors.ELIMINATION, 0.0, 99),
    "elimination-noise": (search_floors.ELIMINATION, 0.1, 0),
}


@pytest.mark.parametrize("claim", CELLS)
def test_only_the_cell_with_the_most_examples_counts(claim):
    algorithm, noise, won = CELLS[claim]
    others = [
        *trials(algorithm, 50, noise=noise, m=300),
        *trials(algorithm, 50, noise=0.05),
        *trials("another", 50, noise=noise),
    ]
    assert judged(search_floors, claim, [*others, *trials(algorithm, won, noise=noise)]) == (True, won / 100)


@pytest.mark.parametrize(("won", "held"), [(15, False), (16, True), (34, True), (35, False)])
def test_a_quarter_of_the_search(won, held):
    assert judged(search_floors, "quarter", trials(search_floors.QUARTER, won)) == (held, won / 100)


@pytest.mark.parametrize(("middle", "held"), [(100.0, True), (100.1, False)])
def test_the_median_time_of_elimination(middle, held):
    times = [row for ms in (1.0, middle, 5000.0) for row in trials("elimination", 1, of=1, milliseconds=ms)]
    assert judged(search_floors, "elimination-fast", times) == (held, middle)
    assert judged(search_floors, "elimination-fast", trials("another", 1))[0] is None


@pytest.mark.parametrize(("won", "held"), [(231, False), (232, True), (346, True), (347, False)])
def test_the_cell_of_elimination_furthest_from_its_prediction(won, held):
    p = search_floors.predicted(300, 300, 0.0)
    near = [
        *trials("elimination", 1000, of=1000),
        *trials("elimination", 726, of=1000, noise=0.001),  # 0.999^320
        *trials(search_floors.SEARCH, 0, of=1000),
    ]
    rows = [*trials("elimination", won, of=1000, m=300), *near]
    assert judged(search_floors, "elimination-rate", rows) == (
        held,
        abs(won / 1000 - p) / math.sqrt(p * (1 - p) / 1000),
    )
    assert judged(search_floors, "elimination-rate", trials("another", 1))[0] is None


@pytest.mark.parametrize(("won", "held"), [(999, True), (998, False)])
def test_a_cell_that_should_never_fail_is_given_one_percent(won, held):
    rows = trials("elimination", won, of=1000)
    sure = search_floors.predicted(300, 320, 0.0)
    assert judged(search_floors, "elimination-rate", rows) == (held, (sure - won / 1000) / math.sqrt(1e-4 / 1000))


# -- under-sparse -----------------------------------------------------------------------------------------------------


def exact(gap, form="corrected", what="ratio", part="exact"):
    return {"part": part, "form": form, "what": what, "gap": gap}


@pytest.mark.parametrize(("gap", "held"), [(1e-12, True), (1.01e-12, False)])
def test_closed_forms_to_twelve_digits(gap, held):
    others = [exact(1.0, "printed"), exact(1.0, part="m50")]
    assert judged(under_sparse, "closed-forms", [exact(0.0), exact(gap), *others]) == (held, gap)
    assert judged(under_sparse, "closed-forms", others)[0] is None
    for claim, what, other in (("printed-ratio", "ratio", "weights"), ("printed-weights", "weights", "ratio")):
        others = [exact(1.0, "printed", other), exact(1.0, what=what), exact(1.0, "printed", what, "m50")]
        rows = [exact(0.0, "printed", what), exact(gap, "printed", what), *others]
        assert judged(under_sparse, claim, rows) == (held, gap)
        assert judged(under_sparse, claim, others)[0] is None


def needed(level, signal=0.1, n=31, k=4, shares=(1.0, 1.0, 1.0)):
    """Examples needed by three seeds, their mean so many times ln n / signal²."""
    return [
        {"part": "m50", "n": n, "k": k, "s": 2, "m50": f * level * math.log(n) / signal**2, "signal": signal}
        for f in shares
    ]


@pytest.mark.parametrize(("power", "held"), [(0.701, True), (0.699, False), (1.799, True), (1.801, False)])
def test_the_exponent_of_the_examples(power, held):
    rows = [{"part": "m50", "n": n, "k": 4, "s": 2, "m50": 9.0 * (n - 2) ** power, "signal": 1.0} for n in (15, 31, 61)]
    others = [{**rows[0], "k": 6, "m50": 1e9}, {**rows[0], "part": "accuracy", "m50": 1e9}]
    assert judged(under_sparse, "slope", [*rows, *others]) == (held, power)
    assert judged(under_sparse, "slope", [*rows[:2], {**rows[1], "m50": 3.0}])[0] is None


@pytest.mark.parametrize(("most", "held"), [(2.999, True), (3.001, False)])
def test_the_constant_of_the_examples(most, held):
    rows = [*needed(1.0, 0.1, 15), *needed(most, 0.2, 31, shares=(0.8, 0.8, 1.4)), *needed(2.0, 0.3, 61)]
    others = [*needed(9.0, k=6), {**rows[0], "part": "accuracy", "m50": 1e9}]
    assert judged(under_sparse, "constant", [*rows, *others]) == (held, most)
    assert judged(under_sparse, "constant", [*rows[:6], {**rows[0], "signal": 0.5}])[0] is None


@pytest.mark.parametrize(("level", "held"), [(0.99, True), (0.989, False)])
@pytest.mark.parametrize(("claim", "form"), [("subnetwork", "corrected"), ("printed-cutoff", "printed")])
def test_the_least_accurate_subnetwork(claim, form, level, held):
    run = {"part": "accuracy", "form": form, "m": 100, "accuracy": 1.0}
    others = [{**run, "form": "another", "accuracy": 0.5}, {**run, "part": "m50", "accuracy": 0.5}]
    rows = [{**run, "m": 10, "accuracy": 0.5}, run, {**run, "accuracy": level}, *others]
    assert judged(under_sparse, claim, rows) == (held, level)
    assert judged(under_sparse, claim, others)[0] is None


# -- over-sparse ------------------------------------------------------------------------------------------------------


def skewed(make, mean):
    """Rows with errors around a mean that is not their median."""
    return [row for off in (-0.02, -0.02, 0.04) for row in make(mean + off)[:1]]


@pytest.mark.parametrize(("gap", "held"), [(1e-12, True), (1.01e-12, False)])
@pytest.mark.parametrize("study", [over_sparse, good_neurons])
def test_gradients_to_twelve_digits(study, gap, held):
    row, other = {"part": "gradient", "gap": 0.0}, {"part": "another", "gap": 1.0}
    assert judged(study, "gradients", [row, {**row, "gap": gap}, other]) == (held, gap)
    assert judged(study, "gradients", [other])[0] is None


@pytest.mark.parametrize(
    ("claim", "form", "ks"), [("readout", "corrected", (2, 4, 6, 8, 10)), ("readout-printed", "printed", (4, 6, 8))]
)
def test_every_k_has_a_readout(claim, form, ks):
    row = {"part": "readout", "form": form, "residual": 0.0, "norm": 1.0, "representable": True}
    bad = {"residual": 1.0, "representable": False}
    others = [{**row, **bad, "form": "another", "k": 4}, *({**row, **bad, "k": k} for k in range(14) if k not in ks)]
    for k in ks:
        for residual, representable, held in ((0.99e-6, True, True), (1e-6, True, False), (0.0, False, False)):
            rows = [{**row, "k": one} for one in ks if one != k]
            rows.append({**row, "k": k, "residual": residual, "representable": representable})
            assert judged(over_sparse, claim, [*rows, *others]) == (held, residual)
    assert judged(over_sparse, claim, others)[0] is None


@pytest.mark.parametrize(("error", "held"), [(0.099, True), (0.101, False)])
def test_the_mean_error_with_the_printed_offset(error, held):
    offset = lambda e, size=1 / 16, k=4: [{"part": "offset", "k": k, "offset": size, "error": e}]
    rows = [*skewed(offset, error), *offset(0.5, 1.0), *offset(0.5, k=2)]
    assert judged(over_sparse, "offset-printed", rows) == (held, error)


@pytest.mark.parametrize(("error", "held"), [(0.0999, True), (0.1001, False)])
def test_the_mean_errors_of_wide_and_narrow(error, held):
    wide, narrow = (skewed(lambda e, s=s: learned(s, e), mean) for s, mean in ((9, error), (41, 0.3)))
    others = [*learned(9, 0.5, 30_000), *learned(41, 0.01, how="descent"), *learned(15, 0.5)]
    assert judged(over_sparse, "trade-off", [*wide, *narrow, *others]) == (held, error / 0.3)
    assert judged(over_sparse, "trade-off", wide)[0] is None
    assert judged(over_sparse, "trade-off", narrow)[0] is None


@pytest.mark.parametrize(
    ("claim", "place", "most"),
    [("more-data", {"m": 30_000}, 0.1), ("descent", {"how": "descent"}, 0.25)],
)
def test_the_larger_mean_error(claim, place, most):
    for s in (9, 41):
        for mean, held in ((most - 0.001, True), (most + 0.001, False)):
            worse = skewed(lambda e, s=s: learned(s, e, **place), mean)
            better = skewed(lambda e, s=s: learned(50 - s, e, **place), 0.05)
            assert judged(over_sparse, claim, [*worse, *better, *learned(9, 0.9)]) == (held, mean)
            assert judged(over_sparse, claim, [*worse, *learned(50 - s, 0.05)])[0] is None


@pytest.mark.parametrize(("off", "held"), [(0.499, True), (-0.499, True), (0.501, False), (-0.501, False)])
def test_the_exponent_furthest_from_k_minus_1(off, held):
    cells = ((61, 2, 1.0, 1.0, (9, 15, 41)), (61, 4, 3.0 + off, 1.0, (9, 15, 41)), (121, 2, 1.0, 1e3, (41, 61)))
    rows = [
        {"part": "samples", "n": n, "k": k, "s": s, "m": scale * s**power}
        for n, k, power, scale, sizes in cells
        for s in sizes
    ]
    assert judged(over_sparse, "samples-exponent", rows) == (held, abs(off))


# -- the lower bound --------------------------------------------------------------------------------------------------


def won(m, *successes):
    """Runs of 23 parameters and 10 steps, where C(20, 10) / 4 is 200.8 examples."""
    cell = {"n": 20, "k": 10, "init": "uniform", "width": 1, "m": m, "steps": 10}
    return [{**cell, "success": success} for success in successes]


@pytest.mark.parametrize(("m", "held"), [(200, False), (201, True)])
def test_a_cell_that_half_succeeds_beside_the_bound(m, held):
    others = [*won(10_000, True), *won(None, True), *won(1, False)]
    rows = [*won(m, True, False), *others]
    assert judged(lower_bound, "never-contradicted", rows) == (held, 1.0 if held else 2 / 3)
    found = check(lower_bound.STUDY, "never-contradicted", pl.DataFrame(rows))
    assert f"smallest margin {math.log10(m * 2 * 230 / (184_756 / 4)):.1f} decades" in found.detail
    assert judged(lower_bound, "never-contradicted", won(1, False))[0] is None


@pytest.mark.parametrize(("m", "held"), [(200, True), (201, False)])
def test_one_cell_below_the_bound_is_enough(m, held):
    rows = [*won(m, True, False), *won(10_000, True), *won(None, True)]
    assert judged(lower_bound, "informative", rows) == (held, 1 / 3 if held else 0.0)


def test_rows_without_runs_say_nothing_of_cells():
    for claim in ("never-contradicted", "informative"):
        assert judged(lower_bound, claim, [{"part": "parseval", "energy": 0.5, "bound": 0.5}])[0] is None


@pytest.mark.parametrize(("energy", "held"), [(0.5, True), (0.501, False)])
def test_the_largest_correlation_with_parities(energy, held):
    row = {"part": "parseval", "energy": 0.1, "bound": 0.5}
    other = {**row, "part": "adversary", "energy": 1.0}
    assert judged(lower_bound, "parseval", [row, {**row, "energy": energy}, other]) == (held, energy / 0.5)
    assert judged(lower_bound, "parseval", [other])[0] is None


@pytest.mark.parametrize(
    ("hidden", "same", "easy", "held"),
    [(50, True, False, True), (49, True, False, False), (50, False, False, False), (50, True, True, False)],
)
def test_noise_hides_one_target_and_not_the_other(hidden, same, easy, held):
    hard = {"part": "adversary", "k": 6, "hidden": hidden, "steps": 50, "same": same}
    other = {**hard, "part": "parseval", "hidden": 1}
    assert judged(lower_bound, "adversary", [other, hard, {**hard, "k": 1, "hidden": 0, "same": easy}]) == (
        held,
        hidden / 50,
    )
    assert judged(lower_bound, "adversary", [other])[0] is None


# -- luck -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "held"), [(3.99, True), (-3.99, True), (4.01, False), (-4.01, False)])
def test_the_frequency_furthest_from_its_probability(off, held):
    draws, p = 10**8, good_probability(12, 2, 9)
    hits = round(draws * (p + off * math.sqrt(p * (1 - p) / draws)))
    right = {"part": "frequency", "n": 12, "k": 4, "s": 7, "draws": draws, "hits": draws * good_probability(12, 4, 7)}
    rows = [{**right, "n": 12, "k": 2, "s": 9, "hits": float(hits)}, right, {**right, "part": "luck", "hits": 0.0}]
    found = check(good_neurons.STUDY, "frequencies", pl.DataFrame(rows))
    assert found.holds is held
    assert found.measured.value == pytest.approx(abs(off), abs=1e-3)
    assert judged(good_neurons, "frequencies", rows[2:])[0] is None


@pytest.mark.parametrize(("lucky", "held"), [(479, True), (321, True), (481, False), (319, False)])
def test_lucky_neurons_of_all_runs_together(lucky, held):
    half = {"part": "luck", "n": 10, "width": 3000, "lucky": 200}
    assert lucky_probability(10, 3, 2) * 3000 == pytest.approx(200)
    other = {**half, "part": "frequency"}
    rows = [half, {**half, "lucky": lucky - 200}, other]
    assert judged(good_neurons, "drawn", rows) == (held, lucky / 400)
    measured = check(good_neurons.STUDY, "drawn", pl.DataFrame(rows)).measured
    for end, sign in ((measured.low, -1), (measured.high, 1)):
        assert end == pytest.approx((lucky + sign * 1.96 * math.sqrt(lucky)) / 400)
    assert judged(good_neurons, "drawn", [other])[0] is None


@pytest.mark.parametrize(("power", "held"), [(1.51, True), (1.49, False), (2.49, True), (2.51, False)])
def test_the_exponent_of_the_half_success_width(power, held, monkeypatch):
    monkeypatch.setattr(good_neurons, "BUDGETS", (good_neurons.BUDGET,))
    found = check(good_neurons.STUDY, "width-exponent", timed(power, ns=(100, 200, 400)))
    assert found.holds is held
    assert found.measured.value == pytest.approx(power, abs=0.005)
    assert found.measured.low - 1e-6 <= found.measured.value <= found.measured.high + 1e-6
    assert check(good_neurons.STUDY, "width-exponent", timed(power, ns=(100, 200))).holds is None


def test_half_of_the_runs_lies_between_two_fifths_and_four_fifths():
    won = {10: 2, 40: 4}
    rows = [
        {"width": width, "steps_to_success": 1000 if i < count else 1001}
        for width, count in won.items()
        for i in range(5)
    ]
    assert good_neurons.half_width(pl.DataFrame(rows), 1000) == pytest.approx(10 * 4**0.25)
    assert good_neurons.half_width(pl.DataFrame(rows), 999) is None
    assert good_neurons.half_width(pl.DataFrame(rows), 1001) is None


@pytest.mark.parametrize(("factor", "held"), [(2.97, True), (3.03, False), (0.34, True), (0.33, False)])
def test_the_width_furthest_from_one_lucky_neuron(factor, held):
    made = pl.concat([timed(2.0, ns=(300,), factor=factor), timed(2.0, ns=(200,), factor=1.5)])
    found = check(good_neurons.STUDY, "width-level", made)
    assert found.holds is held
    assert found.measured.value == pytest.approx(factor * 300 / 299, rel=1e-3)
    half = factor * 300**2 / 6
    unbracketed = made.filter((pl.col("n") == 200) | (pl.col("width") < 0.9 * half))
    assert check(good_neurons.STUDY, "width-level", unbracketed).holds is None


def paired(lucky, other, n=20, width=30):
    """A run for each of these times, with a lucky neuron or without."""
    times = [*((t, 2) for t in lucky), *((t, 0) for t in other)]
    places = [{"n": n, "width": width, "seed": i} for i in range(len(times))]
    return [
        *({"part": "luck", **place, "lucky": count} for place, (_, count) in zip(places, times, strict=True)),
        *({**place, "steps_to_success": t} for place, (t, _) in zip(places, times, strict=True)),
    ]


@pytest.mark.parametrize(("time", "share", "held"), [(40, 7 / 12, True), (20, 6 / 12, True), (10, 5 / 12, False)])
def test_three_of_four_pairs_are_won_by_luck(time, share, held):
    rows = [
        *paired((10, 10, 40, 40), (None, time, 1)),
        *paired((10, 10, 10), (20, 20, 20), n=40),
        *paired((30, 30), (1, 1, 1), width=50),
        *paired((30, 30, 30), (1, 1), width=60),
    ]
    assert judged(good_neurons, "luck", rows) == (held, (share + 1) / 2)
