import json
import re

import pytest

from glassware.sweeps import SEMANTICS, run_id
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.training import Run
from tests.helpers import tiny

# The name of a run must never change by accident: stores are full of them. First as 0.1.0 had it, then today's.
PINNED = {
    ("6fe76cfd0f9551ad4883", "7245a8779411833a3d17"): {"task": {"n": 50, "k": 3}, "model": {"width": 100}},
    ("f836a01c90c67b5262c0", "a74e470db2925bc5b9bc"): {
        "task": {"n": 33, "k": 2, "support": [4, 7], "noise": 0.1},
        "m": 1000,
        "sampling": "epochs",
        "model": {"width": [30, 20]},
        "init": {"scheme": "sparse", "eps": 0.01},
        "loss": "square",
        "optimiser": {"name": "adamw", "lr": 0.003, "weight_decay": 0.1, "layer_rates": [1, 2, 3]},
        "batch": 64,
        "steps": 1000,
        "evaluation": {"every": 500, "train": 100, "stop": False},
        "probes": ["weight_norms"],
        "seed": 2**63,
    },
}


@pytest.mark.parametrize("pinned", PINNED, ids=" ".join)
def test_ids_are_pinned(pinned):
    assert SEMANTICS == 2
    run = build(PINNED[pinned])
    assert (run_id(run, 1), run_id(run)) == pinned


@pytest.mark.parametrize("pinned", PINNED, ids=" ".join)
def test_a_run_survives_its_canonical_json(pinned):
    run = build(PINNED[pinned])
    again = Run.model_validate_json(spec_json(run))
    assert again == run
    assert run_id(again) == run_id(run)
    assert spec_json(again) == spec_json(run)


def test_an_id_is_twenty_hexadecimal_digits():
    assert re.fullmatch("[0-9a-f]{20}", run_id(tiny()))


def test_a_default_and_its_spelt_out_form_are_one_run():
    assert run_id(tiny(sampling="replacement", loss="hinge", seed=0)) == run_id(tiny())
    assert run_id(tiny(m="online")) == run_id(tiny(m=None)) == run_id(tiny())
    assert run_id(tiny(init={"scheme": "sparse"})) == run_id(tiny(init={"scheme": "sparse", "s": 2, "eps": 0}))
    assert run_id(tiny(optimiser={"name": "sgd", "lr": 0.1, "weight_decay": 0.01})) == run_id(tiny())
    assert run_id(tiny(model={"width": [8]})) == run_id(tiny())
    assert run_id(tiny(steps=60.0)) == run_id(tiny())


def test_the_support_is_a_set():
    ids = {run_id(tiny(task={"n": 20, "k": 2, "support": support})) for support in ([3, 17], [17, 3])}
    assert len(ids) == 1


def test_everything_that_decides_the_outcome_decides_the_id():
    runs = [
        tiny(), tiny(seed=1), tiny(m=50), tiny(m=50, sampling="epochs"), tiny(batch=9), tiny(steps=70),
        tiny(loss="square"), tiny(model={"width": 9}), tiny(init={"scheme": "sign"}), tiny(init={"seed": 0}),
        tiny(task={"n": 20, "k": 3, "noise": 0.1}), tiny(task={"n": 20, "k": 3, "support": [0, 1, 2]}),
        tiny(optimiser={"name": "sgd", "lr": 0.1}), tiny(optimiser={"name": "adam", "lr": 0.1}),
        tiny(evaluation={"every": 10, "test": 101}), tiny(probes=["neuron_norms"]),
    ]  # fmt: skip
    assert len({run_id(run) for run in runs}) == len(runs)


def test_canonical_json_leaves_defaults_out():
    assert json.loads(spec_json(tiny(m=7)))["m"] == 7
    assert "m" not in json.loads(spec_json(tiny()))
