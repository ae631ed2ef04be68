"""Examples on the CPU: the same Threefry words as ``foundation.draws``, laid out for tables and for counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from glassware.engine.cpu.compiled import compiled
from glassware.foundation.draws import PARITY_CONSTANT, ROTATIONS

LEFT = tuple(np.uint32(distance) for rotations in ROTATIONS for distance in rotations)
RIGHT = tuple(np.uint32(32 - int(distance)) for distance in LEFT)
CONSTANT = np.uint32(PARITY_CONSTANT)


@compiled
def threefry(k0: Any, k1: Any, x0: Any, x1: Any) -> Any:
    """Two random words for a counter pair; all arguments uint32."""
    keys = (k0, k1, np.uint32(k0 ^ k1 ^ CONSTANT))
    x0, x1 = np.uint32(x0 + k0), np.uint32(x1 + k1)
    for block in range(5):
        for i in range(4):
            turn = 4 * (block % 2) + i
            x0 = np.uint32(x0 + x1)
            x1 = np.uint32(((x1 << LEFT[turn]) | (x1 >> RIGHT[turn])) ^ x0)
        x0 = np.uint32(x0 + keys[(block + 1) % 3])
        x1 = np.uint32(x1 + keys[(block + 2) % 3] + np.uint32(block + 1))
    return x0, x1


@compiled
def examples(n: int, keys: Any, mask: Any, noise: Any, index: Any, count: int, words: Any, y: Any) -> None:
    """Words (words, count) and labels of the examples ``index``. Bits past the n-th are cleared: a constant +1."""
    size = words.shape[0]
    for j in range((size + 1) // 2):
        even = words[2 * j]
        odd = words[min(2 * j + 1, size - 1)]
        for i in range(count):
            first, second = threefry(keys[2], keys[3], index[i], np.uint32(j))
            odd[i] = second
            even[i] = first  # last: where there is no odd word they are the same array
    if n % 32:
        kept = np.uint32((1 << (n % 32)) - 1)
        for i in range(count):
            words[size - 1, i] &= kept
    else:
        for i in range(count):
            words[size - 1, i] = np.uint32(0)
    label(words, mask, count, y)
    if noise > 0:
        for i in range(count):
            coin, _ = threefry(keys[4], keys[5], index[i], np.uint32(0))
            if np.float32(coin >> np.uint32(9)) * np.float32(2**-23) + np.float32(2**-24) < noise:
                y[i] = -y[i]


@compiled
def label(words: Any, mask: Any, count: int, y: Any) -> None:
    """The parities of the masked bits, +-1."""
    for i in range(count):
        folded = np.uint32(0)
        for j in range(mask.size):
            folded = np.uint32(folded ^ (words[j, i] & mask[j]))
        folded = np.uint32(folded ^ (folded >> np.uint32(16)))
        folded = np.uint32(folded ^ (folded >> np.uint32(8)))
        folded = np.uint32(folded ^ (folded >> np.uint32(4)))
        folded = np.uint32(folded ^ (folded >> np.uint32(2)))
        folded = np.uint32(folded ^ (folded >> np.uint32(1)))
        y[i] = np.float32(1) - np.float32(2) * np.float32(folded & np.uint32(1))


@compiled
def places_of(words: Any, count: int, places: Any) -> None:
    """``places`` (count, words), uint64: the eight nibbles of a word, a byte each."""
    for j in range(words.shape[0]):
        for i in range(count):
            x = np.uint64(words[j, i])
            x = (x | (x << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
            x = (x | (x << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
            x = (x | (x << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            places[i, j] = x


@compiled
def columns_of(words: Any, y: Any, batch: int, square: Any, columns: Any) -> None:
    """``columns`` (32 words, batch words): bit b of input i is set where x_bi and the label y_b differ."""
    for q in range((batch + 31) // 32):
        rows = min(32, batch - 32 * q)
        minus = np.uint32(0)
        for b in range(rows):
            if y[32 * q + b] < 0:
                minus |= np.uint32(1) << np.uint32(b)
        for j in range(words.shape[0]):
            for b in range(32):
                square[b] = words[j, 32 * q + b] if b < rows else np.uint32(0)
            transpose(square)
            for i in range(32):
                columns[32 * j + i, q] = square[i] ^ minus


@compiled
def transpose(square: Any) -> None:
    """Transpose 32 words as a matrix of bits: swap ever smaller blocks across the diagonal."""
    width, pattern = 16, np.uint32(0x0000FFFF)
    while width:
        shift = np.uint32(width)
        for start in range(0, 32, 2 * width):
            for k in range(start, start + width):
                swapped = np.uint32(((square[k] >> shift) ^ square[k + width]) & pattern)
                square[k + width] ^= swapped
                square[k] ^= np.uint32(swapped << shift)
        width //= 2
        pattern = np.uint32(pattern ^ (pattern << np.uint32(width)))
