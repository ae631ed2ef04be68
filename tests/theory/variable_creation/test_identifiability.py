"""How many conjunctions agree with a sample, against brute force."""

import itertools
import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.variable_creation.identifiability import P, S, expected_others, other_conjunctions


def agree(length, first, second):
    """The probability that two conjunctions have the same value on a random example, by enumeration."""
    total = 0.0
    for bits in itertools.product((0, 1), repeat=length):
        if all(bits[i] for i in first) == all(bits[i] for i in second):
            total += math.prod(P if bit else 1 - P for bit in bits)
    return total


def test_the_expected_number_is_that_of_an_enumeration():
    sets = list(itertools.combinations(range(6), S))
    chances = [agree(6, sets[0], other) for other in sets[1:]]
    for m in (1, 5, 20):
        assert expected_others(6, m) == pytest.approx(sum(chance**m for chance in chances), rel=1e-12)


def counted(rng, length, m):
    """The same count with every bit drawn and every set looked at."""
    bits = rng.random((m, length)) < P
    label = bits[:, :S].all(axis=1)
    sets = itertools.combinations(range(length), S)
    return sum(np.array_equal(bits[:, list(one)].all(axis=1), label) for one in sets) - 1


@pytest.mark.parametrize("m", [6, 14])
def test_drawing_only_the_survivors_gives_the_same_counts(m):
    rng = np.random.default_rng(m)
    ours = np.array([other_conjunctions(rng, 12, m) for _ in range(1500)])
    plain = np.array([counted(rng, 12, m) for _ in range(300)])
    error = math.sqrt(ours.var() / len(ours) + plain.var() / len(plain))
    assert abs(ours.mean() - plain.mean()) < 4 * error
    assert abs(ours.mean() - expected_others(12, m)) < 4 * ours.std() / math.sqrt(len(ours))


def test_counting_ends_early_and_long_samples_are_refused():
    rng = np.random.default_rng(0)
    assert other_conjunctions(rng, 400, 5, most=1) == 1
    with pytest.raises(GlasswareError, match="m must be at most 63, not 64"):
        other_conjunctions(rng, 400, 64)
