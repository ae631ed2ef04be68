"""Which products of three or four signs agree most often with the label: all of them, 64 rows at a time."""

from __future__ import annotations

import math

import numba
import numpy as np
from llvmlite import ir
from numba.core import typing
from numba.core.base import BaseContext
from numba.extending import intrinsic

from glassware.foundation.arrays import Int64, UInt64
from glassware.tabular.cpu.compiled import compiled


@intrinsic  # type: ignore[untyped-decorator]
def _ones(typingctx: typing.Context, word: numba.types.Type) -> object:
    """The number of ones in a word."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), generate


@compiled
def triples(
    target: UInt64[np.ndarray, " words"],
    signs: UInt64[np.ndarray, "signs words"],
    column: Int64[np.ndarray, " signs"],
    rows: int,
    best: Int64[np.ndarray, "pairs 4"],
) -> None:
    """For the pairs in ``best`` (two signs) the third sign of a later column with which their product agrees or
    disagrees most with the target; its number and twice how far the agreeing rows are from a half are written."""
    words = len(target)
    with_two = np.empty(words, np.uint64)
    for pair in range(len(best)):
        i, j = best[pair, 0], best[pair, 1]
        for word in range(words):
            with_two[word] = target[word] ^ signs[i, word] ^ signs[j, word]
        far, third = -1, -1
        for k in range(j + 1, len(signs)):
            if column[k] == column[j]:
                continue
            count = 0
            for word in range(words):
                count += _ones(with_two[word] ^ signs[k, word])
            size = abs(rows - 2 * count)
            if size > far:
                far, third = size, k
        best[pair, 2], best[pair, 3] = third, far


@compiled
def quadruples(
    target: UInt64[np.ndarray, " words"],
    signs: UInt64[np.ndarray, "signs words"],
    column: Int64[np.ndarray, " signs"],
    rows: int,
    best: Int64[np.ndarray, "pairs 5"],
) -> None:
    """The same with two more signs."""
    words = len(target)
    with_three = np.empty(words, np.uint64)
    for pair in range(len(best)):
        i, j = best[pair, 0], best[pair, 1]
        far, third, fourth = -1, -1, -1
        for k in range(j + 1, len(signs)):
            if column[k] == column[j]:
                continue
            for word in range(words):
                with_three[word] = target[word] ^ signs[i, word] ^ signs[j, word] ^ signs[k, word]
            for m in range(k + 1, len(signs)):
                if column[m] == column[k]:
                    continue
                count = 0
                for word in range(words):
                    count += _ones(with_three[word] ^ signs[m, word])
                size = abs(rows - 2 * count)
                if size > far:
                    far, third, fourth = size, k, m
        best[pair, 2], best[pair, 3], best[pair, 4] = third, fourth, far


def packed(bits: np.ndarray) -> UInt64[np.ndarray, "signs words"]:
    """Rows of truth values as words; the last one is filled with zeros."""
    rows = bits.shape[1]
    padded = np.zeros((len(bits), 64 * math.ceil(rows / 64)), np.uint8)
    padded[:, :rows] = bits
    return np.packbits(padded, axis=1).view(np.uint64)


def farthest(
    target: np.ndarray, signs: np.ndarray, column: np.ndarray, size: int, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sets of three or four signs whose product agrees with the target far more, or far less, often than in half of
    the rows; for each pair of first signs only the best. Also returns by how many rows, doubled.

    Args:
        target: a truth value per row.
        signs: truth values, (signs, rows), ordered by column.
        column: of each sign; sets take signs of different columns.
        size: 3 or 4.
        top: number of sets.
    """
    words, rows = packed(signs), len(target)
    i, j = np.triu_indices(len(signs), 1)
    other = column[i] != column[j]
    best = np.zeros((int(other.sum()), size + 1), np.int64)
    best[:, 0], best[:, 1] = i[other], j[other]
    run = triples if size == 3 else quadruples
    run(packed(target[None])[0], words, column.astype(np.int64), rows, best)
    best = best[best[:, 2] >= 0]
    order = np.argsort(-best[:, -1], kind="stable")[:top]
    return best[order, :-1], best[order, -1]
