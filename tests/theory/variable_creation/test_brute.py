import math

import numpy as np
import pytest

from glassware.theory.variable_creation import brute
from glassware.theory.variable_creation.covers import cover_linear, cover_matrix


@pytest.mark.parametrize("eps", [0.5, 0.21, 0.1])
def test_a_bound_that_is_too_small_is_found_out(eps):
    """Brute force: the text's last line of Lemma 4.10 fails for one row and one input, the explicit one does not."""
    line = np.linspace(-1, 1, 301)[:, None, None]
    smallest = math.log(brute.smallest_cover(line, eps))
    assert brute.log_packing(line, eps) <= smallest + 1e-12
    assert smallest <= cover_matrix(1.0, 1.0, 1, 1, eps)
    assert smallest > cover_matrix(1.0, 1.0, 1, 1, eps, printed=True)


def test_the_number_and_its_logarithm_are_not_the_same():
    size = 1 / math.sqrt(10)
    packed = brute.log_grid_packing(brute.sign_grid(10, size), size)
    assert packed == pytest.approx(10 * math.log(3))
    at = {"B1": 1.0, "B2": 1.0, "eps": 0.499 * size, "N": 10}
    assert cover_linear(**at, printed=True) < packed < cover_linear(**at)


def test_a_packing_is_apart_and_a_smallest_cover_is_one():
    values = np.random.default_rng(0).uniform(-1, 1, (60, 2, 1))
    kept = brute.packing(values, 0.6)
    apart = brute.distances(values[kept], values[kept])[~np.eye(len(kept), dtype=bool)]
    assert apart.min() > 0.6
    assert brute.uncovered(values, values[kept]) <= 0.6  # nothing could be added
    assert brute.smallest_cover(values, 0.6) <= len(kept)
    with pytest.raises(ValueError, match="at most"):
        brute.smallest_cover(np.zeros((500, 1, 1)), 0.1)


def test_values_off_the_grid_are_refused():
    with pytest.raises(ValueError, match="whole multiples"):
        brute.log_grid_packing(np.full((1, 1, 1), 0.3), 0.2)
