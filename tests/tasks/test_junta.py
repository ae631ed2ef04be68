"""Juntas: labels, biases, samples that tell the hidden conjunction from all others."""

import itertools

import numpy as np
import pytest

from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.sweeps.validation import build
from glassware.tasks import Junta
from glassware.tasks.conjunctions import consistent
from glassware.tasks.truth import balancing, probability

KEY, INDEX = seed_words(3), np.arange(3000, dtype=np.uint32)
LABELS = {
    "and": lambda bits: bits.all(axis=1),
    "or": lambda bits: bits.any(axis=1),
    "parity": lambda bits: bits.sum(axis=1) % 2,
    "majority": lambda bits: bits.sum(axis=1) >= 2,
    "threshold": lambda bits: bits.sum(axis=1) >= 1,
    "table": lambda bits: np.array([1, 0, 0, 1, 1, 1, 0, 0])[bits @ [1, 2, 4]],
}
GIVEN = {"threshold": {"threshold": 1}, "table": {"table": [1, 0, 0, 1, 1, 1, 0, 0]}}


@pytest.mark.parametrize("function", LABELS)
def test_labels_are_the_function_of_the_hidden_bits(function):
    task = Junta(length=70, function=function, **GIVEN.get(function, {}))
    raw, values = task.raw(KEY, INDEX), task.values(KEY)
    x, y = np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))
    np.testing.assert_array_equal(x, task.bits(KEY, INDEX))
    np.testing.assert_array_equal(y, LABELS[function](x[:, task.hidden_support(KEY)].astype(int)))
    assert abs(x.mean() - task.bias) < 0.005
    assert abs(y.mean() - 0.5) < 0.04


def test_biases_balance_the_classes():
    assert Junta(length=9, relevant=3).bias == pytest.approx(0.5 ** (1 / 3))
    assert Junta(length=9, relevant=4, function="or").bias == pytest.approx(1 - 0.5**0.25)
    assert Junta(length=9, relevant=5, function="majority").bias == 0.5
    assert Junta(length=9, relevant=5, function="threshold", threshold=4).balance == pytest.approx(0.5)
    # One input in eight and its opposite have two roots, of which the nearer is taken; the other is its mirror image.
    both = balancing((0, 1, 1, 1))
    assert probability((0, 1, 1, 1), both) == pytest.approx(0.5)
    assert Junta(length=9, relevant=2, function="table", table=(0, 0, 0, 1), p=0.3).balance == pytest.approx(0.09)
    assert balancing((0, 1, 0)) == 0.5  # never likely enough: no root


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"length": 2}, "relevant must be at most length = 2, not 3"),
        ({"function": "table", "table": [0, 1]}, "table must have 2\\^3 = 8 entries, not 2"),
        ({"function": "table", "table": [0, 1] * 4}, "table must depend on all 3 bits; it ignores bit 1"),
        ({"function": "threshold", "threshold": 4}, "threshold must be from 1 to relevant = 3, not 4"),
        ({"function": "threshold"}, "the function 'threshold' needs threshold"),
        ({"threshold": 2}, "the function 'and' has no threshold"),
        ({"support": [1, 1, 2]}, "support must name 3 different positions"),
        ({"support": [1, 2, 10]}, "support must lie in 0..9"),
        ({"function": "parity", "unique": True}, "unique is for the functions 'and' and 'or', not 'parity'"),
    ],
    ids=str,
)
def test_bad_input_gets_one_sentence(fields, sentence):
    with pytest.raises(GlasswareError, match=sentence):
        build({"task": {"name": "junta", "length": 10, **fields}, "model": {"name": "cls-transformer"}})


def test_consistent_conjunctions_are_those_of_an_enumeration():
    rng = np.random.default_rng(0)
    sizes = set()
    for _ in range(40):
        x = (rng.random((9, 8)) < 0.79).astype(np.uint8)
        y = x[:, [1, 4, 6]].all(axis=1).astype(np.uint8)
        sets = map(frozenset, itertools.combinations(range(8), 3))
        right = {chosen for chosen in sets if np.array_equal(x[:, sorted(chosen)].all(axis=1), y)}
        assert consistent(x, y, 3, limit=100) == right
        assert len(consistent(x, y, 3)) == min(2, len(right))
        sizes.add(len(right) == 1)
    assert sizes == {True, False}


@pytest.mark.parametrize("function", ["and", "or"])
def test_samples_that_fit_a_second_conjunction_are_drawn_again(function):
    task, m = Junta(length=30, function=function), 14
    rejected = set()
    for seed in range(8):
        key = seed_words(seed)
        x = task.bits(task.sample_key(key, m), np.arange(m, dtype=np.uint32))
        x = x if function == "and" else 1 - x
        support = task.hidden_support(key)
        assert consistent(x, x[:, support].all(axis=1).astype(np.uint8), 3) == {frozenset(support)}
        rejected.add(task.sample_columns(key, m)["rejected"])
        plain = Junta(length=30, function=function, unique=False)
        assert plain.sample_columns(key, m)["rejected"] == task.sample_columns(key, None)["rejected"] == 0
    assert max(rejected) > 0


def test_a_sample_too_small_to_be_unique_gets_one_sentence():
    with pytest.raises(GlasswareError, match="2,000 samples of m = 3 all agree with a second AND of 3 of 20 bits"):
        Junta(length=20).sample_key(KEY, 3)
