import jax
import numpy as np
import pytest

from glassware.tasks.doubly_stochastic import doubly_stochastic, numbers_needed

MANY = 40_000


@pytest.mark.parametrize("k", [3, 5])
def test_entries_are_alike_and_rows_and_columns_sum_to_one(k):
    """Uniform on the polytope, all entries have one law; a way down with wrong shares would prefer some."""
    u = np.random.default_rng(0).random((MANY, numbers_needed(k)), np.float32)
    drawn = np.asarray(jax.jit(lambda u: doubly_stochastic(u, k))(u), np.float64)
    for axis in (1, 2):
        np.testing.assert_allclose(drawn.sum(axis=axis), 1, atol=1e-5)
    assert drawn.min() >= 0
    second = drawn**2
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / k, atol=4.5 * drawn.std() / np.sqrt(MANY))
    np.testing.assert_allclose(second.mean(axis=0), second.mean(), atol=4.5 * second.std() / np.sqrt(MANY))


def test_simplices_of_five_states_have_the_volume_of_a_lattice_simplex():
    """Equal volumes, and as many as the polytope has (tests/theory/test_birkhoff.py): each point is as likely."""
    k, corners, rng = 5, 17, np.random.default_rng(1)
    picks = np.repeat(rng.random((20, 1, corners - 1), np.float32), corners, axis=1)
    weights = np.where(np.eye(corners, dtype=bool), 1e-30, 1 - 1e-7).astype(np.float32)  # each corner alone in turn
    u = np.concatenate([picks, np.broadcast_to(weights, (20, corners, corners))], axis=-1)
    cut = np.round(np.asarray(doubly_stochastic(u, k)))[..., : k - 1, : k - 1].reshape(20, corners, -1)
    np.testing.assert_allclose(np.abs(np.linalg.det(cut[:, 1:] - cut[:, :1])), 1, atol=1e-6)
