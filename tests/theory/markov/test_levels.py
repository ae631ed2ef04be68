import math

import numpy as np
import pytest

from glassware.theory.markov.chains import flat
from glassware.theory.markov.levels import count_law, level, uniform_limit, unigram_limit
from glassware.theory.markov.strategies import ngram, uniform, unigram
from tests.theory.markov.sequences import drawn, every_sequence

# prior, k, t, order; levels of uniform, unigram, bigram (and trigram), each with its own standard error
LEVELS = [
    ("dirichlet", 3, 64, 2, (0.280, 0.1739, 0.0389), (0.0008, 0.0007, 0.00014)),
    ("unigram", 3, 100, 2, (0.264, 0.0096, 0.0251), (0.0008, 0.0001, 0.0001)),
    ("doubly-stochastic", 4, 100, 2, (0.2483, 0.263, 0.0504), (0.0012, 0.0014, 0.0003)),
    ("dirichlet", 2, 100, 3, (0.2243, 0.1410, 0.0886, 0.0175), (0.0008, 0.0008, 0.0006, 0.0002)),
]


@pytest.mark.parametrize(("prior", "k", "t", "order", "values", "errors"), LEVELS)
def test_sampled_levels(prior, k, t, order, values, errors):
    tokens, truth = drawn(40_000, k, t, prior, order)
    for n, (value, error) in enumerate(zip(values, errors, strict=True)):
        found = level(truth, ngram(tokens, k, n) if n else uniform(tokens, k))
        assert abs(found.mean - value) < 4 * math.hypot(found.error, error)


def test_limits_for_two_states():
    assert uniform_limit() == pytest.approx(0.212258, abs=5e-7)
    assert unigram_limit() == pytest.approx(0.082938, abs=5e-7)
    near, far = (count_law(t).unigram() - unigram_limit() for t in (80, 40))
    assert 1.7 < far / near < 2  # about 1/t


def test_the_law_of_counts_is_that_of_all_sequences():
    law, chains, total = count_law(5), flat(20), np.zeros((2, 6))
    for matrix, weight in zip(chains.matrices, chains.weight, strict=True):
        tokens, chance = every_sequence(matrix, 4)
        count, stays = (tokens == tokens[:, -1:]).sum(1), matrix[tokens[:, -1], tokens[:, -1]]
        total += weight * np.array([np.bincount(count, chance, 6), np.bincount(count, chance * stays, 6)])
    np.testing.assert_allclose(law.probability, total[0], atol=1e-12)
    np.testing.assert_allclose(law.probability * law.stays, total[1], atol=1e-12)


def test_levels_of_counts_are_those_of_samples():
    tokens, truth = drawn(40_000, 2, 100)
    law, found = count_law(100), level(truth, unigram(tokens, 2))
    assert abs(found.mean - law.unigram()) < 4 * found.error
    assert law.best() < law.best_blind() < law.unigram() < uniform_limit()
    timid = 0.8 * (np.arange(101) + 1) / 102 + 0.1  # some other strategy of the same kind
    stays = timid[(tokens == tokens[:, -1:]).sum(1)][:, None]
    found = level(truth, np.where(np.arange(2) == tokens[:, -1:], stays, 1 - stays))
    assert abs(found.mean - law.level(timid)) < 4 * found.error
