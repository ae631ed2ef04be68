import math

import pytest

from glassware.foundation import statistics
from glassware.studies.hidden_progress.noisy import BATCHES, NOISES, PAPER_NOISES, STUDY, _grid, _run, times_to_90
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, stuck, table, whole
from tests.studies.made import check


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def cell(noise, batch, *times, n=30, best=0.01):
    """Runs that reach 90% accuracy at these steps, and end at an error of ``best``; or that stay at chance."""
    (run,) = _grid(_run(n, 3, 40_000, 50), [noise], [batch])
    runs = zip(repeat([run], len(times)), times, strict=True)
    return [stuck(one) if math.isinf(t) else drawn(one, [0.5, 0.1, best], every=int(t)) for one, t in runs]


def spread(time, by=0.02, runs=9):
    """Times around this one."""
    return [round(time * (1 + by * (i - runs // 2))) if math.isfinite(time) else time for i in range(runs)]


def test_every_run_must_be_right_on_99_of_100():
    made = [cell(p, batch, 1000, 1000) for p in NOISES for batch in BATCHES]
    assert check(STUDY, "16-learns", table(*made)).verdict == "holds"
    finding = check(STUDY, "16-learns", table(*made, cell(0.4, 32, 1000, best=0.0101)))
    assert finding.verdict == "fails"
    assert finding.measured.value == pytest.approx(12 / 13)
    assert "B=32 p=0.4 2/3" in finding.detail
    assert check(STUDY, "16-learns", table(*made[1:])).verdict == "not enough runs"


def stretched(factors, n=30, noises=NOISES, by=0.02):
    """t90 at B = 1024 as theory has it, times these factors."""
    times = [100_000 / (1 - 2 * p) * factor for p, factor in zip(noises, factors, strict=True)]
    return table(*(cell(p, 1024, *spread(t, by), n=n) for p, t in zip(noises, times, strict=True)))


@pytest.mark.parametrize(
    ("factors", "by", "verdict"),
    [
        ((1, 1, 1), 0.02, "holds"),
        ((1, 1.7, 0.6), 0.02, "holds"),
        ((1, 2.3, 1), 0.02, "fails"),
        ((1, 1, 1 / 2.3), 0.02, "fails"),
        ((1, 0.5, 0.2), 0.02, "fails"),  # noise does nothing
        ((1, 1.9, 1), 0.15, "too close to call"),
        ((1, 1, math.inf), 0.02, "fails"),
    ],
)
def test_medians_stretch_by_at_most_twice_more_or_less(factors, by, verdict):
    assert check(STUDY, "16-scaling", stretched(factors, by=by)).verdict == verdict


@pytest.mark.parametrize("place", range(1, len(PAPER_NOISES)))
def test_at_scale_they_stretch_by_at_most_three_times_more(place):
    for factor, verdict in ((2.7, "holds"), (3.3, "fails")):
        factors = [factor if i == place else 1 for i in range(len(PAPER_NOISES))]
        assert check(STUDY, "16-scaling-at-scale", stretched(factors, 50, PAPER_NOISES)).verdict == verdict
    missing = stretched([1] * 5, 50, PAPER_NOISES[:-1])
    assert check(STUDY, "16-scaling-at-scale", missing).verdict == "not enough runs"


@pytest.mark.parametrize(
    ("small", "large", "by", "verdict"),
    [
        (6000, 500, 0.02, "holds"),
        (4000, 500, 0.02, "fails"),
        (5200, 500, 0.1, "too close to call"),
        (math.inf, 500, 0.02, "holds"),
        (6000, math.inf, 0.02, "fails"),
        (math.inf, math.inf, 0.02, "not enough runs"),
    ],
)
def test_the_median_factor_is_larger_at_small_batches(small, large, by, verdict):
    cells = {(32, 0.0): 1000, (32, 0.4): small, (1024, 0.0): 100, (1024, 0.4): large}
    made = [cell(p, batch, *spread(t, by)) for (batch, p), t in cells.items()]
    assert check(STUDY, "16-small-batches", table(*made)).verdict == verdict
    some = (table(*made[:i], *made[i + 1 :]) for i in range(4))
    assert all(check(STUDY, "16-small-batches", part).verdict == "not enough runs" for part in some)


@pytest.mark.parametrize(("won", "verdict"), [(18, "holds"), (13, "too close to call"), (5, "fails"), (0, "fails")])
def test_three_fifths_learn_from_almost_random_labels_at_the_better_batch_size(won, verdict):
    better, worse = [9.0] * won + [math.inf] * (20 - won), [math.inf] * 20
    finding = check(STUDY, "16-almost-random", table(cell(0.49, 1024, *better, n=50), cell(0.49, 32, *worse, n=50)))
    assert finding.verdict == verdict
    assert finding.measured.value == won / 20


def test_times_are_those_of_ninety_of_a_hundred():
    (run,) = _grid(_run(30, 3, 40_000, 50), [0.2], [1024])
    made = table([drawn(run, [0.5, 0.101, 0.1, 0.01], every=10)])
    assert times_to_90(made, 30, 0.2, 1024) == [20]
    assert times_to_90(made, 30, 0.2001, 1024) == []


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=240, paper=240)
