import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from glassware.foundation.draws import (
    Stream,
    below,
    draw,
    fold,
    ranking,
    seed_words,
    stream_key,
    subset,
    threefry,
    unit,
)

ONES = 0xFFFFFFFF

# Random123's kat_vectors, threefry2x32 with 20 rounds: counter, key, result.
KNOWN_ANSWERS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]


def words(*values):
    return [np.array([value], np.uint32) for value in values]


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN_ANSWERS)
@pytest.mark.parametrize("array", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_threefry_gives_the_known_answers(array, counter, key, result):
    k0, k1, c0, c1 = (array(word) for word in words(*key, *counter))
    assert tuple(int(x[0]) for x in threefry((k0, k1), c0, c1)) == result


def test_numpy_and_jax_draw_the_same_bits():
    rng = np.random.default_rng(0)
    key, c0, c1 = (rng.integers(0, 2**32, size, np.uint32) for size in (2, 1000, 1000))
    for host, device in zip(draw(key, c0, c1), draw(jnp.asarray(key), jnp.asarray(c0), jnp.asarray(c1)), strict=True):
        np.testing.assert_array_equal(host, device)
        np.testing.assert_array_equal(unit(host), unit(device))
        np.testing.assert_array_equal(below(host, np.uint32(77)), below(device, np.uint32(77)))
        index = np.arange(1000, dtype=np.uint32)
        np.testing.assert_array_equal(ranking(host, index, 1000), ranking(device, index, 1000))


def test_unit_stays_inside_the_open_interval_and_is_uniform():
    ends = unit(np.array([0, ONES], np.uint32))
    assert ends.dtype == np.float32
    assert 0.0 < ends[0] < 1e-7
    assert 1.0 - 1e-6 < ends[1] < 1.0
    u = unit(draw(stream_key(seed_words(1), 2), np.arange(100_000, dtype=np.uint32), np.zeros(100_000, np.uint32))[0])
    assert stats.kstest(u, "uniform").pvalue > 1e-3


@given(st.integers(0, 2**64 - 1))
def test_a_seed_is_its_two_words(seed):
    low, high = (int(word) for word in seed_words(seed))
    assert low + (high << 32) == seed


def test_streams_and_substreams_have_their_own_keys():
    keys = {stream_key(seed_words(seed), s).tobytes() for seed in (0, 1, 2**32, 2**63) for s in Stream}
    assert len(keys) == 4 * len(Stream)
    assert len({fold(stream_key(seed_words(0), Stream.INIT), i).tobytes() for i in range(100)}) == 100


def test_stream_numbers_are_part_of_the_semantics():
    assert [(s.name, s.value) for s in Stream] == [
        ("SUPPORT", 1), ("EXAMPLE", 2), ("NOISE", 3), ("ORDER", 4), ("INIT", 5), ("TEST", 6),
        ("DROPOUT", 7),
    ]  # fmt: skip


@given(st.integers(1, 70), st.data())
def test_a_subset_has_exactly_its_size(size, data):
    chosen = data.draw(st.integers(0, size))
    found = subset(stream_key(seed_words(data.draw(st.integers(0, 1000))), Stream.SUPPORT), size, chosen)
    assert len(set(found)) == len(found) == chosen
    assert all(0 <= i < size for i in found)
    assert list(found) == sorted(found)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 65])
def test_scores_keep_their_index_and_never_tie(size):
    index = np.arange(size, dtype=np.uint32)
    same = np.full(size, 0xABCDEF00, np.uint32)  # words that would tie
    assert ranking(same, index, size).tolist() == sorted(set(ranking(same, index, size).tolist()))
    room = 1 << max(1, (size - 1).bit_length())
    assert (ranking(np.full(size, ONES, np.uint32), index, size) % room).tolist() == index.tolist()


def test_every_subset_is_equally_likely():
    drawn = [subset(stream_key(seed_words(seed), Stream.SUPPORT), 6, 3) for seed in range(4000)]
    counts = [drawn.count(s) for s in sorted(set(drawn))]
    assert len(counts) == 20  # 6 choose 3
    assert stats.chisquare(counts).pvalue > 1e-3


def test_rankings_never_tie():
    index = np.arange(1000, dtype=np.uint32)
    assert len(set(ranking(np.full(1000, 12345, np.uint32), index, 1000).tolist())) == 1000
