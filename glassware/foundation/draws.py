"""Counter-based random numbers: everything a run draws is a pure function of (seed, stream, counter).

The generator is Threefry-2x32 with 20 rounds (Salmon et al., 2011). It is written with operators only, so the same
code runs on NumPy arrays (host, tests, reference trainers) and on JAX arrays (inside compiled programs and kernels),
and any backend can draw the same numbers. Nothing is ever "the next number": an example, a minibatch slot or an
initial weight has an address, and drawing it twice gives it twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import TypeAlias, TypeVar, cast

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float32, Key, UInt32, Whole
from glassware.foundation.backend import jax

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY_CONSTANT = 0x1BD11BDA

Kind = TypeVar("Kind", np.ndarray, Array, EitherArray)  # all functions here work on arrays of NumPy and of JAX
Words: TypeAlias = UInt32[Kind, "..."]
Word: TypeAlias = np.uint32 | UInt32[EitherArray, "..."]
HOST = (np.ndarray, np.generic, int)  # what NumPy computes with; anything else is JAX's


class Stream(IntEnum):
    """Independent sequences of one run. Numbers are part of the semantics: never renumber."""

    SUPPORT = 1  # which coordinates are relevant
    EXAMPLE = 2  # inputs: counter = (example index, word)
    NOISE = 3  # label flips: counter = (example index, 0)
    ORDER = 4  # minibatches: counter = (step, slot)
    INIT = 5  # initial weights: one sub-stream per parameter array
    TEST = 6  # the held-out sample, the same for every run of a task
    DROPOUT = 7  # what is dropped in training: counter = (step, 0); follows the weights' seed, not the sample's


def _u32(value: int) -> np.uint32:
    return np.uint32(value & 0xFFFFFFFF)


def threefry(key: tuple[Word, Word], counter0: Words[Kind], counter1: Words[Kind]) -> tuple[Words[Kind], Words[Kind]]:
    """Two random 32-bit words for each counter pair. Key and counters broadcast against each other."""
    k0, k1 = key
    keys = (k0, k1, k0 ^ k1 ^ _u32(PARITY_CONSTANT))
    x0, x1 = counter0 + k0, counter1 + k1
    for block in range(5):
        for distance in ROTATIONS[block % 2]:
            x0 = x0 + x1
            x1 = ((x1 << _u32(distance)) | (x1 >> _u32(32 - distance))) ^ x0
        x0 = x0 + keys[(block + 1) % 3]
        x1 = x1 + keys[(block + 2) % 3] + _u32(block + 1)
    return x0, x1


def seed_words(seed: int) -> UInt32[np.ndarray, " 2"]:
    """A seed in [0, 2**64) as two uint32 words (low, high)."""
    return np.array([seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF], np.uint32)


def run_key(seed: int, cell: str) -> UInt32[np.ndarray, " 2"]:
    """The key that everything random in a run follows from, uint32 (2,): its seed and the text of its cell.

    Runs of different cells draw independent numbers, whatever their seeds.
    """
    words = np.frombuffer(_digest(cell), "<u4").astype(np.uint32)
    return np.concatenate(threefry(tuple(seed_words(seed)), words[:1], words[1:]))


@lru_cache(maxsize=2**12)
def _digest(cell: str) -> bytes:
    return hashlib.sha256(cell.encode()).digest()[:8]


def stream_key(key: UInt32[np.ndarray, " 2"], stream: int) -> UInt32[np.ndarray, " 2"]:
    """The key of one stream of the run with this key, uint32 (2,). Keys are made on the host and are lane values."""
    return fold(key, stream)


def held_out_key() -> UInt32[np.ndarray, " 2"]:
    """The key of the held-out sample, which all runs of a task share."""
    return stream_key(seed_words(0), Stream.TEST)


def fold(key: UInt32[np.ndarray, " 2"], index: int) -> UInt32[np.ndarray, " 2"]:
    """The key of sub-stream ``index`` (host only)."""
    return _fold(int(key[0]), int(key[1]), int(index)).copy()


@lru_cache(maxsize=2**16)
def _fold(low: int, high: int, index: int) -> np.ndarray:
    counter = np.array([index], np.uint32)
    return np.concatenate(threefry((_u32(low), _u32(high)), counter, counter * _u32(0)))


def draw(
    key: Key | tuple[Word, Word], counter0: Words[Kind], counter1: Words[Kind] | int
) -> tuple[Words[Kind], Words[Kind]]:
    """Two random 32-bit words for each address (counter0, counter1), under a key of two words.

    The same key and address give the same words, whatever else is drawn beside them.

    Args:
        key: as a task's ``raw`` gets it.
        counter0: in ``raw`` the indices of the examples, (batch,).
        counter1: which draw of each example this is: 0, 1, 2, ..; draws of two different numbers are independent.

    Returns:
        Two arrays of the shape of the counters. ``unit`` makes them uniform on (0, 1); ``words % 6`` is a die.

    >>> import numpy as np
    >>> import glassware as gw
    >>> key, index = np.array([1, 2], np.uint32), np.arange(5, dtype=np.uint32)
    >>> first, second = gw.draw(key, index, 0)
    >>> third, fourth = gw.draw(key, index, 1)
    >>> bool((gw.draw(key, index[2:], 0)[0] == first[2:]).all())  # an example depends on its own index alone
    True
    """
    low, high = key[0], key[1]
    on_host = all(isinstance(one, HOST) for one in (low, high, counter0, counter1))
    made = threefry if on_host else _traced_threefry()
    return made((low, high), counter0, cast("Words[Kind]", counter1))  # a number broadcasts


@lru_cache(maxsize=1)
def _traced_threefry() -> Callable[..., tuple[Words[Kind], Words[Kind]]]:
    """The generator as JAX traces it, once per shape: its hundred operations would be most of the tracing of a program.

    Inlined, so that what is compiled is what the operators alone would give.
    """
    return cast("Callable[..., tuple[Words[Kind], Words[Kind]]]", jax.jit(threefry, inline=True))


def unit(words: UInt32[Kind, "*shape"]) -> Float32[Kind, "*shape"]:
    """Words to float32 uniform on the open interval (0, 1): 23 bits, at the midpoints of their cells.

    With 24 bits the midpoints above 1/2 are not float32 numbers, and the last of them rounds to 1.

    >>> import numpy as np
    >>> import glassware as gw
    >>> words, _ = gw.draw(np.array([1, 2], np.uint32), np.arange(1000, dtype=np.uint32), 0)
    >>> bool(0.45 < gw.unit(words).mean() < 0.55)
    True
    """
    return (words >> _u32(9)).astype(np.float32) * np.float32(2**-23) + np.float32(2**-24)


def below(words: Words[Kind], bound: Word | Whole) -> Words[Kind]:
    """Words to integers in [0, bound). The bias of the remainder is at most bound / 2**32."""
    return words % bound


def scramble(x: Words[Kind]) -> Words[Kind]:
    """A cheap 32-bit mixing function (two multiply-xorshift rounds), a bijection.

    Where millions of coins are tossed per step, it spreads a few words of ``draw`` over them.
    """
    x = (x ^ (x >> _u32(16))) * _u32(0x7FEB352D)
    x = (x ^ (x >> _u32(15))) * _u32(0x846CA68B)
    return x ^ (x >> _u32(16))


def ranking(words: Words[Kind], indices: Words[Kind], size: int) -> Words[Kind]:
    """Words with their lowest bits replaced by the index, so that no two of ``size`` scores tie."""
    bits = max(1, (size - 1).bit_length())
    return ((words >> _u32(bits)) << _u32(bits)) | indices


def subset(key: UInt32[np.ndarray, " 2"], size: int, chosen: int) -> tuple[int, ...]:
    """A uniformly random subset of ``range(size)`` with ``chosen`` elements, sorted (host only)."""
    return _subset(int(key[0]), int(key[1]), size, chosen)


@lru_cache(maxsize=2**16)
def _subset(low: int, high: int, size: int, chosen: int) -> tuple[int, ...]:
    key = np.array([low, high], np.uint32)
    indices = np.arange(size, dtype=np.uint32)
    words, _ = draw(key, indices, np.zeros_like(indices))
    order = np.argsort(ranking(words, indices, size))
    return tuple(sorted(int(i) for i in order[:chosen]))
