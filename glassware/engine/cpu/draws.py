"""Examples on the CPU: the same Threefry words as ``foundation.draws``, laid out for tables and for counts."""

from __future__ import annotations

import numpy as np

from glassware.engine.cpu.compiled import compiled
from glassware.engine.threefry import threefry
from glassware.foundation.arrays import Float32, UInt32, UInt64


@compiled
def examples(
    n: int,
    keys: UInt32[np.ndarray, " 6"],
    mask: UInt32[np.ndarray, " mask_words"],
    noise: np.float32,
    index: UInt32[np.ndarray, " rows"],
    count: int,
    words: UInt32[np.ndarray, "words rows"],
    y: Float32[np.ndarray, " rows"],
) -> None:
    """Words and labels of the first ``count`` examples of ``index``. Bits past the n-th are cleared: a constant +1."""
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
def label(
    words: UInt32[np.ndarray, "words rows"],
    mask: UInt32[np.ndarray, " mask_words"],
    count: int,
    y: Float32[np.ndarray, " rows"],
) -> None:
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
def places_of(words: UInt32[np.ndarray, "words rows"], count: int, places: UInt64[np.ndarray, "rows words"]) -> None:
    """``places``: the eight nibbles of a word, one byte each."""
    for j in range(words.shape[0]):
        for i in range(count):
            x = np.uint64(words[j, i])
            x = (x | (x << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
            x = (x | (x << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
            x = (x | (x << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            places[i, j] = x


@compiled
def columns_of(
    words: UInt32[np.ndarray, "words rows"],
    y: Float32[np.ndarray, " rows"],
    batch: int,
    square: UInt32[np.ndarray, " 32"],
    columns: UInt32[np.ndarray, "32*words batch_words"],
) -> None:
    """``columns``: bit b of input i is set where x_bi and the label y_b differ."""
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
def transpose(square: UInt32[np.ndarray, " 32"]) -> None:
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
