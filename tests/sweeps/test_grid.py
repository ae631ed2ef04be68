import pytest

from glassware.foundation.errors import GlasswareError
from glassware.models import Init
from glassware.sweeps import grid
from glassware.sweeps.validation import build
from glassware.training import SGD, Adam
from tests.helpers import TINY, tiny


def test_every_combination_once_last_axis_fastest():
    runs = grid(TINY, {"m": [30, "online"], "model.width": [8, 9]}, seeds=2)
    found = [(run.m, run.model.width, run.seed) for run in runs]
    assert found == [(m, width, seed) for m in (30, None) for width in (8, 9) for seed in (0, 1)]


def test_zipped_axes_move_together():
    runs = grid(TINY, {"m": [30, 40]}, zips=[{"batch": [4, 8], "steps": [20, 40]}])
    assert [(run.m, run.batch, run.steps) for run in runs] == [(30, 4, 20), (30, 8, 40), (40, 4, 20), (40, 8, 40)]


@pytest.mark.parametrize("base", [TINY, tiny()], ids=["data", "run"])
def test_no_axis_is_the_run_itself(base):
    assert grid(base) == grid(base, {}, zips=[]) == grid(base, zips=[{}]) == [tiny()]


def test_the_base_is_not_changed():
    before = repr(TINY)
    grid(TINY, {"model.width": [1, 2], "evaluation.every": [20]}, seeds=2)
    assert repr(TINY) == before


def test_a_part_keeps_its_kind_while_one_of_its_fields_varies():
    base = tiny(optimiser={"name": "adam", "lr": 0.1, "b1": 0.5})
    (run,) = grid(base, {"optimiser.lr": [0.2]})
    assert run.optimiser == Adam(lr=0.2, b1=0.5)
    assert grid(base) == [base]


def test_a_part_that_was_not_given_varies_from_the_runs_default():
    (run,) = grid(TINY, {"optimiser.lr": [0.3]})
    assert run.optimiser == SGD(lr=0.3, weight_decay=0.01)
    assert run.optimiser.weight_decay == tiny().optimiser.weight_decay


def test_an_axis_may_hold_whole_parts():
    inits, optimisers = [Init(), Init(scheme="sparse")], [SGD(lr=0.1), Adam(lr=0.01)]
    runs = grid(TINY, {"init": inits, "optimiser": optimisers})
    assert [(run.init, run.optimiser) for run in runs] == [(i, o) for i in inits for o in optimisers]
    (run,) = grid(TINY, {"init": [Init(scheme="sparse")], "init.eps": [0.5]})
    assert run.init == Init(scheme="sparse", eps=0.5)


def test_changing_a_scheme_does_not_meet_the_old_ones_defaults():
    (run,) = grid(build({**TINY, "init": {"scheme": "sparse"}}), {"init.scheme": ["dense"]})
    assert run.init == Init()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"axes": {"m": [0]}}, "m must be greater than or equal to 1, not 0"),
        ({"axes": {"modle.width": [1]}}, "unknown field 'modle' of run; did you mean 'model'"),
        ({"axes": {"batch.size": [1]}}, "axis 'batch.size': 'batch' is 8, which has no fields"),
        ({"zips": [{"m": [1, 2], "batch": [1]}]}, "same length: 'm' has 2, 'batch' has 1"),
        ({"seeds": 0}, "seeds must be at least 1, not 0"),
    ],
)
def test_a_bad_axis_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(GlasswareError, match=words):
        grid(TINY, **arguments)
