import polars as pl
import pytest

from glassware.foundation.statistics import NEVER
from glassware.models import MLP, Init
from glassware.studies.hidden_progress.shared import rows
from glassware.studies.hidden_progress.shared.settings import SETTINGS
from glassware.studies.hidden_progress.shared.trials import FIRST_SEED, repeat, trial
from tests.studies.made import pretend

RUNS = [trial(setting, 10, k, lr=0.1) for setting in SETTINGS for k in (2, 3, 4)]


@pytest.fixture(scope="module")
def made():
    return pretend(RUNS, lambda run: run.task.k < 4)


def test_every_setting_is_told_from_the_columns(made):
    assert rows.with_setting(made)["setting"].to_list() == [setting for setting in SETTINGS for _ in (2, 3, 4)]


def test_a_named_width_goes_before_width_k():
    made = pretend([trial(setting, 20, 10, lr=0.1) for setting in ("i", "iv")], lambda run: True)
    assert rows.with_setting(made)["setting"].to_list() == ["i", "iv"]


def test_a_network_that_is_no_setting_has_none():
    others = [MLP(width=11), MLP(width=(10, 10)), MLP(width=10, activation="sinusoid", degree=3)]
    made = pretend([trial(other, 12, 3, lr=0.1) for other in others], lambda run: True)
    assert rows.with_setting(made)["setting"].to_list() == [None, None, None]


def test_times_of_a_cell(made):
    assert rows.times(made, setting="xv", k=2) == [100.0]
    assert rows.times(made, setting="xv", k=4) == [NEVER]
    assert rows.counts(made, setting="*i") == (2, 3)
    assert rows.cells(made, "setting", "k")["iv", 3] == [100.0]
    assert rows.times(pl.DataFrame(), setting="xv") == []
    assert rows.cells(pl.DataFrame(), "setting") == {}


def test_a_trial_is_the_papers():
    run = trial("ii", 30, 3, lr=1.0)
    assert run.m is None
    assert run.optimiser.weight_decay == 0.0
    assert run.evaluation.success == 0.0
    assert run.evaluation.test == 8192
    attention = trial("*iii", 30, 3, lr=3e-4)
    assert (attention.optimiser.name, attention.init.scheme) == ("adam", "glorot")
    assert trial("ii", 30, 3, lr=1.0, init=Init(scheme="sign")).init.scheme == "sign"


def test_seeds_are_none_of_those_that_chose_the_thresholds():
    runs = repeat(RUNS[:2], 3)
    assert [run.seed for run in runs] == 2 * [FIRST_SEED, FIRST_SEED + 1, FIRST_SEED + 2]
    assert FIRST_SEED > 25
