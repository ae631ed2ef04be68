import jax
import numpy as np
import pytest
from scipy import stats

from glassware.foundation.draws import Stream, seed_words, stream_key
from glassware.tasks import minibatch
from glassware.tasks.sampling import shuffled

KEY = stream_key(seed_words(3), Stream.ORDER)

compiled_shuffle = jax.jit(shuffled)  # m is traced: every size runs the same program
epoch_batch = jax.jit(lambda key, step, m: minibatch("epochs", key, step, 32, m))


def shuffles(m, epochs, key=KEY):
    """The permutations of these epochs, (epochs, m), computed in pieces of one length so that one program serves."""
    pairs = np.array([(epoch, place) for epoch in epochs for place in range(m)], np.uint32)
    padded = np.resize(pairs, (-(-len(pairs) // 4096), 4096, 2))
    where = [compiled_shuffle(key, piece[:, 0], piece[:, 1], np.uint32(m)) for piece in padded]
    return np.concatenate(where)[: len(pairs)].reshape(len(epochs), m)


@pytest.mark.parametrize("m", [1, 2, 33, 1000])
def test_replacement_draws_within_the_sample_and_uniformly(m):
    drawn = np.concatenate([minibatch("replacement", KEY, t, 512, np.uint32(m)) for t in range(20)])
    assert drawn.max() < m
    counts = np.bincount(drawn, minlength=m)
    assert m == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_online_minibatches_never_repeat():
    drawn = np.concatenate([minibatch("replacement", KEY, t, 10, np.uint32(0)) for t in range(10)])
    np.testing.assert_array_equal(drawn, np.arange(100))


@pytest.mark.parametrize("m", [1, 2, 3, 7, 32, 100, 1000])
def test_an_epoch_is_an_exact_permutation(m):
    for where in shuffles(m, [0, 1, 2**31]):
        np.testing.assert_array_equal(np.sort(where), np.arange(m))


@pytest.mark.parametrize("m", [1, 7, 31, 32, 50, 100])
def test_minibatches_run_through_epochs_even_where_they_straddle_two(m):
    steps = 4 * m
    drawn = np.concatenate([epoch_batch(KEY, t, np.uint32(m)) for t in range(steps)])
    np.testing.assert_array_equal(drawn.reshape(-1, m), shuffles(m, range(4 * 32)))


def test_two_epochs_and_two_runs_are_shuffled_differently():
    orders = np.concatenate([shuffles(100, [0, 1]), shuffles(100, [0, 1], stream_key(seed_words(4), Stream.ORDER))])
    assert len({order.tobytes() for order in orders}) == 4


@pytest.mark.parametrize("m", [2, 3, 7, 32])
def test_every_position_is_equally_likely_for_every_example(m):
    epochs = 2000
    where = shuffles(m, range(epochs))
    counts = np.stack([np.bincount(where[:, i], minlength=m) for i in range(m)])
    # Rows and columns both sum to the number of epochs: (m - 1)^2 degrees of freedom.
    statistic = np.sum((counts - epochs / m) ** 2 / (epochs / m)) * (m - 1) / m
    assert stats.chi2.sf(statistic, (m - 1) ** 2) > 1e-3


def test_all_orders_of_a_small_sample_are_equally_likely():
    _, counts = np.unique(shuffles(4, range(6000)), axis=0, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-3
