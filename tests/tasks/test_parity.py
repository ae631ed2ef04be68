import numpy as np
import pytest

from glassware.foundation.draws import Stream, seed_words, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.sweeps.validation import build
from glassware.tasks import Parity, minibatch
from tests.helpers import TINY

INDEX = np.arange(400, dtype=np.uint32)
KEY = seed_words(0)


def sample(task, key=KEY):
    raw, values = task.raw(stream_key(key, Stream.EXAMPLE), INDEX), task.values(key)
    return np.asarray(raw), np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))


@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("n", [20, 32, 33, 50, 64, 70, 129])
def test_labels_are_the_product_over_the_support(n, k):
    task = Parity(n=n, k=k)
    for key in (KEY, seed_words(1)):
        _, x, y = sample(task, key)
        np.testing.assert_array_equal(y, np.prod(x[:, task.hidden_support(key)], axis=1))
        assert 100 < np.sum(y > 0) < 300


@pytest.mark.parametrize("n", [20, 33, 70])
def test_inputs_are_the_packed_bits(n):
    raw, x, _ = sample(Parity(n=n, k=1))
    assert raw.shape == (400, -(-n // 32))
    assert x.shape == (400, n)
    for i, c in np.ndindex(20, n):
        assert x[i, c] == (-1 if int(raw[i, c // 32]) >> (c % 32) & 1 else 1)


def test_inputs_are_fair_and_independent_signs():
    _, x, _ = sample(Parity(n=70, k=1))
    correlation = x.T @ x / len(x) - np.eye(70)
    assert np.abs(x.mean(axis=0)).max() < 5 / np.sqrt(len(x))
    assert np.abs(correlation).max() < 5 / np.sqrt(len(x))


def test_the_last_coordinate_can_be_relevant():
    task = Parity(n=33, k=1, support=(32,))
    _, x, y = sample(task)
    np.testing.assert_array_equal(y, x[:, 32])


def test_noise_flips_its_share_of_training_labels_and_the_same_ones_each_time():
    task = Parity(n=20, k=3, noise=0.2)
    key, values, index = stream_key(KEY, Stream.NOISE), task.values(KEY), np.arange(20_000, dtype=np.uint32)
    raw = task.raw(stream_key(KEY, Stream.EXAMPLE), index)
    seen = np.asarray(task.train_targets(values, key, index, raw))
    flipped = seen != np.asarray(task.targets(values, raw))
    assert abs(flipped.mean() - 0.2) < 4 * np.sqrt(0.2 * 0.8 / len(index))
    np.testing.assert_array_equal(task.train_targets(values, key, index[::-1], raw[::-1]), seen[::-1])


def test_offline_examples_are_the_first_of_the_online_stream():
    task, key = Parity(n=50, k=3), stream_key(seed_words(7), Stream.EXAMPLE)
    online = [minibatch("replacement", key, t, 32, np.uint32(0)) for t in range(4)]
    np.testing.assert_array_equal(np.concatenate(online), np.arange(128))
    stream = np.asarray(task.raw(key, np.arange(128, dtype=np.uint32)))
    picked = np.concatenate(
        [minibatch("epochs", stream_key(seed_words(7), Stream.ORDER), t, 32, np.uint32(128)) for t in range(4)]
    )
    np.testing.assert_array_equal(np.unique(task.raw(key, picked), axis=0), np.unique(stream, axis=0))


def test_support_follows_the_key_or_is_given():
    task = Parity(n=50, k=3)
    assert len({task.hidden_support(seed_words(seed)) for seed in range(50)}) > 45
    assert Parity(n=50, k=3, support=(9, 4, 7)).hidden_support(KEY) == (4, 7, 9)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"n": 5, "k": 6}, "k must be at most n"),
        ({"n": 5, "k": 0}, "greater than or equal to 1"),
        ({"n": 0, "k": 1}, "task.n"),
        ({"n": 5, "k": 2, "support": [1]}, "2 different coordinates"),
        ({"n": 5, "k": 2, "support": [1, 1]}, "2 different coordinates"),
        ({"n": 5, "k": 2, "support": [1, 5]}, "0..4"),
        ({"n": 5, "k": 2, "support": [-1, 1]}, "0..4"),
        ({"n": 5, "k": 2, "noise": 0.51}, "task.noise"),
    ],
)
def test_an_impossible_parity_is_refused_in_a_sentence(task, words):
    with pytest.raises(GlasswareError, match=words):
        build({**TINY, "task": task})


def test_hidden_things_are_lane_values_and_sizes_are_shape():
    assert Parity(n=20, k=3).shape() == Parity(n=20, k=2, support=(0, 1)).shape()
    assert Parity(n=20, k=3, noise=0.1).shape() == Parity(n=20, k=3, noise=0.2).shape()
    assert len({Parity(n=20, k=3).shape(), Parity(n=21, k=3).shape(), Parity(n=20, k=3, noise=0.1).shape()}) == 3


def test_at_noise_one_half_the_labels_are_coins():
    task = Parity(n=20, k=3, noise=0.5)
    index = np.arange(20_000, dtype=np.uint32)
    raw = task.raw(stream_key(KEY, Stream.EXAMPLE), index)
    seen = np.asarray(task.train_targets(task.values(KEY), stream_key(KEY, Stream.NOISE), index, raw))
    assert abs(np.mean(seen * np.asarray(task.targets(task.values(KEY), raw)))) < 4 / np.sqrt(len(index))
