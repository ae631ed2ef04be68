"""No early convergence; initial weights or minibatches."""

import numpy as np
import polars as pl
import pytest

from glassware.studies.hidden_progress import init_or_batches, no_early_convergence
from tests.studies.hidden import index, timing
from tests.studies.made import check

EARLY, INIT = no_early_convergence.STUDY, init_or_batches.STUDY


@pytest.fixture(scope="module")
def trials():
    return timing(EARLY.runs("laptop", 1000))


def spread_out(first=600.0, last=4000.0):
    """Times that rise with the seed from ``first`` to ``last``, most of them near the lower end."""
    return lambda run: first + (last - first) * (index(run) / 999) ** 4


@pytest.mark.parametrize(
    ("claim", "time", "said"),
    [
        ("2a-none-early", spread_out(), "holds"),
        ("2a-none-early", lambda run: 1.0 if index(run) == 0 and run.model.name == "mlp" else 1000.0, "fails"),
        ("2a-none-early", lambda run: 1000 * -np.log(1 - (index(run) + 0.5) / 1000), "fails"),  # random search
        ("2a-none-early", lambda run: None, "fails"),  # untrained
        ("2a-none-early-paper", spread_out(), "too close to call"),
        ("2a-none-early-paper", lambda run: 1.0 if index(run) < 10 else 1000.0, "fails"),
        ("2a-tail", spread_out(), "holds"),
        ("2a-tail", lambda run: 100.0 + index(run) / 100, "fails"),
        ("2a-tail", lambda run: 100.0 if index(run) > 50 else None, "holds"),
        ("2a-tail", lambda run: None, "not enough runs"),
    ],
)
def test_early_runs_and_late_ones(trials, claim, time, said):
    assert check(EARLY, claim, trials(time)).verdict == said


def test_fewer_than_one_run_in_ten_thousand():
    made = timing(EARLY.runs("laptop", 1))(lambda run: 400)
    made = made.select("model", "activation", "depth", "width", "n", "k", "steps_to_success")
    some = made[np.tile(np.arange(len(made)), 100_000)]
    assert check(EARLY, "2a-none-early-paper", some).verdict == "holds"


def test_two_settings_are_not_enough(trials):
    some = trials(spread_out()).filter(pl.col("model") != "mlp")
    assert check(EARLY, "2a-none-early", some).verdict == "not enough runs"
    assert check(EARLY, "2a-tail", some).verdict == "not enough runs"


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


@pytest.mark.parametrize(
    ("within", "between", "said"),
    [(0.05, 0.3, "holds"), (0.3, 0.05, "fails"), (0.3, 0.35, "too close to call"), (0.3, 0.0, "fails")],
)
def test_what_decides(crossings, within, between, said):
    found = check(INIT, "2b-init", crossings(crossed(within, between)))
    assert found.verdict == said
    assert found.measured.low <= found.measured.value <= found.measured.high


def test_the_spread_within_a_network_and_between_networks():
    inits = (np.arange(40) - 19.5) / np.std(np.arange(40), ddof=1)
    time = lambda run: 1e6 * np.exp(0.2 * inits[run.init.seed - 1000] + (0.1 if index(run) else -0.1))
    found = init_or_batches.spread(timing(INIT.runs("laptop", 2))(time), "xv")
    assert found.between == pytest.approx(np.exp(0.2), rel=1e-4)
    assert found.within == pytest.approx(np.exp(0.1 * 2**0.5), rel=1e-4)


def test_one_network_or_one_stream_is_not_enough(crossings):
    made = crossings(crossed(0.05, 0.3)).with_columns(init_or_batches.init_seed())
    assert check(INIT, "2b-init", made.filter(pl.col("seed") < 102)).verdict == "holds"
    assert check(INIT, "2b-init", made.filter(pl.col("seed") < 101)).verdict == "not enough runs"
    for networks in (1, 2):  # of two there is a correlation, but no interval
        some = made.filter(pl.col("init_seed") < 1000 + networks)
        assert check(INIT, "2b-init", some).verdict == "not enough runs"
    fewer = made.filter((pl.col("seed") < 102) | (pl.col("init_seed") > 1000))  # one network has two streams only
    assert (
        check(INIT, "2b-init", fewer).measured.value
        == check(INIT, "2b-init", made.filter(pl.col("seed") < 102)).measured.value
    )


def test_every_setting_must_be_decided_by_its_initial_weights(crossings):
    bad, good = crossed(0.3, 0.02), crossed(0.02, 0.3)
    made = crossings(lambda run: bad(run) if run.model.name == "polynet" else good(run))
    assert check(INIT, "2b-init", made).verdict == "fails"
    assert check(INIT, "2b-init-paper", made).verdict == "not enough runs"
    assert check(INIT, "2b-init", made.filter(made["model"] != "polynet")).verdict == "not enough runs"


def test_a_failed_run_counts_with_all_its_steps(crossings):
    usual = crossed(0.05, 0.3)
    found = check(INIT, "2b-init", crossings(lambda run: None if run.init.seed == 1000 else usual(run)))
    assert found.verdict == "holds"
    assert "8 failed" in found.detail
    assert check(INIT, "2b-init", crossings(lambda run: None)).verdict == "not enough runs"


def test_the_four_settings_of_the_paper():
    made = timing(INIT.runs("paper", 2))(crossed(0.05, 0.3))
    assert check(INIT, "2b-init-paper", made).verdict == "holds"
    assert len(INIT.runs("paper")) == 3600


def test_inits_and_streams_are_crossed():
    runs = INIT.runs("laptop")
    assert len(runs) == 960
    assert len({(run.init.seed, run.seed, run.model.name) for run in runs}) == 960
    assert {run.task.support for run in runs} == {(0, 1, 2)}
