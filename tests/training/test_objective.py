import jax
import numpy as np
import pytest

from glassware.training import LOSSES
from glassware.training.objective import wrong

OUTPUTS = np.linspace(-3, 3, 25, dtype=np.float32)

BY_HAND = {
    "hinge": lambda output, y: np.maximum(0, 1 - y * output),
    "square": lambda output, y: (output - y) ** 2,
    "logistic": lambda output, y: np.log1p(np.exp(-y * output)),
    "correlation": lambda output, y: -y * output,
}


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("loss", BY_HAND)
def test_losses_are_those_of_the_textbook(loss, y):
    np.testing.assert_allclose(LOSSES[loss].function(OUTPUTS, y), BY_HAND[loss](OUTPUTS, y), atol=1e-6)


def test_hinge_is_flat_from_its_corner_on():
    slope = jax.vmap(jax.grad(lambda output: LOSSES["hinge"].function(output, 1.0)))
    np.testing.assert_array_equal(slope(np.float32([0.999, 1.0, 1.001])), [-1, 0, 0])


def test_logistic_stays_finite_far_out():
    np.testing.assert_allclose(LOSSES["logistic"].function(np.float32([-1e4, 1e4]), 1.0), [1e4, 0])


def test_zero_and_nan_are_misses():
    output = np.float32([2, -2, 0, -0.0, np.nan])
    np.testing.assert_array_equal(wrong(output, 1.0), [0, 1, 1, 1, 1])
    np.testing.assert_array_equal(wrong(output, -1.0), [1, 0, 1, 1, 1])
