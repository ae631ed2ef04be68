import numpy as np
import pytest

from glassware.theory.variable_creation.bases import crowded_basis, random_sign_basis
from glassware.theory.variable_creation.juntas import all_bits
from glassware.theory.variable_creation.norms import softmax
from glassware.theory.variable_creation.selection import head_limit, select, target
from glassware.theory.variable_creation.sharpness import KINDS, sharpness, truncation, worst_error

RNG = np.random.default_rng


def written_out(selection, bits):
    """softmax(x_CLS^T W_Q W_K^T X^T) X W_V W_C, summed over heads, for one string of bits."""
    X = selection.inputs.rows(bits[None])[0]
    total = 0
    for head in selection.heads:
        scores = X[-1] @ head.W_Q @ head.W_K.T @ X.T
        total = total + softmax(scores) @ X @ head.W_V @ head.W_C
    return total[: selection.outputs]


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_are_those_of_the_plain_formula(kind):
    basis = None if kind.startswith("trained") else random_sign_basis(20, 300, RNG(0))
    selection, bits = select(kind, 20, (3, 4, 11), basis, R=3.0), RNG(1).integers(0, 2, (5, 20))
    for found, one in zip(selection(bits), bits, strict=True):
        np.testing.assert_allclose(found, written_out(selection, one), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_worst_error_is_reached(kind):
    selection, bits = select(kind, 11, (1, 4, 9)), all_bits(11)
    error = np.abs(selection(bits) - selection.target(bits)).max()
    assert error == pytest.approx(worst_error(kind, 11, 3, selection.R), abs=1e-12)


def test_truncation_counts_cls():
    selection = select("one head", 20, (0, 1))
    weights = selection.attention(np.zeros((1, 20), int))[0]
    distance = np.abs(weights - np.where(np.arange(21) < 2, 0.5, 0)).sum()
    assert distance == pytest.approx(truncation(20, 2, selection.R), abs=1e-12)


def test_printed_indices_select_nothing():
    assert np.abs(select("s heads", 9, (1, 2), printed=True)(all_bits(9))).max() == 0


def test_crowded_positions():
    """The text asks for Delta < 1/s. From 1/(2s-1) on other tokens can outscore the relevant ones."""
    for delta, printed in ((0.25, True), (0.19, False)):
        basis = crowded_basis(3, 5, delta)
        R = sharpness("one head", 8, 3, delta, printed=printed, dual=not printed)
        heads = select("one head", 8, range(3), basis, R=R, dual=not printed)
        error = np.abs(heads(all_bits(8)) - heads.target(all_bits(8))).max()
        assert (error <= head_limit("one head", 3)) is not printed


def test_targets():
    bits = np.array([[1, 1, 0]])
    assert target("one head", bits).item() == pytest.approx(-1 / 3)
    assert target("s heads", bits).tolist() == [[-1, -1, 1]]
    assert target("bag", bits).item() == pytest.approx((2 - 3) / 3)
    np.testing.assert_allclose(target("bag vector", bits), [[0, 0, -1 / 3]])
    with pytest.raises(ValueError, match="different places"):
        select("bag", 9, (3, 3))
