import numpy as np
import pytest

from glassware.theory.variable_creation import brute, maurey


def test_the_cover_of_the_proof_covers_and_the_printed_one_does_not():
    net = maurey.ball_net(1.0, 2, 15)[:, None]
    built = maurey.matrix_cover(1.0, 2.0, 2, 0.2, 0.3)[:, None]
    assert np.abs(built).sum(axis=-1).max() <= 1 + 1e-9  # members of the class
    assert brute.uncovered(2.0 * net, 2.0 * built) <= 0.3 + 2.0 * 0.2  # at the input x = 2
    short = maurey.matrix_cover(1.0, 2.0, 2, 0.2, 0.3, printed=True)[:, None]
    assert brute.uncovered(2.0 * net, 2.0 * short) > 1


def test_maurey():
    v = np.array([0.3, 0.1, 0.4])
    found = maurey.drawn_error(v, 1.0, 5, 100_000, np.random.default_rng(0))
    assert found == pytest.approx(maurey.mean_square_error(v, 1.0, 5), rel=0.02)
    centres = maurey.averages(3, 1.0, maurey.averages_needed(1.0, 0.4))
    assert np.linalg.norm(centres - v, axis=1).min() <= 0.4
