import numpy as np

from glassware.theory.markov.between import between, draw_chains
from glassware.theory.markov.levels import level
from glassware.theory.markov.strategies import ngram, unigram


def test_drawn_chains_follow_their_rows():
    """The law of the next token is that of the last one's row: bigrams come near it, and rows are uniform."""
    tokens, truth = draw_chains(20_000, 3, 60, seed=1)
    np.testing.assert_allclose(truth.sum(-1), 1)
    assert level(truth, ngram(tokens, 3)).mean < 0.3 * level(truth, unigram(tokens, 3)).mean
    again = draw_chains(20_000, 3, 60, seed=1)[0]
    np.testing.assert_array_equal(tokens, again)


def test_levels_lie_between_unigrams_and_bigrams():
    tokens, truth = draw_chains(20_000, 2, 100, seed=1)
    levels = {name: level(truth, law(tokens)) for name, law in between(2, 100).items()}
    for name, expected in (("unigram_self", 0.0710), ("lookback_logit", 0.0747)):
        assert abs(levels[name].mean - expected) < 4 * levels[name].error, name
    assert between(2, 100) is between(2, 100)
    assert between(5, 100) == {}
