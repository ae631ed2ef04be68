import math

import pytest

from glassware.studies.hidden_progress.noisy import BATCHES, NOISES, PAPER_NOISES, STUDY, _grid, _run, times_to_90
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, stuck, table, whole
from tests.studies.made import check


def cell(noise, batch, *times, n=30, best=0.01):
    """Runs that reach 90% accuracy at these steps, and end at an error of ``best``."""
    (run,) = _grid(_run(n, 3, 40_000, 50), [noise], [batch])
    runs = zip(repeat([run], len(times)), times, strict=True)
    return [stuck(one) if math.isinf(t) else drawn(one, [0.5, 0.1, best], every=int(t)) for one, t in runs]


def laptop(*at_1024, small=1000, **more):
    """Every cell: t90 at B = 1024 for each share of flips; at B = 32 they grow as 1 / (1 - 2p) from ``small``."""
    small_times = (small, small, more.get("small_noisy", 6 * small))
    cells = [cell(p, 32, t, t) for p, t in zip(NOISES, small_times, strict=True)]
    return table(*cells, *(cell(p, 1024, t, t) for p, t in zip(NOISES, at_1024, strict=True)))


def test_all_learn():
    made = [cell(p, batch, 1000) for p in NOISES for batch in BATCHES]
    assert check(STUDY, "16-learns", table(*made)).holds
    assert not check(STUDY, "16-learns", table(*made, cell(0.4, 32, 1000, best=0.011)[:1])).holds
    assert check(STUDY, "16-learns", table(*made[1:])).holds is None


@pytest.mark.parametrize(
    ("times", "holds"),
    [((1000, 2000, 5000), True), ((1000, 3900, 2600), True), ((1000, 4100, 5000), False), ((1000, 2000, 2400), False),
     ((1000, 2000, math.inf), False)],
)  # fmt: skip
def test_scaling(times, holds):
    assert check(STUDY, "16-scaling", laptop(*times)).holds is holds


def test_scaling_at_scale():
    times = [1000 / (1 - 2 * p) for p in PAPER_NOISES]
    cells = [cell(p, 1024, t, n=50) for p, t in zip(PAPER_NOISES, times, strict=True)]
    assert check(STUDY, "16-scaling-at-scale", table(*cells)).holds
    assert not check(STUDY, "16-scaling-at-scale", table(*cells[:-1], cell(0.49, 1024, 160_000, n=50))).holds
    assert check(STUDY, "16-scaling-at-scale", table(*cells[:-1])).holds is None


@pytest.mark.parametrize(("noisy", "holds"), [(6000, True), (4000, False)])
def test_small_batches(noisy, holds):
    assert check(STUDY, "16-small-batches", laptop(1000, 2000, 5000, small_noisy=noisy)).holds is holds


@pytest.mark.parametrize(("won", "holds"), [(3, True), (2, False)])
def test_almost_random_labels(won, holds):
    times = [10_000.0] * won + [math.inf] * (5 - won)
    made = table(cell(0.49, 1024, *times, n=50), cell(0.49, 32, math.inf, n=50))
    assert check(STUDY, "16-almost-random", made).holds is holds


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(("factor", "held"), [(1.99, True), (2.01, False), (1 / 1.99, True), (1 / 2.01, False)])
@pytest.mark.parametrize("place", [1, 2])
def test_medians_stretch_by_at_most_twice_more_or_less(factor, held, place):
    usual = [round(100_000 / (1 - 2 * p)) for p in NOISES]
    middle = [round(t * factor) if i == place else t for i, t in enumerate(usual)]
    cells = [cell(p, 1024, 100, t, 10**9) for p, t in zip(NOISES, middle, strict=True)]
    finding = check(STUDY, "16-scaling", table(*cells))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(max(factor, 1 / factor), rel=1e-3)


@pytest.mark.parametrize(("factor", "held"), [(2.99, True), (3.01, False)])
@pytest.mark.parametrize("worst", PAPER_NOISES[1:])
def test_at_scale_they_stretch_by_at_most_three_times_more(factor, held, worst):
    times = [round(100_000 / (1 - 2 * p) * (factor if p == worst else 1)) for p in PAPER_NOISES]
    cells = [cell(p, 1024, t, n=50) for p, t in zip(PAPER_NOISES, times, strict=True)]
    assert check(STUDY, "16-scaling-at-scale", table(*cells)).holds is held


@pytest.mark.parametrize(("noisy", "held"), [(5001, True), (5000, False)])
def test_the_median_factor_is_larger_at_small_batches(noisy, held):
    cells = {(32, 0.0): 1000, (32, 0.4): noisy, (1024, 0.0): 100, (1024, 0.4): 500}
    made = [cell(p, batch, 10, t, 10**9) for (batch, p), t in cells.items()]
    finding = check(STUDY, "16-small-batches", table(*made))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(noisy / 5000)
    assert all(check(STUDY, "16-small-batches", table(*made[:i], *made[i + 1 :])).holds is None for i in range(4))


def test_the_worst_run_must_be_right_on_99_of_100():
    made = [cell(p, batch, 1000) for p in NOISES for batch in BATCHES]
    finding = check(STUDY, "16-learns", table(*made, cell(0.4, 1024, 1000, best=0.0101)))
    assert finding.holds is False
    assert finding.measured.value == pytest.approx(1 - 0.0101)


def test_the_better_batch_size_counts():
    cells = [cell(0.49, batch, *[9.0] * won, *[math.inf] * (5 - won), n=50) for batch, won in ((32, 3), (1024, 2))]
    assert check(STUDY, "16-almost-random", table(*cells)).measured.value == 3 / 5
    assert check(STUDY, "16-almost-random", table(cells[1])).holds is False


@pytest.mark.parametrize(
    ("small", "large", "held"), [(math.inf, 500, True), (6000, math.inf, False), (math.inf, math.inf, False)]
)
def test_a_batch_size_that_never_learns_from_noise_is_slowed_for_ever(small, large, held):
    cells = {(32, 0.0): 1000, (32, 0.4): small, (1024, 0.0): 100, (1024, 0.4): large}
    made = table(*(cell(p, batch, t, t) for (batch, p), t in cells.items()))
    assert check(STUDY, "16-small-batches", made).holds is held


@pytest.mark.parametrize(("won", "held"), [(12, True), (11, False)])
def test_three_fifths_learn_from_almost_random_labels(won, held):
    finding = check(STUDY, "16-almost-random", table(cell(0.49, 32, *[9.0] * won, *[math.inf] * (20 - won), n=50)))
    assert finding.holds is held
    assert finding.measured.value == won / 20


def test_times_are_those_of_ninety_of_a_hundred():
    (run,) = _grid(_run(30, 3, 40_000, 50), [0.2], [1024])
    made = table([drawn(run, [0.5, 0.101, 0.1, 0.01], every=10)])
    assert times_to_90(made, 30, 0.2, 1024) == [20]
    assert times_to_90(made, 30, 0.2001, 1024) == []


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=30, paper=60)
