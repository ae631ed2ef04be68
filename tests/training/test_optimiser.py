import numpy as np
import pytest

from glassware.sweeps.validation import build
from tests import reference
from tests.helpers import weights_along

LR, DECAY = 0.01, 0.1


def momentum(params, g, t, memory):
    memory[:] = [0.9 * u + (gi + DECAY * p) for u, gi, p in zip(memory or [0.0] * 4, g, params, strict=True)]
    return [LR * u for u in memory]


def adam(params, g, t, memory, coupled=True):
    first, second = memory or ([0.0] * 4, [0.0] * 4)
    g = [gi + DECAY * p for gi, p in zip(g, params, strict=True)] if coupled else g
    first = [0.8 * u + 0.2 * gi for u, gi in zip(first, g, strict=True)]
    second = [0.99 * u + 0.01 * gi**2 for u, gi in zip(second, g, strict=True)]
    memory[:] = [first, second]
    ratio = [u / (1 - 0.8**t) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3) for u, v in zip(first, second, strict=True)]
    return [LR * (r + (0.0 if coupled else DECAY * p)) for r, p in zip(ratio, params, strict=True)]


def adamw(params, g, t, memory):
    return adam(params, g, t, memory, coupled=False)


def layer_rates(params, g, t, memory):
    return [f * LR * (gi + DECAY * p) for f, gi, p in zip([3.0, 3.0, 0.5, 0.5], g, params, strict=True)]


def truncation(params, g, t, memory):
    """Small entries of the gradient are left out, and the decay is not."""
    kept = [np.where(np.abs(gi) > 0.02, gi, 0.0) for gi in g]
    assert 0.2 < np.mean(kept[0] == 0) < 0.95
    return [LR * (gi + DECAY * p) for gi, p in zip(kept, params, strict=True)]


ADAM = {"b1": 0.8, "b2": 0.99, "eps": 1e-3}
CASES = {
    "momentum": (momentum, {"name": "sgd", "momentum": 0.9}),
    "adam": (adam, {"name": "adam", **ADAM}),
    "adamw": (adamw, {"name": "adamw", **ADAM}),
    "truncation": (truncation, {"name": "sgd", "truncation": 0.02}),
    "layer rates": (layer_rates, {"name": "sgd", "layer_rates": [3.0, 0.5]}),
}


def run_with(optimiser):
    fixed = {"task": {"n": 20, "k": 3}, "m": 100, "model": {"width": 10}, "loss": "logistic"}
    return build({**fixed, "steps": 20, "evaluation": {"every": 20}, "optimiser": optimiser})


@pytest.mark.parametrize("case", CASES)
def test_steps_are_those_written_by_hand(case):
    update, optimiser = CASES[case]
    run = run_with({**optimiser, "lr": LR, "weight_decay": DECAY})
    engine = weights_along(run)
    params, memory = reference.start(run), []
    for t, g in enumerate(reference.gradients_along(run, params), start=1):
        params[:] = [p - u for p, u in zip(params, update(params, g, t, memory), strict=True)]
        for ours, plain in zip(engine, params, strict=True):
            np.testing.assert_allclose(ours[t - 1], plain, atol=1e-5, rtol=0, err_msg=f"{case}, step {t}")
    assert max(np.abs(p - q).max() for p, q in zip(params, reference.start(run), strict=True)) > 1e-2


def test_hyperparameters_are_lane_values_and_their_presence_is_shape():
    shape = lambda **more: run_with({"name": "sgd", "lr": 0.1, **more}).shape()
    assert shape(momentum=0.5) == shape(momentum=0.9, weight_decay=0.3)
    assert shape(layer_rates=[1, 2]) == shape(layer_rates=[3, 4])
    assert shape(truncation=0.1) == shape(truncation=0.2)
    assert len({shape(), shape(momentum=0.5), shape(truncation=0.1), shape(layer_rates=[1, 2])}) == 4
    adam = lambda **more: run_with({"name": "adam", "lr": 0.1, **more}).shape()
    assert adam(b1=0.5, eps=1e-4) == adam(b2=0.9)
    assert adam() != run_with({"name": "adamw", "lr": 0.1}).shape()
