"""A task or a model of your own that does not fit is one sentence, before anything is trained."""

from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import glassware as gw
from glassware.foundation.draws import draw, unit


class Above(gw.Task):
    """Is x above one half?"""

    name: Literal["test-above"] = "test-above"
    input_shape: ClassVar = (1,)

    def raw(self, key, index):
        return unit(draw(key, index, 0 * index)[0])

    def inputs(self, values, raw):
        return raw[..., None]

    def targets(self, values, raw):
        return jnp.where(raw > 0.5, 1.0, -1.0)


class Third(Above):
    """Which third is x in?"""

    name: Literal["test-third"] = "test-third"
    kind: ClassVar = "class"
    classes: ClassVar = 3

    def targets(self, values, raw):
        return jnp.floor(3 * raw).astype(jnp.int32)


class Linear(gw.Model):
    """A model of one class's logits for every class."""

    name: Literal["test-linear"] = "test-linear"
    layers: ClassVar = 1
    kinds: ClassVar = ("sign", "class")

    def init(self, values, task):
        return ({"w": jnp.zeros((task.input_size, task.classes))},)

    def apply(self, params, x):
        y = x @ params[0]["w"]
        return y[..., 0] if y.shape[-1] == 1 else y


@pytest.fixture
def registered(monkeypatch):
    """Registers a subclass with some methods replaced, under a name of its own, until the test ends."""

    def register(base: type, **changed: Any) -> Any:
        name = "test-" + "-".join([base.__name__.lower(), *changed])
        registry = gw.TASKS if issubclass(base, gw.Task) else gw.MODELS
        own = {"__annotations__": {"name": Literal[name]}, "name": name, "__module__": __name__}
        made = type("Mine", (base,), {**own, **changed})
        monkeypatch.setitem(registry, name, made)
        return made()

    return register


def train(task, model=None):
    """A few steps."""
    run = {"task": task, "model": model or gw.MLP(width=4), "steps": 20, "batch": 4}
    return gw.train(gw.Run(**run, evaluation=gw.Evaluation(every=10, test=32)))


def above(raw):
    return raw > 0.5


@pytest.mark.parametrize(
    ("method", "function", "said"),
    [
        ("targets", lambda s, v, raw: 1.0 * above(raw), "targets gives 0 and 1; a task of kind 'sign' has targets .1"),
        ("targets", lambda s, v, raw: above(raw), "targets gives False and True; a task of kind 'sign'"),
        ("targets", lambda s, v, raw: jnp.log(raw - 0.5), "targets gives numbers that are not finite"),
        ("targets", lambda s, v, raw: 2.0 * above(raw)[:, None] - 1, r"targets gives an array of shape \(32, 1\)"),
        ("targets", lambda s, v, raw: jnp.float32(1), r"targets gives an array of shape \(\) for 32 examples"),
        ("targets", lambda s, v, raw: -jnp.ones(32) if raw[0] > 2 else jnp.ones(32), "targets cannot be compiled by"),
        ("inputs", lambda s, v, raw: jnp.stack([raw, raw], -1), r"inputs gives \(2,\) per example; input_shape says"),
        ("inputs", lambda s, v, raw: raw[None], r"inputs gives \(1, 32\) for 32 examples; expected \(32, 1\)"),
        ("inputs", lambda s, v, raw: raw.no_such, "inputs fails: AttributeError"),
        ("values", lambda s, key: [1], "values gives a list; it returns a dictionary of arrays"),
        ("raw", lambda s, key, index: None, "raw gives None; it returns the examples at these indices"),
        ("raw", lambda s, key, index: np.random.rand(len(index)), "raw gives other examples when it is called again"),
        ("raw", lambda s, key, index: np.linspace(0, 1, len(index)), "raw does not make example i from index.i. alone"),
        ("raw", lambda s, key, index: unit(draw((1, 2), index, 0 * index)[0]), "raw ignores its key"),
        ("raw", lambda s, key, index: unit(draw(key, 0 * index, 0 * index)[0]), "raw ignores its index"),
    ],
)  # fmt: skip
def test_a_task_that_does_not_fit_is_a_sentence(registered, method, function, said):
    task = registered(Above, **{method: function})
    with pytest.raises(gw.GlasswareError, match=f"^Mine.{said}"):
        train(task)


def test_a_task_that_fits_is_trained(registered):
    assert train(registered(Above))["task"] == "test-above"
    rare = lambda self, key, index: (unit(draw(key, index, 0 * index)[0]) < 0.01) * 1.0  # alike in a few examples
    assert train(registered(Above, raw=rare))["task"] == "test-above-raw"
    assert train(registered(Third), registered(Linear))["steps_taken"]


def test_inputs_that_read_what_is_hidden_say_so(registered):
    hidden = {"values": lambda self, key: {"shift": np.float32(1)}}
    task = registered(Above, **hidden, inputs=lambda self, values, raw: raw[:, None] + values["shift"])
    with pytest.raises(gw.GlasswareError, match=r"reads values\['shift'\].* says hidden_inputs = True"):
        train(task)


def test_classes_out_of_range_and_wrong_outputs_are_said(registered):
    late = registered(Third, targets=lambda self, values, raw: jnp.floor(3 * raw).astype(jnp.int32) + 1)
    with pytest.raises(gw.GlasswareError, match=r"gives 1, 2 and 3; .* 3 classes has whole targets from 0 to 2"):
        train(late, registered(Linear))
    column = registered(Linear, apply=lambda self, params, x: x @ params[0]["w"][:, :1])
    with pytest.raises(gw.GlasswareError, match=r"Mine.apply gives \(32, 1\).* 'class' with 3 classes needs \(32, 3\)"):
        train(registered(Third), column)
    layers = registered(Linear, init=lambda self, values, task: ({}, {}))
    with pytest.raises(gw.GlasswareError, match=r"Mine\.init gives 2 dictionaries; layers says 1"):
        train(registered(Third), layers)


def test_what_a_class_declares_is_checked_when_it_is_written(registered):
    with pytest.raises(gw.GlasswareError, match="kind of Mine must be 'sign', 'class' or 'sequence', not 'classes'"):
        registered(Above, kind="classes")
    with pytest.raises(gw.GlasswareError, match=r"input_shape of Mine must be a tuple .*, not 2"):
        registered(Above, input_shape=2)


def test_nothing_is_compiled_before_it_is_tried(registered, monkeypatch):
    monkeypatch.setattr(jax, "jit", lambda *_: pytest.fail("compiled"))
    with pytest.raises(gw.GlasswareError, match="gives 0 and 1"):
        gw.sweep(
            [gw.Run(task=registered(Above, targets=lambda s, v, raw: 1.0 * above(raw)), model=gw.MLP(width=4))],
            progress=True,
        )
