"""Random numbers follow from the seed and the cell: cells draw independently, a longer run extends a shorter one."""

from typing import Literal

import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import Stream, run_key, stream_key
from glassware.models import MLP, MODELS
from glassware.sweeps import run_id
from glassware.training import Run
from tests import reference
from tests.helpers import TINY, tiny

# What each of these changes is part of the cell.
CELLS = {
    "task": {"task": {"n": 20, "k": 3, "noise": 0.1}},
    "m": {"m": 60},
    "sampling": {"sampling": "epochs"},
    "model": {"model": {"width": 8, "output_bias": False}},
    "init": {"init": {"scheme": "kaiming"}},
    "loss": {"loss": "square"},
    "penalty": {"penalty": [{"name": "l2", "weight": 0.1}]},
    "optimiser": {"optimiser": {"name": "sgd", "lr": 0.2}},
    "schedule": {"optimiser": {"name": "sgd", "lr": 0.1, "schedule": {"name": "warm-up", "warm_up": 5}}},
    "batch": {"batch": 9},
    "start": {"start": {"run": "0123456789abcdef0123"}},
}

# And what each of these changes is not: how long it trains, how it is looked at, what is kept.
SAME_CELL = {
    "steps": {"steps": 120},
    "evaluation": {"evaluation": {"every": 5, "test": 50, "growth": 2.0, "metrics": ["accuracy"], "success": 0.3}},
    "probes": {"probes": ["weight_norms"]},
    "keep": {"keep": ["first", 20]},
    "whose weights": {"init": {"seed": 7}},
}


def drawn(run):
    """What is random in a run: its support, its first examples, the order of its minibatches, its first weights."""
    x, _ = reference.example(run, np.arange(20, dtype=np.uint32))
    order = stream_key(run.key(), Stream.ORDER)
    return run.task.hidden_support(run.key()), x.tobytes(), order.tobytes(), reference.start(run)[0].tobytes()


@pytest.mark.parametrize("field", CELLS)
def test_runs_of_different_cells_share_no_random_numbers(field):
    for seed in (0, 1):
        one, other = drawn(tiny(seed=seed, m=50)), drawn(tiny(**{"seed": seed, "m": 50, **CELLS[field]}))
        assert [a for a, b in zip(one, other, strict=True) if a == b] == []


@pytest.mark.parametrize("change", SAME_CELL)
def test_how_long_a_run_trains_and_how_it_is_examined_change_no_random_number(change):
    np.testing.assert_array_equal(tiny(seed=3, **SAME_CELL[change]).key(), tiny(seed=3).key())


def test_a_longer_run_begins_like_the_shorter_bit_for_bit():
    exam = {**TINY["evaluation"], "stop": False}
    short, long = tiny(m=50, evaluation=exam), tiny(m=50, steps=120, evaluation=exam, probes=["neuron_norms"])
    (begun,), (whole,) = (train([run], engine="xla") for run in (short, long))
    assert len(begun.curves["step"]) == 7
    for name, curve in begun.curves.items():
        np.testing.assert_array_equal(whole.curves[name][:7], curve, err_msg=name)
    assert run_id(short) != run_id(long)


def test_pairing_shares_random_numbers_between_cells():
    paired = [tiny(seed=2, pairing="decay", **CELLS[field]) for field in ("loss", "optimiser", "m")]
    assert len({drawn(run) for run in paired}) == 1
    assert drawn(paired[0]) != drawn(tiny(seed=2, pairing="other", loss="square"))
    assert drawn(paired[0]) != drawn(tiny(seed=3, pairing="decay", loss="square"))
    assert len({run_id(run) for run in paired}) == 3
    assert run_id(tiny(pairing="decay")) != run_id(tiny())


def test_the_weights_alone_may_be_paired():
    one, other = (tiny(init={"pairing": "weights"}, m=m) for m in (30, 40))
    np.testing.assert_array_equal(one.init_key(), other.init_key())
    assert one.key().tolist() != other.key().tolist()
    np.testing.assert_array_equal(one.key(), tiny(m=30).key())


def test_a_new_field_at_its_default_changes_neither_numbers_nor_name(monkeypatch):
    class Newer(MLP):
        """The same network after somebody gave it a field."""

        name: Literal["mlp"] = "mlp"
        dropout: float = 0.0

    before = tiny()
    monkeypatch.setitem(MODELS, "mlp", Newer)
    after, other = (tiny(model={"width": 8, **more}) for more in ({}, {"dropout": 0.5}))
    assert type(after.model) is Newer
    assert (run_id(after), after.cell()) == (run_id(before), before.cell())
    np.testing.assert_array_equal(after.key(), before.key())
    assert run_id(other) != run_id(before)
    assert other.key().tolist() != before.key().tolist()


def test_every_field_of_a_run_is_part_of_its_cell_or_said_not_to_be():
    """A new field of ``Run`` must not be forgotten above."""
    outside = {"steps", "evaluation", "probes", "keep", "seed", "pairing"}
    assert set(Run.model_fields) - outside == {*CELLS} - {"schedule"}


def test_keys_are_pinned():
    run = tiny(seed=5)
    assert run.cell() == '{"batch":8,"model":{"name":"mlp","width":8},"task":{"k":3,"n":20,"name":"parity"}}'
    assert run.key().tolist() == run_key(5, run.cell()).tolist() == [2776505670, 958039514]
