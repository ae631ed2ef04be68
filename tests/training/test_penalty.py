import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.models import MLP
from glassware.training import L1, L2, MixedNorm
from tests.helpers import tiny, weights_along

RNG = np.random.default_rng(0)
MODEL = MLP(width=3)
PARAMS = (
    {"w": RNG.normal(size=(4, 3)), "b": RNG.normal(size=3)},
    {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=2)},
)


def lengths(params, a):
    """The a-norm of everything that belongs to each neuron: its weights in, its bias, its weights out."""
    first, last = params
    return [
        sum(abs(x) ** a for x in [*first["w"][:, j], first["b"][j], *last["w"][j]]) ** (1 / a)
        for j in range(first["w"].shape[1])
    ]


BY_HAND = {
    "l1": (L1(weight=1), lambda p: sum(np.abs(leaf).sum() for layer in p for leaf in layer.values())),
    "l1 of matrices": (L1(weight=1, leaves="*.w"), lambda p: sum(np.abs(layer["w"]).sum() for layer in p)),
    "l2": (L2(weight=1), lambda p: sum((leaf**2).sum() for layer in p for leaf in layer.values())),
    "l2 of the last layer": (L2(weight=1, leaves="1.*"), lambda p: sum((leaf**2).sum() for leaf in p[1].values())),
    "cubic": (MixedNorm(weight=1, outer=3), lambda p: sum(x**3 for x in lengths(p, 2))),
    "sparse": (MixedNorm(weight=1, inner=1, outer=0.5), lambda p: sum(x**0.5 for x in lengths(p, 1))),
    "a norm": (MixedNorm(weight=1, inner=3, outer=2, power=1), lambda p: sum(x**2 for x in lengths(p, 3)) ** 0.5),
}


def slopes(penalty, params):
    with jax.enable_x64(True):
        return jax.value_and_grad(lambda p: penalty.size(MODEL, p))(jax.tree.map(jnp.asarray, params))


@pytest.mark.parametrize("case", BY_HAND)
def test_sizes_and_gradients_are_those_of_the_formula(case):
    penalty, formula = BY_HAND[case]
    size, gradient = slopes(penalty, PARAMS)
    np.testing.assert_allclose(size, formula(PARAMS), rtol=1e-10)
    step = 1e-6
    for i, name in ((0, "w"), (0, "b"), (1, "w"), (1, "b")):
        for place in np.ndindex(PARAMS[i][name].shape):
            shifted = []
            for sign in (1, -1):
                changed = jax.tree.map(np.copy, PARAMS)
                changed[i][name][place] += sign * step
                shifted.append(formula(changed))
            slope = (shifted[0] - shifted[1]) / (2 * step)
            np.testing.assert_allclose(gradient[i][name][place], slope, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(
    "penalty",
    [MixedNorm(weight=1, outer=3), MixedNorm(weight=1, outer=0.5), MixedNorm(weight=1, inner=1, outer=2, power=0.5)],
    ids=str,
)
def test_neurons_of_length_0_have_no_slope_and_no_nan(penalty):
    dead = jax.tree.map(np.copy, PARAMS)
    dead[0]["w"][:, 1] = dead[0]["b"][1] = dead[1]["w"][1] = 0.0
    dead[0]["w"][0, 0] = 0.0  # one weight of a neuron that lives
    for params in (dead, jax.tree.map(np.zeros_like, PARAMS)):
        size, gradient = slopes(penalty, params)
        assert np.isfinite(size)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))
        assert not gradient[0]["w"][:, 1].any()
        assert not gradient[1]["w"][1].any()


def test_half_the_squares_are_a_weight_decay():
    common = {"pairing": "one", "m": 50}
    decay, lone = {"name": "sgd", "lr": 0.1, "weight_decay": 0.2}, {"name": "sgd", "lr": 0.1}
    decayed = weights_along(tiny(**common, optimiser=decay))
    penalised = weights_along(tiny(**common, optimiser=lone, penalty=[{"name": "l2", "weight": 0.1}]))
    plain = weights_along(tiny(**common, optimiser=lone))
    for ours, theirs, without in zip(penalised, decayed, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
        assert np.abs(ours - without).max() > 1e-3


def test_penalties_add_up_and_their_weights_are_lane_values():
    spec = lambda *weights: tiny(penalty=[{"name": "l2", "weight": weight} for weight in weights])
    assert spec(0.1, 0.2).shape() == spec(0.3, 0.0).shape() != spec(0.3).shape()
    for ours, theirs in zip(
        *(weights_along(spec(*w).model_copy(update={"pairing": "one"})) for w in ((0.1, 0.2), (0.3,))), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_a_penalty_on_neurons_needs_a_model_with_neurons():
    with pytest.raises(
        GlasswareError, match=r"^the penalty 'mixed-norm' needs a model whose neurons are known, not 'mlp'$"
    ):
        tiny(model={"width": [4, 4]}, penalty=[{"name": "mixed-norm", "weight": 1, "outer": 2}])
