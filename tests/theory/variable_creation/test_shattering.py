import numpy as np
import pytest

from glassware.theory.variable_creation import shattering as sh
from glassware.theory.variable_creation.norms import softmax


@pytest.mark.parametrize("T", [2, 8, 13])
def test_outputs_are_those_of_the_plain_formula(T):
    c = 0.3 * T**2
    angle = 2 * np.pi * np.arange(T) / T
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    weights = softmax(c * circle @ circle.T)
    np.testing.assert_allclose(sh.outputs(T, c), weights @ sh.digits(T), atol=1e-12)
    np.testing.assert_allclose(sh.attention(T, c), weights[0], atol=1e-12)


def test_the_query_may_come_from_the_sequence_itself():
    """The class of the text has W_QK^T x_tau for the query. Token 0 is (1, 0, 0) in every sequence: tau = 0 will do."""
    T, s = 16, 11
    angle = 2 * np.pi * np.arange(T) / T
    query = T**2 * np.array([np.cos(angle[s]), np.sin(angle[s]), 0.0])
    for digit, wanted in zip(sh.digits(T).T, sh.outputs(T, T**2)[s], strict=True):
        X = np.stack([np.cos(angle), np.sin(angle), digit], axis=1)
        W_QK = np.outer([1.0, 0.0, 0.0], query)
        assert softmax(X @ W_QK.T @ X[0]) @ X @ [0.0, 0.0, 1.0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("T", [2, 16, 77, 256])
def test_all_labelings_at_norm_t_squared_and_not_at_norm_1(T):
    assert sh.shatters(T, T**2)
    assert sh.shatters(T, T**2, np.tanh)
    assert sh.attention(T, T**2)[0] >= 0.99 > sh.attention_bound()
    assert len({tuple(row > 0.5) for row in sh.outputs(T, T**2)[: 2 ** (T.bit_length() - 1)]}) == 2 ** (
        T.bit_length() - 1
    )
    if T > 2:
        assert not sh.shatters(T, 0.01)


def test_the_margin_needs_a_share_of_t_squared():
    for T in (64, 512):
        norm = sh.norm_for_margin(T, 0.05)
        assert sh.margins(T, norm)[0] == pytest.approx(0.05, rel=0.01)


def test_the_denominator_has_a_token_opposite():
    for T in (2, 3, 4):
        every = np.exp(T**2 * (np.cos(2 * np.pi * np.arange(T) / T) - 1)).sum()
        assert sh.denominator(T) == pytest.approx(every, rel=1e-12)
    assert sh.denominator(2, printed=True) < sh.denominator(2)


def test_one_parameter_labels_anything():
    wanted, sines = sh.sine_labels(7)
    assert len(np.unique(wanted, axis=0)) == 2**7
    np.testing.assert_array_equal(sines < 0, wanted)
    assert np.abs(sines).min() > 0
    assert (sh.sine_labels(7, first=0)[1][:, 0] == 0).all()


def test_selectors_keep_massarts_bound_and_come_near():
    found = sh.rademacher_draws(64, 32, np.random.default_rng(0), 10, 20)
    assert 0.7 * sh.massart(64, 32) < found.mean() < sh.massart(64, 32)
