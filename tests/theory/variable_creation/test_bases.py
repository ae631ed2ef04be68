import numpy as np
import pytest

from glassware.theory.variable_creation.bases import crowded_basis, gate_dimension, one_hot_basis, random_sign_basis

RNG = np.random.default_rng


@pytest.mark.parametrize("basis", [one_hot_basis(6), random_sign_basis(6, 50, RNG(0)), crowded_basis(2, 4, 0.2)])
def test_vectors_have_length_1_and_tokens_are_orthogonal(basis):
    others = np.stack([*basis.tokens, basis.cls])
    np.testing.assert_allclose(others @ others.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(basis.v @ others.T, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(basis.v, axis=1), 1)
    np.testing.assert_allclose(basis.duals((1, 3)) @ basis.v[[1, 3]].T, np.eye(2), atol=1e-12)


def test_coherence_is_of_pairs_with_a_relevant_vector():
    basis = crowded_basis(3, 5, 0.25)
    assert basis.coherence(range(3)) == pytest.approx(0.25)
    assert one_hot_basis(9).coherence((2, 5)) == 0
    many = random_sign_basis(64, gate_dimension(64, 2), RNG(1))
    assert many.coherence((0, 1)) < 1 / 4  # as two heads need it
    with pytest.raises(ValueError, match="no 50 vectors"):
        crowded_basis(3, 47, 0.3)
