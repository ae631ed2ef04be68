import math

import numpy as np
import pytest

from glassware.theory.birkhoff import descent, simplices, vertices


@pytest.mark.parametrize(("k", "count"), [(2, 1), (3, 3), (4, 352)])
def test_the_polytope_is_cut_into_simplices_of_equal_volume(k, count):
    """Equal to 1 in units of a lattice simplex, and together the whole polytope: 1, 3 and 352 are its known volumes."""
    corners = vertices(k)[:, : k - 1, : k - 1].reshape(math.factorial(k), -1)  # the rest of a matrix follows
    cut = corners[simplices(k)]
    volume = np.abs(np.linalg.det(cut[:, 1:] - cut[:, :1]))
    np.testing.assert_allclose(volume, 1, atol=1e-9)
    assert len(cut) == count


def test_mixtures_of_corners_have_the_moments_of_rejection():
    rng = np.random.default_rng(0)
    block = rng.random((400_000, 2, 2))
    keep = (block.sum(1) <= 1).all(-1) & (block.sum(2) <= 1).all(-1) & (block.sum((1, 2)) >= 1)
    assert abs(keep.mean() - 1 / 8) < 4 * math.sqrt(7 / 64 / 400_000)
    kept = block[keep]
    cut = simplices(3)
    weight = rng.dirichlet(np.ones(5), len(kept))
    mixed = np.einsum("cv,cvij->cij", weight, vertices(3)[cut[rng.integers(3, size=len(kept))]])
    np.testing.assert_allclose(mixed.sum(1), 1)
    np.testing.assert_allclose(mixed.sum(2), 1)
    for moment in (lambda p: p[:, 0, 0], lambda p: p[:, 0, 1] ** 2, lambda p: p[:, 0, 0] * p[:, 1, 1]):
        one, other = moment(mixed), moment(kept)
        error = math.sqrt((one.var() + other.var()) / len(kept))
        assert abs(one.mean() - other.mean()) < 4 * error


def test_the_way_down_passes_as_many_simplices_as_the_polytope_has():
    assert [descent(k).simplices[0] for k in (2, 3, 4, 5)] == [1, 3, 352, 4_718_075]


def test_only_sizes_that_can_be_listed():
    with pytest.raises(ValueError, match="2 to 4 states"):
        simplices(5)
