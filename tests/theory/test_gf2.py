import time

import numpy as np
import pytest

from glassware.theory.boolean import chi, cube
from glassware.theory.gf2 import clean_probability, eliminate, full_rank_probability


def sample(rng, n, m, support, noise=0.0):
    x = rng.choice([-1.0, 1.0], (m, n))
    return x, chi(x, support) * np.where(rng.random(m) < noise, -1.0, 1.0)


def test_three_hundred_unknowns_in_milliseconds():
    rng, seconds = np.random.default_rng(0), []
    for _ in range(10):
        support = tuple(sorted(int(i) for i in rng.choice(300, 5, replace=False)))
        x, y = sample(rng, 300, 320, support)
        start = time.perf_counter()
        found = eliminate(x, y, 5)
        seconds.append(time.perf_counter() - start)
        assert (found.verdict, found.support, found.rank) == ("solved", support, 300)
    assert min(seconds) < 0.1


def test_it_needs_no_sparsity():
    rng = np.random.default_rng(1)
    support = tuple(sorted(int(i) for i in rng.choice(100, 50, replace=False)))
    assert eliminate(*sample(rng, 100, 130, support)).support == support


@pytest.mark.parametrize("seed", range(5))
def test_ten_percent_of_flipped_labels_defeat_it(seed):
    rng = np.random.default_rng(seed)
    found = eliminate(*sample(rng, 300, 320, (1, 2, 3, 4, 5), noise=0.1), 5)
    assert (found.verdict, found.support) == ("inconsistent", None)
    assert "labels are wrong" in found.sentence
    assert clean_probability(320, 0.1) < 1e-14


def test_with_no_spare_equation_noise_gives_a_dense_parity():
    rng = np.random.default_rng(0)
    verdicts = {eliminate(*sample(rng, 40, 40, (1, 2, 3), noise=0.3), 3).verdict for _ in range(40)}
    assert "not sparse" in verdicts
    assert "solved" not in verdicts


def test_too_few_examples_leave_it_open():
    rng = np.random.default_rng(3)
    found = eliminate(*sample(rng, 300, 200, (1, 2, 3)), 3)
    assert (found.verdict, found.support, found.rank) == ("underdetermined", None, 200)


@pytest.mark.parametrize("n", [1, 5, 63, 64, 65])
def test_word_boundaries_do_no_harm(n):
    rng = np.random.default_rng(n)
    support = tuple(int(i) for i in np.flatnonzero(rng.random(n) < 0.5))
    assert eliminate(*sample(rng, n, n + 40, support)).support == support


def test_the_whole_cube_and_a_function_that_is_no_parity():
    x = cube(4)
    assert eliminate(x, chi(x, (0, 2))).support == (0, 2)
    assert eliminate(x, -chi(x, (0, 2))).verdict == "inconsistent"


def test_how_many_examples_suffice():
    rng = np.random.default_rng(5)
    rate = np.mean([eliminate(*sample(rng, 8, 9, (0, 1))).verdict == "solved" for _ in range(2000)])
    assert rate == pytest.approx(full_rank_probability(8, 9), abs=4 * np.sqrt(0.25 / 2000))
    assert full_rank_probability(8, 8) == pytest.approx(0.28992, abs=1e-5)
    assert full_rank_probability(300, 320) > 1 - 1e-6
    assert full_rank_probability(8, 7) == 0
