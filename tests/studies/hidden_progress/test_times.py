"""No early convergence; initial weights or minibatches."""

import numpy as np
import polars as pl
import pytest

from glassware.studies.hidden_progress import init_or_batches, no_early_convergence
from tests.studies.hidden import index, timing
from tests.studies.made import check

EARLY, INIT = no_early_convergence.STUDY, init_or_batches.STUDY


def spread_out(first=60.0, last=400.0):
    """Times that rise with the seed from ``first`` to ``last``, most of them near the lower end."""
    return lambda run: first + (last - first) * (index(run) / 40) ** 4


@pytest.fixture(scope="module")
def trials():
    return timing(EARLY.runs("laptop", 41))


@pytest.mark.parametrize(
    ("claim", "time", "holds"),
    [
        ("2a-none-early", spread_out(), True),
        ("2a-none-early", spread_out(first=1.0), False),
        ("2a-none-early", lambda run: None, False),
        ("2a-none-early-paper", spread_out(), True),
        ("2a-none-early-paper", lambda run: 1.0 if index(run) == 0 else 100.0, False),
        ("2a-tail", spread_out(), True),
        ("2a-tail", lambda run: 100.0 + index(run), False),
        ("2a-tail", lambda run: 100.0 if index(run) else None, True),
        ("2a-tail", lambda run: None, False),
    ],
)
def test_early_runs_and_late_ones(trials, claim, time, holds):
    assert check(EARLY, claim, trials(time)).holds is holds


@pytest.mark.parametrize("name", ["polynet", "neuron"])
@pytest.mark.parametrize(("first", "held"), [(101, True), (100, False)])
def test_one_run_by_a_quarter_of_the_median_is_early(trials, name, first, held):
    made = trials(lambda run: first if run.model.name == name and index(run) == 0 else 400 + 10 * (index(run) > 30))
    for claim in ("2a-none-early", "2a-none-early-paper"):
        finding = check(EARLY, claim, made)
        assert finding.holds is held
        assert finding.measured.value == (0 if held else 1 / 41)


def test_fewer_than_one_run_in_ten_thousand():
    made = timing(EARLY.runs("laptop", 1))(lambda run: 400)
    made = made.select("model", "activation", "depth", "width", "n", "k", "steps_to_success")
    for count, held in ((10_000, False), (10_001, True)):
        some = made[np.tile(np.arange(len(made)), count)]
        early = pl.when(pl.int_range(pl.len()) < len(made)).then(100).otherwise("steps_to_success")
        assert check(EARLY, "2a-none-early-paper", some.with_columns(steps_to_success=early)).holds is held
        assert check(EARLY, "2a-none-early", some.with_columns(steps_to_success=early)).holds is False


@pytest.mark.parametrize("name", ["polynet", "neuron"])
@pytest.mark.parametrize(("last", "held"), [(600, True), (599, False)])
def test_the_upper_tail_reaches_one_and_a_half_medians(trials, name, last, held):
    late = lambda run: last if run.model.name == name else 1000
    made = trials(lambda run: late(run) if index(run) >= 39 else 100 if index(run) < 20 else 400)
    finding = check(EARLY, "2a-tail", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(last / 400)


def test_one_setting_is_not_enough(trials):
    some = trials(spread_out()).filter(pl.col("model") == "polynet")
    assert check(EARLY, "2a-none-early", some).holds is None
    assert check(EARLY, "2a-tail", some).holds is None


def crossed(within, between):
    """Log times with this spread among streams and among initial networks."""
    rng = np.random.default_rng(0)
    inits, streams = rng.normal(size=40), rng.normal(size=(40, 40))
    return lambda run: (
        1000 * np.exp(between * inits[run.init.seed - 1000] + within * streams[run.init.seed - 1000, index(run)])
    )


@pytest.fixture(scope="module")
def crossings():
    return timing(INIT.runs("laptop"))


@pytest.mark.parametrize(("within", "between", "holds"), [(0.05, 0.3, True), (0.3, 0.05, False), (0.4, 0.2, False)])
def test_what_decides(crossings, within, between, holds):
    found = check(INIT, "2b-init", crossings(crossed(within, between)))
    assert found.holds is holds
    assert found.measured.low <= found.measured.value <= found.measured.high


@pytest.mark.parametrize("worst", ["polynet", "neuron", "mlp"])
@pytest.mark.parametrize(("between", "held"), [(1.01, True), (0.99, False)])
def test_half_of_the_variance_must_lie_between_initial_networks(worst, between, held):
    """Two streams, one above and one below each network's mean: the variances are those we choose."""
    inits = (np.arange(10) - 4.5) / np.std(np.arange(10), ddof=1)
    # Mean squares are 2 b^2 between networks and 2 w^2 within; at three to one the correlation is 1/2.
    within = lambda run: (1 if index(run) else -1) * (1 if run.model.name == worst else 0.1) / 3**0.5
    time = lambda run: 1e6 * np.exp(0.2 * (between * inits[run.init.seed - 1000] + within(run)))
    finding = check(INIT, "2b-init", timing(INIT.runs("laptop", 2))(time))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(0.5, abs=0.01)


def test_the_spread_within_a_network_and_between_networks():
    inits = (np.arange(10) - 4.5) / np.std(np.arange(10), ddof=1)
    time = lambda run: 1e6 * np.exp(0.2 * inits[run.init.seed - 1000] + (0.1 if index(run) else -0.1))
    found = init_or_batches.spread(timing(INIT.runs("laptop", 2))(time), "xv")
    assert found.between == pytest.approx(np.exp(0.2), rel=1e-4)
    assert found.within == pytest.approx(np.exp(0.1 * 2**0.5), rel=1e-4)


def test_two_networks_with_two_streams_are_the_least(crossings):
    made = crossings(crossed(0.05, 0.3)).with_columns(init_or_batches.init_seed())
    two = made.filter(pl.col("init_seed") < 1002)
    assert check(INIT, "2b-init", two).holds is not None
    assert check(INIT, "2b-init", made.filter(pl.col("init_seed") < 1001)).holds is None
    assert check(INIT, "2b-init", two.filter(pl.col("seed") < 102)).holds is not None
    assert check(INIT, "2b-init", two.filter(pl.col("seed") < 101)).holds is None
    fewer = made.filter((pl.col("seed") < 102) | (pl.col("init_seed") > 1000))  # one network has two streams only
    assert (
        check(INIT, "2b-init", fewer).measured.value
        == check(INIT, "2b-init", made.filter(pl.col("seed") < 102)).measured.value
    )


def test_every_setting_must_be_decided_by_its_initial_weights(crossings):
    bad, good = crossed(0.3, 0.02), crossed(0.02, 0.3)
    made = crossings(lambda run: bad(run) if run.model.name == "polynet" else good(run))
    assert check(INIT, "2b-init", made).holds is False
    assert check(INIT, "2b-init-paper", made).holds is None
    assert check(INIT, "2b-init", made.filter(made["model"] != "polynet")).holds is None


def test_a_failed_run_counts_with_all_its_steps(crossings):
    late = crossings(lambda run: None if run.init.seed == 1000 else 1000.0 + run.init.seed)
    found = check(INIT, "2b-init", late)
    assert found.holds
    assert "8 failed" in found.detail


def test_the_four_settings_of_the_paper():
    made = timing(INIT.runs("paper", 2))(crossed(0.05, 0.3))
    assert check(INIT, "2b-init-paper", made).holds
    assert len(INIT.runs("paper")) == 3600


def test_inits_and_streams_are_crossed():
    runs = INIT.runs("laptop")
    assert len(runs) == 240
    assert len({(run.init.seed, run.seed, run.model.name) for run in runs}) == 240
    assert {run.task.support for run in runs} == {(0, 1, 2)}
