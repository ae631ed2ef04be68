"""Partitions of n: cycle types, names of the irreps of S_n, and their characters (Murnaghan and Nakayama's rule)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

Partition = tuple[int, ...]


def partitions(n: int, largest: int | None = None) -> Iterator[Partition]:
    """Partitions of n in reverse lexicographic order: (n) first, (1, ..., 1) last."""
    if n == 0:
        yield ()
    for part in range(min(n, n if largest is None else largest), 0, -1):
        for rest in partitions(n - part, part):
            yield (part, *rest)


def cycle_type(permutation: Sequence[int]) -> Partition:
    """Lengths of the cycles of a permutation of 0 .. n-1, longest first."""
    left, lengths = set(range(len(permutation))), []
    while left:
        length, i = 0, next(iter(left))
        while i in left:
            left.remove(i)
            length, i = length + 1, permutation[i]
        lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


@cache
def partition_character(partition: Partition, cycles: Partition) -> int:
    """The character of the irrep ``partition`` at permutations of a cycle type.

    A cycle of length t takes a rim hook of length t away, with the sign of its height. In the numbers
    part + (parts below it) this lowers one number by t to a free place, past as many others as the hook is high.
    """
    if not cycles:
        return 1
    rows = {part + below for below, part in enumerate(reversed(partition))}
    total = 0
    for row in rows:
        lower = row - cycles[0]
        if lower >= 0 and lower not in rows:
            sign = (-1) ** sum(lower < other < row for other in rows)
            left = sorted(rows - {row} | {lower})
            shape = tuple(part for part in reversed([place - below for below, place in enumerate(left)]) if part)
            total += sign * partition_character(shape, cycles[1:])
    return total


def partition_label(partition: Partition) -> str:
    """The name of an irrep of S_n: (4,1), (2,1,1,1)."""
    return f"({','.join(map(str, partition))})"
