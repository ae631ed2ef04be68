import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.models import ACTIVATIONS
from glassware.models.activations import coefficients
from glassware.sweeps.validation import build
from tests.helpers import TINY

PARITY_LIKE = ["zigzag", "polynomial", "triangle", "sinusoid"]


def exactly(name, z, degree):
    """The activation in double precision."""
    with jax.enable_x64(True):
        return np.asarray(ACTIVATIONS[name].function(jnp.asarray(z, jnp.float64), degree))


def slope(name, z, degree):
    with jax.enable_x64(True):
        one = jax.grad(lambda z: ACTIVATIONS[name].function(z, degree))
        return np.asarray(jax.vmap(one)(jnp.asarray(z, jnp.float64)))


@pytest.mark.parametrize("k", range(1, 9))
@pytest.mark.parametrize("name", PARITY_LIKE)
def test_parity_points_alternate(name, k):
    j = np.arange(k + 1)
    np.testing.assert_allclose(exactly(name, k - 2.0 * j, k), (-1.0) ** j, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", PARITY_LIKE)
def test_a_sum_of_k_signs_becomes_their_product(name, k):
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=k)))
    np.testing.assert_allclose(exactly(name, x.sum(axis=1), k), x.prod(axis=1), atol=1e-9)


def test_twice_the_frequency_needs_half_the_weight():
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    np.testing.assert_allclose(exactly("double_sinusoid", x.sum(axis=1) / 2, 3), x.prod(axis=1), atol=1e-9)


def test_polynomials_have_their_closed_forms():
    z = np.linspace(-5, 5, 41)
    np.testing.assert_allclose(exactly("polynomial", z, 2), z**2 / 2 - 1, atol=1e-12)
    np.testing.assert_allclose(exactly("polynomial", z, 3), z**3 / 6 - 7 * z / 6, atol=1e-12)
    np.testing.assert_allclose(exactly("polynomial", z, 4), z**4 / 24 - 2 * z**2 / 3 + 1, atol=1e-12)
    assert [len(coefficients(k)) for k in (1, 6)] == [2, 7]


def test_zigzag_goes_on_beyond_its_points_and_triangle_comes_back():
    np.testing.assert_allclose(exactly("zigzag", [3.0, 4.5, 10.0, -3.0, -7.0], 3), [1, 2.5, 8, -1, -5])
    np.testing.assert_allclose(exactly("triangle", [3.0, 4.5, 5.0, 7.0, -5.0, -7.0], 3), [1, -0.5, -1, 1, 1, -1])
    z = np.linspace(-9, 9, 77)
    np.testing.assert_allclose(exactly("triangle", z + 4, 4), exactly("triangle", z, 4), atol=1e-12)


def test_the_others_are_what_their_names_say():
    z = np.linspace(-3, 3, 31)
    np.testing.assert_allclose(exactly("relu", z, None), np.maximum(z, 0))
    np.testing.assert_allclose(exactly("power", z, 3), z**3, atol=1e-12)
    gaussian = np.array([0.5 * (1 + float(jax.scipy.special.erf(v / np.sqrt(2)))) for v in z])
    np.testing.assert_allclose(exactly("gelu", z, None), z * gaussian, atol=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_are_those_of_finite_differences(name):
    k = 4 if ACTIVATIONS[name].degree else None
    z = np.linspace(-6.03, 6.01, 83)  # no kink within a step of these
    step = 1e-6
    measured = (exactly(name, z + step, k) - exactly(name, z - step, k)) / (2 * step)
    np.testing.assert_allclose(slope(name, z, k), measured, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["zigzag", "triangle"])
def test_at_a_kink_the_slope_is_the_right_hand_one(name):
    kinks = [2.0, 0.0, -2.0]
    right = slope(name, np.array(kinks) + 0.5, 4)
    np.testing.assert_array_equal(slope(name, kinks, 4), right)
    assert set(right) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ({"width": 8, "activation": "sine"}, "unknown activation 'sine'; known: relu, "),
        ({"width": 8, "activation": "power"}, "'power' needs a degree"),
        ({"width": 8, "degree": 3}, "'relu' has no degree"),
        ({"width": 8, "activation": "power", "degree": 0}, "model.degree must be greater than or equal to 1, not 0"),
        ({"name": "neuron", "activation": "gelu", "degree": 2}, "'gelu' has no degree"),
    ],
)
def test_an_impossible_activation_is_refused_in_a_sentence(model, sentence):
    with pytest.raises(GlasswareError, match=sentence):
        build({**TINY, "model": model})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tanh", [-0.761594, 0.0, 0.964028]),
        ("sigmoid", [0.268941, 0.5, 0.880797]),
        ("silu", [-0.268941, 0.0, 1.761594]),
        ("elu", [-0.632121, 0.0, 2.0]),
        ("leaky_relu", [-0.01, 0.0, 2.0]),
        ("softplus", [0.313262, 0.693147, 2.126928]),
    ],
)
def test_the_usual_activations(name, values):
    np.testing.assert_allclose(exactly(name, [-1.0, 0.0, 2.0], None), values, atol=1e-6)
    assert build({**TINY, "model": {"width": 4, "activation": name}}).model.activation == name
