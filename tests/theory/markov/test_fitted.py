import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.markov.fitted import LookbackLogit, fit_lookback_logit, fit_unigram_self, unigram_self
from glassware.theory.markov.levels import count_law, level
from glassware.theory.markov.strategies import kl, ngram, unigram
from tests.theory.markov.sequences import drawn

FIT, REST = slice(0, 25_000), slice(25_000, 40_000)


def test_the_exact_table_has_the_exact_level():
    tokens, truth = drawn(40_000, 2, 100)
    found = level(truth, unigram_self(100)(tokens))
    assert abs(found.mean - count_law(100).best()) < 4 * found.error
    assert count_law(100).best() == pytest.approx(0.071, abs=0.001)


def test_a_fitted_table_approaches_the_exact_one():
    tokens, truth = drawn(40_000, 2, 30)
    exact, fitted = unigram_self(30)(tokens[REST]), fit_unigram_self(tokens[FIT], truth[FIT])(tokens[REST])
    assert np.mean(kl(exact, fitted)) < 3e-4
    assert np.mean(kl(exact, unigram(tokens[REST], 2))) > 0.01


def test_three_states_are_tabulated_by_two_counts():
    """Between unigrams and bigrams, and the names of the states do not matter."""
    tokens, truth = drawn(40_000, 3, 40)
    strategy = fit_unigram_self(tokens[FIT], truth[FIT], width=3)
    rest, laws = tokens[REST], truth[REST]
    gain = kl(laws, unigram(rest, 3)) - kl(laws, strategy(rest))
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain))
    assert level(laws, ngram(rest, 3)).mean < level(laws, strategy(rest)).mean
    swap = np.array([2, 0, 1])
    np.testing.assert_allclose(strategy(swap[rest])[:, swap], strategy(rest), atol=1e-12)
    mirror = np.array([1, 0, 2])
    np.testing.assert_allclose(strategy(mirror[rest])[:, mirror].sum(-1), 1)


def test_looking_back_favours_odd_distances():
    tokens, truth = drawn(40_000, 2, 20)
    strategy = fit_lookback_logit(tokens[FIT], truth[FIT])
    w = strategy.weights
    assert w[0] > 0.6
    assert w[2] > w[1] + 0.05
    assert w[2] > w[3] + 0.05
    rest, laws = tokens[REST], truth[REST]
    gain = kl(laws, unigram(rest, 2)) - kl(laws, strategy(rest))
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain))


def test_the_logistic_fit_finds_the_odds_that_made_the_data():
    rng = np.random.default_rng(0)
    made = LookbackLogit(-0.3, np.array([0.8, -0.5, 0.2]))
    tokens = rng.integers(2, size=(5000, 4))
    found = fit_lookback_logit(tokens, made(tokens))
    np.testing.assert_allclose([found.bias, *found.weights], [made.bias, *made.weights], atol=1e-8)


def test_what_cannot_be_fitted_says_so():
    with pytest.raises(GlasswareError, match="2 or 3 states"):
        fit_unigram_self(np.zeros((2, 5), int), np.full((2, 4), 0.25))
    with pytest.raises(GlasswareError, match="t = 30"):
        unigram_self(30)(np.zeros((2, 31), int))
    tokens = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]])
    with pytest.raises(GlasswareError, match="not converged"):
        fit_lookback_logit(tokens, np.eye(2)[[0, 1, 1, 0]])
