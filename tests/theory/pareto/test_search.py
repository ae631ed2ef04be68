import itertools
import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi
from glassware.theory.pareto.search import (
    exhaustive_search,
    pack,
    parallel_search,
    random_search,
    samples_needed,
    search_cost,
    unrank,
)


def sample(rng, n, m, support):
    x = rng.choice([-1.0, 1.0], (m, n))
    return x, chi(x, support)


def drawn(rng, n, k):
    return tuple(sorted(int(i) for i in rng.choice(n, k, replace=False)))


def test_packed_bits_are_the_signs():
    x = np.random.default_rng(0).choice([-1, 1], (130, 3))
    words = pack(x)
    assert words.shape == (3, 3)
    for i, column in enumerate(words):
        bits = [(int(column[j // 64]) >> (j % 64)) & 1 for j in range(192)]
        assert bits == [*(int(v < 0) for v in x[:, i]), *[0] * 62]


@pytest.mark.parametrize(("n", "k"), [(7, 1), (7, 3), (6, 6), (9, 4)])
def test_every_subset_has_one_number(n, k):
    rows = unrank(np.arange(math.comb(n, k)), n, k)
    assert {tuple(row) for row in rows} == set(itertools.combinations(range(n), k))
    assert all(list(row) == sorted(row) for row in rows)


def test_exhaustive_search_finds_the_parity_and_knows_it():
    rng, good = np.random.default_rng(1), 0
    for _ in range(100):
        support = drawn(rng, 20, 3)
        found = exhaustive_search(*sample(rng, 20, 60, support), 3)
        good += found.support == support and found.unique and found.agreement == 1
        assert found.queries == found.rounds == 1140
    assert good >= 99


def test_random_search_trades_queries_for_luck():
    rng, good = np.random.default_rng(2), 0
    for _ in range(100):
        support = drawn(rng, 20, 3)
        found = random_search(*sample(rng, 20, 60, support), 3, 1140 // 4, rng)
        assert found.queries == 285
        good += found.support == support
    assert abs(good - 25) <= 9
    x, y = sample(rng, 10, 40, (2, 5, 9))
    for _ in range(10):
        assert random_search(x, y, 3, 120, rng).support == (2, 5, 9)  # all parities once: no luck needed


def test_parallel_search_trades_processors_for_rounds():
    rng = np.random.default_rng(3)
    support = drawn(rng, 20, 3)
    x, y = sample(rng, 20, 60, support)
    for processors, rounds in [(1, 1140), (100, 12), (10_000, 1)]:
        found = parallel_search(x, y, 3, processors)
        assert (found.support, found.rounds, found.unique) == (support, rounds, True)
        assert search_cost(20, 3, 0.01, processors).rounds == rounds


def test_too_few_examples_are_not_unique():
    rng = np.random.default_rng(4)
    assert not exhaustive_search(*sample(rng, 20, 5, (0, 1, 2)), 3).unique


def test_search_survives_flipped_labels():
    rng, good = np.random.default_rng(5), 0
    m = samples_needed(20, 3, 0.01, noise=0.1)
    for _ in range(30):
        support = drawn(rng, 20, 3)
        x, y = sample(rng, 20, m, support)
        found = exhaustive_search(x, np.where(rng.random(m) < 0.1, -y, y), 3)
        good += found.support == support
    assert good == 30


def test_the_samples_needed_grow_like_k_log_n():
    assert samples_needed(20, 3, 0.01) == 17  # log2(1140 / 0.01) = 16.8
    assert samples_needed(10**6, 3, 0.01) <= 3 * math.log2(10**6) + 8
    cost = search_cost(20, 3, 0.0001, queries=285)
    assert (cost.queries, cost.success) == (285, pytest.approx(0.25, rel=1e-3))


def test_bad_budgets_are_refused():
    x, y = np.ones((4, 5)), np.ones(4)
    with pytest.raises(GlasswareError, match="10 parities"):
        random_search(x, y, 2, 11, np.random.default_rng(0))
    with pytest.raises(GlasswareError, match="processor"):
        parallel_search(x, y, 2, 0)
