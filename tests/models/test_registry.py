"""The eight settings of Hidden Progress, Figure 1, and models made known by the user."""

from typing import ClassVar, Literal

import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import cpu, train
from glassware.engine.kernels import program as gpu
from glassware.engine.kernels.program import supports
from glassware.models import ACTIVATIONS, MLP, MODELS, Activation, Init, Model
from glassware.models.init import affine
from glassware.sweeps import run_id, sweep
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.tasks import Parity
from glassware.training import SGD, Run
from tests.helpers import TINY, tiny

SETTINGS = {
    "relu, width 10": ({"width": 10}, 32, 0.5),
    "relu, large batch": ({"width": 10}, 1024, 0.05),
    "relu, batch 1": ({"width": 100}, 1, 0.05),
    "cubic": ({"width": 10, "activation": "power", "degree": 3}, 32, 0.05),
    "zigzag": ({"width": 1, "activation": "zigzag", "degree": 3, "output_bias": False}, 32, 0.2),
    "sinusoid": ({"width": 1, "activation": "sinusoid", "degree": 3, "output_bias": False}, 32, 0.05),
    "transformer": ({"name": "transformer", "d_emb": 16, "heads": 2}, 32, 5e-4),
    "polynet": ({"name": "polynet", "degree": 3}, 32, 0.07),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_eight_settings_train(setting):
    model, batch, lr = SETTINGS[setting]
    optimiser = {"name": "adam" if setting == "transformer" else "sgd", "lr": lr}
    evaluation = {"every": 10, "test": 100}
    data = {"task": {"n": 50, "k": 3}, "model": model, "batch": batch, "steps": 20, "optimiser": optimiser}
    run = build({**data, "evaluation": evaluation, "init": {"scheme": "glorot"}})
    (outcome,) = train([run])
    assert outcome.steps_taken == 20
    assert np.isfinite(outcome.curves["loss"][1:]).all()
    assert outcome.curves["loss"][1] != outcome.curves["loss"][2]


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_run_with_any_model_survives_its_canonical_json(setting):
    run = tiny(model=SETTINGS[setting][0])
    again = Run.model_validate_json(spec_json(run))
    assert (again, run_id(again), hash(again.shape())) == (run, run_id(run), hash(run.shape()))
    assert run.model_dump()["model"] == dict(run.model)


def test_new_fields_at_their_defaults_do_not_change_the_name_of_a_run():
    spelt = tiny(model={"width": 8, "activation": "relu", "degree": None, "output_bias": True})
    assert run_id(spelt) == run_id(tiny())
    assert (
        len({run_id(tiny(model={"width": 8, **m})) for m in ({}, {"output_bias": False}, {"activation": "gelu"})}) == 3
    )


def test_kernels_refuse_what_they_cannot_train():
    data = {**TINY, "batch": 32}
    known = [
        {},
        {"model": {"width": 8, "output_bias": False}},
        {"model": {"name": "polynet", "degree": 3}},
        {"model": {"name": "neuron"}},
        {"batch": 7},
    ]
    others = [
        {"model": {"width": 8, "activation": "gelu"}},
        {"model": {"width": [8, 8]}},
        {"model": {"name": "polynet", "degree": 3, "disjoint": True}, "task": {"n": 12, "k": 3}},
        {"model": {"name": "transformer"}},
        {"loss": "correlation"},
    ]
    assert all(supports(build({**data, **change}).shape()) for change in known)
    assert not any(supports(build({**data, **change}).shape()) for change in others)


def test_kernels_refuse_subclasses_of_what_they_know():
    class Majority(Parity):
        """Another label for the same examples: a kernel would train the parity."""

    class Shifted(MLP):
        """Another network with the same weights."""

    class Slower(SGD):
        """Another step."""

    shape = build({**TINY, "batch": 32}).shape()
    assert all(kernel.supports(shape) for kernel in (cpu, gpu))
    for change in (
        {"task": Majority(n=12, k=3)},
        {"model": Shifted(width=8)},
        {"optimiser": Slower(lr=0.1)},
    ):
        other = shape.model_copy(update=change)
        assert not any(kernel.supports(other) for kernel in (cpu, gpu)), change


class Doubled(Model):
    """Two neurons that share their weights: sigma(w.x) + sigma(-w.x)."""

    name: Literal["doubled"] = "doubled"
    layered: ClassVar[bool] = True

    @property
    def widths(self) -> tuple[int, ...]:
        return (2,)

    @property
    def layers(self) -> int:
        return 1

    def init(self, values, task):
        inputs = task.input_size
        rows = jnp.arange(inputs, dtype=jnp.uint32)
        weight, _ = affine(values, values["keys"][0], values["keys"][1], rows, rows[:1], inputs, 1, first=True)
        return ({"w": weight},)

    def apply(self, params, x):
        return ACTIVATIONS["bump"].function(x @ params[0]["w"], None)[..., 0] - 0.5


def test_a_users_model_and_activation_run_end_to_end(monkeypatch, tmp_path):
    monkeypatch.setitem(MODELS, "doubled", Doubled)
    monkeypatch.setitem(ACTIVATIONS, "bump", Activation(lambda z, _: jnp.exp(-z * z)))
    runs = [
        tiny(model=model, probes=["movement"]) for model in ({"name": "doubled"}, {"width": 4, "activation": "bump"})
    ]
    assert runs[0].model == Doubled()
    assert runs[0].model.width == 2
    found = sweep(runs, tmp_path / "store")
    assert found["model"].to_list() == ["doubled", "mlp"]
    assert (found["curve_movement"].list.last() > 0).all()
    assert sweep(runs, tmp_path / "store").equals(found)


def test_an_unregistered_model_is_refused():
    with pytest.raises(ValueError, match="Doubled is not registered"):
        Run(task={"n": 20, "k": 3}, model=Doubled(), init=Init())
