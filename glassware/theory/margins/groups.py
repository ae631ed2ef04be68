"""Finite groups as multiplication tables: the ones studied, their products, and any other by its table.

``table[a, b]`` is the product ab. A table is checked when a ``Group`` is made of it: whatever holds one holds a group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import permutations
from typing import Literal, TypeAlias

import numpy as np

from glassware.foundation.arrays import Int

Table: TypeAlias = Int[np.ndarray, "order order"]
Elements: TypeAlias = Int[np.ndarray, " order"]

LARGEST = 5040  # a table of order^2 entries is still small, and S_7 has this order


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group given by its multiplication table.

    Args:
        name: what it is called; ``named`` reads the names of the constructors here.
        table: (order, order) whole numbers below the order, table[a, b] = ab.
        family: set by ``cyclic`` and ``symmetric``, whose elements come in a known order, so that irreps have names.
    """

    name: str
    table: Table
    family: Literal["cyclic", "symmetric", ""] = ""

    def __post_init__(self) -> None:
        table = _checked(self.table)
        table.setflags(write=False)
        object.__setattr__(self, "table", table)

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.table)

    @cached_property
    def identity(self) -> int:
        """The element e."""
        return int(np.flatnonzero(self.table[:, 0] == 0)[0])

    @cached_property
    def inverse(self) -> Elements:
        """The inverse of each element."""
        return np.argmax(self.table == self.identity, axis=1)

    @cached_property
    def element_orders(self) -> Elements:
        """Smallest t > 0 with g^t = e, for each element g."""
        orders, power = np.ones(self.order, int), np.arange(self.order)
        while np.any(away := power != self.identity):
            orders += away
            power = np.where(away, self.table[power, np.arange(self.order)], power)
        return orders

    @cached_property
    def classes(self) -> Elements:
        """The conjugacy class of each element, as a number; 0 is the class of e.

        The others are sorted by the order of their elements, their size and their first element.
        """
        found = np.full(self.order, -1)
        first: list[int] = []
        for g in range(self.order):
            if found[g] < 0:
                found[self.table[self.table[:, g], self.inverse]] = len(first)
                first.append(g)
        sizes = np.bincount(found)
        ranked = sorted(range(len(first)), key=lambda c: (self.element_orders[first[c]], sizes[c], first[c]))
        place = np.empty(len(first), int)
        place[ranked] = np.arange(len(first))
        return place[found]

    @cached_property
    def class_sizes(self) -> Int[np.ndarray, " classes"]:
        """Number of elements of each class."""
        return np.bincount(self.classes)

    @cached_property
    def class_elements(self) -> Int[np.ndarray, " classes"]:
        """The first element of each class."""
        return np.unique(self.classes, return_index=True)[1]

    @cached_property
    def quotients(self) -> Table:
        """quotients[a, c] = a c^-1: at (ab, c) it is e for the right label c and tells wrong ones apart by class."""
        return self.table[:, self.inverse]


def from_table(table: Table, name: str = "") -> Group:
    """A group by its multiplication table; refused with one sentence if it is none."""
    group = Group("", np.asarray(table))
    return Group(name or f"group of order {group.order}", group.table)


@lru_cache
def cyclic(n: int) -> Group:
    """Z_n: addition modulo n."""
    _check_order(f"Z_{n}", n)
    steps = np.arange(n)
    return Group(f"Z_{n}", (steps[:, None] + steps) % n, "cyclic")


@lru_cache
def symmetric(n: int) -> Group:
    """S_n: permutations in lexicographic order, (ab)(i) = a(b(i))."""
    if n < 1 or n > 7:
        raise ValueError(f"S_{n} is not available: n lies between 1 and 7")
    return Group(f"S_{n}", _composition(_permutations(n)), "symmetric")


@lru_cache
def alternating(n: int) -> Group:
    """A_n: the even permutations, in lexicographic order."""
    if n < 1 or n > 7:
        raise ValueError(f"A_{n} is not available: n lies between 1 and 7")
    every = _permutations(n)
    swaps = sum((every[:, i] > every[:, j]) for i in range(n) for j in range(i + 1, n)) + np.zeros(len(every), int)
    return Group(f"A_{n}", _composition(every[swaps % 2 == 0]))


@lru_cache
def dihedral(n: int) -> Group:
    """D_n, of order 2n: rotations r^i are elements i, reflections r^i s are elements n + i."""
    _check_order(f"D_{n}", 2 * n)
    return Group(f"D_{n}", _twofold(n, 0))


@lru_cache
def quaternion(order: int = 8) -> Group:
    """Q_4n, the (generalised) quaternion group: a^i are elements i, a^i x are elements 2n + i, and x^2 = a^n."""
    if order < 4 or order % 4:
        raise ValueError(f"Q_{order} does not exist: the order of a quaternion group is a multiple of 4")
    _check_order(f"Q_{order}", order)
    return Group(f"Q_{order}", _twofold(order // 2, order // 4))


def product(left: Group, right: Group) -> Group:
    """The direct product; the pair (g, h) is element g |H| + h."""
    name, order = f"{left.name} x {right.name}", left.order * right.order
    _check_order(name, order)
    pairs = left.table[:, None, :, None] * right.order + right.table[None, :, None, :]
    return Group(name, pairs.reshape(order, order))


CONSTRUCTORS = {"Z": cyclic, "S": symmetric, "D": dihedral, "A": alternating, "Q": quaternion}


@lru_cache
def named(name: str) -> Group:
    """The group of a name: ``Z_71``, ``S_5``, ``D_4``, ``A_5``, ``Q_8``, and products such as ``S_3 x Z_2``."""
    factors = [re.fullmatch(r"([ZSDAQ])_(\d+)", factor) for factor in name.split(" x ")]
    if not all(factors):
        raise ValueError(f"{name!r} is no known group; names look like Z_71, S_5, D_4, A_5, Q_8 or Z_2 x Z_4")
    return reduce(product, [CONSTRUCTORS[f[1]](int(f[2])) for f in factors if f])


def _check_order(name: str, order: int) -> None:
    if order < 1:
        raise ValueError(f"{name} does not exist: a group has at least one element")
    if order > LARGEST:
        raise ValueError(f"{name} has {order:,} elements; tables here have at most {LARGEST:,}")


def _permutations(n: int) -> Int[np.ndarray, "order n"]:
    return np.array(list(permutations(range(n))), int)


def _composition(members: Int[np.ndarray, "order n"]) -> Table:
    """The table of a set of permutations that is closed under composition."""
    n = members.shape[1]
    digits = n ** np.arange(n)
    place = np.zeros(n**n, np.int32)
    place[members @ digits] = np.arange(len(members))
    return np.stack([place[a[members] @ digits] for a in members])


def _twofold(n: int, square: int) -> Table:
    """Z_n and a second half x Z_n with x a x^-1 = a^-1 and x^2 = a^square."""
    i, j = np.arange(n)[:, None], np.arange(n)
    plain, turned = (i + j) % n, (i - j) % n
    return np.block([[plain, n + plain], [n + turned, (turned + square) % n]])


def _checked(given: Table) -> Table:
    """A copy of a multiplication table that has passed every test of one."""
    table = np.asarray(given)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"a multiplication table is square, not of shape {table.shape}")
    order = len(table)
    _check_order("this table", order)
    if table.dtype.kind not in "iu" or table.min() < 0 or table.max() >= order:
        raise ValueError(f"a multiplication table of order {order} holds whole numbers from 0 to {order - 1}")
    table = table.astype(np.int32)
    every = np.arange(order)
    for axis, line in ((1, "row"), (0, "column")):
        wrong = np.flatnonzero(np.any(np.sort(table, axis=axis) != np.expand_dims(every, 1 - axis), axis=axis))
        if wrong.size:
            raise ValueError(f"{line} {wrong[0]} of the multiplication table is not a permutation of the elements")
    neutral = np.flatnonzero(np.all(table == every, axis=1) & np.all(table == every[:, None], axis=0))
    if not neutral.size:
        raise ValueError("the multiplication table has no identity")
    inverse = np.argmax(table == neutral[0], axis=1)
    if np.any(alone := table[inverse, every] != neutral[0]):
        raise ValueError(f"element {np.flatnonzero(alone)[0]} has no inverse on both sides")
    _check_associative(table)
    return table


def _check_associative(table: Table) -> None:
    """Light's test: (x g) y = x (g y) for generators g alone; exact, and few are needed.

    The elements that pass form a group. So each generator outside of what is reached at least doubles it.
    """
    reached, generators = np.zeros(len(table), bool), []
    while not reached.all():
        g = int(np.argmin(reached))
        if np.any(table[table[:, g]] != table[:, table[g]]):
            raise ValueError(f"the multiplication is not associative: (x g) y differs from x (g y) at g = {g}")
        generators.append(g)
        reached[g], new = True, np.array([g])
        while new.size:
            products = table[np.flatnonzero(reached)][:, generators].ravel()
            new = np.unique(products[~reached[products]])
            reached[new] = True
