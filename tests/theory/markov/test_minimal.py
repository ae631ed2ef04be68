import numpy as np
import pytest

from glassware.theory.markov.minimal import (
    Minimal,
    in_linear_regime,
    linear_descent,
    margin_loss,
    minimal_bigram,
    minimal_unigram,
    sufficient_margin,
)
from glassware.theory.markov.posterior import transition_counts

RNG = np.random.default_rng


def random_model(k, t, seed=0):
    rng = RNG(seed)
    return Minimal(rng.normal(size=(k, k)), rng.normal(size=t)), rng.integers(k, size=(6, t + 1))


def test_three_ways_to_the_same_logits():
    model, tokens = random_model(3, 13)
    logits = model.logits(tokens[:, :-1])
    np.testing.assert_allclose(logits, model.logits_matrix(tokens[:, :-1]), atol=1e-12)
    np.testing.assert_allclose(logits[2], model.logits_sum(tokens[2, :-1]), atol=1e-12)


def test_both_strategies_can_be_expressed():
    """Fact 8.3, in whole numbers. Bigrams count from the second token on: there is no x_0."""
    tokens = RNG(1).integers(3, size=(5, 20))
    bigrams, unigrams = (model.logits(tokens)[:, -1] for model in (minimal_bigram(3, 20), minimal_unigram(3, 20)))
    np.testing.assert_array_equal(bigrams, transition_counts(tokens, 3)[np.arange(5), tokens[:, -1]])
    np.testing.assert_array_equal(unigrams, [np.bincount(row, minlength=3) for row in tokens])


def test_descent_is_the_slope_of_the_loss():
    model, tokens = random_model(3, 7)
    margin = 1.01 * sufficient_margin(model)
    assert in_linear_regime(model.logits(tokens[:, :-1]), tokens[:, 1:], margin)

    def loss(W, v):
        return margin_loss(Minimal(W, v).logits(tokens[:, :-1]), tokens[:, 1:], margin).mean()

    W, v = linear_descent(model, tokens)
    step = 1e-3
    for place in np.ndindex(W.shape):
        nudge = step * np.eye(9)[place[0] * 3 + place[1]].reshape(3, 3)
        slope = (loss(model.W - nudge, model.v) - loss(model.W + nudge, model.v)) / (2 * step)
        assert W[place] == pytest.approx(slope, abs=1e-9)
    for j in range(7):
        nudge = step * np.eye(7)[j]
        slope = (loss(model.W, model.v - nudge) - loss(model.W, model.v + nudge)) / (2 * step)
        assert v[j] == pytest.approx(slope, abs=1e-9)


def test_the_part_for_each_block_does_not_depend_on_it():
    model, tokens = random_model(2, 9)
    other, _ = random_model(2, 9, seed=1)
    W, v = linear_descent(model, tokens)
    np.testing.assert_array_equal(linear_descent(Minimal(other.W, model.v), tokens)[0], W)
    np.testing.assert_array_equal(linear_descent(Minimal(model.W, other.v), tokens)[1], v)


def test_at_logits_zero_cross_entropy_pulls_alike():
    tokens, v = RNG(2).integers(3, size=(4, 9)), RNG(3).normal(size=8)
    W, _ = linear_descent(Minimal(np.zeros((3, 3)), v), tokens)

    def cross_entropy(W):
        logits = Minimal(W, v).logits(tokens[:, :-1])
        chosen = np.take_along_axis(logits, tokens[:, 1:, None], axis=-1)[..., 0]
        return (np.log(np.exp(logits).sum(-1)) - chosen).mean()

    nudge = 1e-4 * np.eye(3)[[1]].T @ np.eye(3)[[2]]
    slope = (cross_entropy(-nudge) - cross_entropy(nudge)) / 2e-4
    assert W[1, 2] == pytest.approx(slope, abs=1e-7)


def test_a_resting_hinge_leaves_the_linear_regime():
    model, tokens = random_model(2, 12)
    assert not in_linear_regime(model.logits(tokens[:, :-1]), tokens[:, 1:], 0.01)
