import numpy as np
import pytest

from glassware.theory.markov.construction import fit_readout, frequencies, induction_transformer, match_scores
from glassware.theory.markov.levels import level
from glassware.theory.markov.strategies import ngram, unigram
from tests.theory.markov.sequences import drawn

RNG = np.random.default_rng


@pytest.mark.parametrize(("k", "t"), [(2, 9), (4, 25)])
def test_the_network_computes_frequencies_of_what_followed(k, t):
    tokens = RNG(k).integers(k, size=(50, t))
    tokens[0], tokens[1, -1], tokens[1, :-1] = 0, 1, 0  # never left; never seen before
    network = induction_transformer(k, t, 200.0)
    for p in (1, 2, t // 2, t):
        logits = network.logits(tokens)[:, p - 1]
        np.testing.assert_allclose(logits, frequencies(tokens[:, :p], k), atol=1e-10)


def test_it_sharpens_with_c_once_layer_1_is_sharp():
    """Before that it does not: scores of layer 2 grow like c^2 and pick one key of a copy that is still blurred."""
    tokens = RNG(0).integers(3, size=(100, 20))
    wanted = frequencies(tokens, 3)
    error = {
        c: np.abs(induction_transformer(3, 20, c).logits(tokens)[:, -1] - wanted).mean() for c in (1, 8, 20, 30, 50)
    }
    assert error[8] > error[1] > error[20] > error[30] > 100 * error[50]


def test_scores_are_not_the_printed_ones():
    tokens, c = RNG(1).integers(2, size=(1, 12)), 60.0
    network = induction_transformer(2, 12, c)
    z = network.inputs(tokens)
    first, second = (layer.scores(seen)[0] for layer, seen in zip(network.layers, z[:2], strict=True))
    at_previous, at_match = match_scores(2, c)
    np.testing.assert_allclose(np.diagonal(first, -1), at_previous)
    x = tokens[0]
    matches = [second[-1, j] for j in range(1, 12) if x[j - 1] == x[-1]]
    np.testing.assert_allclose(matches, at_match, rtol=1e-6)
    printed = match_scores(2, c, printed=True)
    assert abs(first[1, 0] / printed[0] - 1) > 0.5
    assert matches[0] / printed[1] > 10


def test_frequencies_and_a_linear_readout_come_close_to_bayes():
    tokens, truth = drawn(40_000, 2, 100)
    scale, reached = fit_readout(frequencies(tokens, 2), truth)
    assert scale == pytest.approx(2.53, abs=0.05)
    bigram, plateau = level(truth, ngram(tokens, 2)).mean, level(truth, unigram(tokens, 2)).mean
    assert bigram < reached < 0.3 * plateau


def test_a_shift_of_all_logits_changes_nothing():
    tokens = RNG(2).integers(3, size=(5, 10))
    plain, moved = (induction_transformer(3, 10, 50.0, 2.0, shift).logits(tokens) for shift in (0.0, 4.0))
    np.testing.assert_allclose(moved - plain, 4.0, atol=1e-12)
