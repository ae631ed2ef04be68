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
