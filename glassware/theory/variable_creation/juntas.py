"""Whole networks for sparse functions (Lemmas A.22 and A.23): heads that select, then a lookup of what they found.

A function of s bits is a table of 2^s values; the entry of bits b_1 .. b_s is number b_1 + 2 b_2 + 4 b_3 + ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.variable_creation.bases import Basis
from glassware.theory.variable_creation.lookup import Lookup, lookup
from glassware.theory.variable_creation.norms import softmax
from glassware.theory.variable_creation.selection import Selection, head_limit, select, separation, target
from glassware.theory.variable_creation.sharpness import Kind

Table: TypeAlias = Float[np.ndarray, " table"]
Gate: TypeAlias = Literal["and", "or", "xor", "maj"]
GATES: tuple[Gate, ...] = ("and", "or", "xor", "maj")
SYMMETRIC: tuple[Kind, ...] = ("one head", "trained", "bag")  # see the number of ones alone


def all_bits(s: int) -> Integer[np.ndarray, "table s"]:
    """All strings of s bits, in the order of a table."""
    return np.arange(2**s)[:, None] >> np.arange(s) & 1


def truth_table(gate: Gate, s: int) -> Table:
    """Its values, 0 or 1; a tie is no majority.

    >>> truth_table("xor", 2)
    array([0., 1., 1., 0.])
    """
    ones = all_bits(s).sum(axis=1)
    found = {"and": ones == s, "or": ones > 0, "xor": ones % 2 == 1, "maj": 2 * ones > s}[gate]
    return found.astype(float)


def symmetric_table(values: Float[np.ndarray, " counts"]) -> Table:
    """The table whose entry is ``values`` at the number of ones."""
    return values[all_bits(len(values) - 1).sum(axis=1)]


def at(table: Table, bits: Integer[np.ndarray, "n s"]) -> Float[np.ndarray, " n"]:
    """Values of a table at these bits."""
    return table[bits @ (1 << np.arange(bits.shape[1]))]


@dataclass(frozen=True, eq=False)
class JuntaNetwork:
    """Heads, a lookup, and the function they compute together."""

    selection: Selection
    lookup: Lookup
    table: Table

    def __call__(self, bits: Float[np.ndarray, "n T"]) -> Float[np.ndarray, " n"]:
        return self.lookup(self.selection(bits))

    def wanted(self, bits: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, " n"]:
        """The function itself."""
        return at(self.table, bits[:, list(self.selection.relevant)])

    def error(self, bits: Integer[np.ndarray, "n T"]) -> float:
        """Largest distance from it."""
        return float(np.abs(self(bits) - self.wanted(bits)).max())


def junta_network(
    kind: Kind,
    T: int,
    relevant: Sequence[int],
    table: Table,
    basis: Basis | None = None,
    *,
    bump: Literal["corrected", "printed"] = "corrected",
    width: Literal["corrected", "printed"] = "corrected",
    dual: bool = True,
    R: float | None = None,
) -> JuntaNetwork:
    """A Transformer layer that computes this function of the relevant bits.

    Args:
        kind: how it selects; one head and a scalar bag take functions of the number of ones alone.
        T, relevant, basis, dual, R: as for ``select``.
        table: values.
        bump: see ``lookup``.
        width: half of the boxes' sides. The head is within gamma/4 of its points, and the text makes them gamma/8.

    >>> network = junta_network("s heads", 40, (5, 11), truth_table("xor", 2))
    >>> bits = np.eye(40, dtype=int)[[5, 6, 11]]
    >>> network(bits).round(9)
    array([1., 0., 1.])
    """
    s = len(relevant)
    if len(table) != 2**s:
        raise ValueError(f"a function of {s} bits has a table of {2**s} values, not {len(table)}")
    bits = all_bits(s)
    if kind in SYMMETRIC:
        bits = np.tri(s + 1, s, -1, dtype=int)  # no, one, .. s ones
        if not np.array_equal(symmetric_table(at(table, bits)), table):
            raise ValueError(f"'{kind}' sees the number of ones alone, and this function depends on more")
    delta = head_limit(kind, s) / 2 if width == "printed" else separation(kind, s)
    found = lookup(target(kind, bits), at(table, bits), delta, printed=bump == "printed")
    return JuntaNetwork(select(kind, T, relevant, basis, dual=dual, R=R), found, np.asarray(table, float))


def patterns(T: int, relevant: Sequence[int], rng: np.random.Generator) -> Integer[np.ndarray, "n T"]:
    """All inputs for T ≤ 12; else all relevant patterns, with other bits 0, 1, random and opposite to relevant ones."""
    if T <= 12:
        return all_bits(T)
    s = len(relevant)
    core = all_bits(s)
    fills = [np.zeros((2**s, T), int), np.ones((2**s, T), int), rng.integers(0, 2, (2**s, T)),
             1 - core[:, np.arange(T) % s]]  # fmt: skip
    found = np.concatenate(fills)
    found[:, list(relevant)] = np.tile(core, (4, 1))
    return found


def folded(network: JuntaNetwork, bits: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, " n"]:
    """The same function with ReLU after W_C and two layers after it: W_1 is folded into the heads.

    The value E_0 + E_1 + v_CLS is 1 on every row, so the mixture carries the bias. Rows of a bag have no such value.
    """
    selection, W_1 = network.selection, network.lookup.W_1
    inputs = selection.inputs
    if inputs.bag:
        raise ValueError("rows of a bag of vectors have no direction in which all are 1, so a bias cannot be folded in")
    one = (inputs.tokens.sum(axis=0) + inputs.cls)[:, None] @ W_1[-1:]
    hidden = np.zeros((len(bits), W_1.shape[1]))
    for h, head in enumerate(selection.heads):
        value = head.W_V @ head.W_C[:, : selection.outputs] @ W_1[:-1] + (one if h == 0 else 0.0)
        hidden += np.einsum("nt,ntj->nj", selection.attention(bits, h), inputs.products(bits, value))
    return network.lookup.after_first(hidden)


def class_weights(rows: Float[np.ndarray, "T d"], key: Float[np.ndarray, " d"], R: float) -> Float[np.ndarray, " rows"]:
    """Broad attention: weights, nearly equal, of all rows that share a key component, and of a [CLS] row without it."""
    return softmax(np.append(rows @ key, 0.0) * R)


def circuit(
    T: int, first: tuple[int, int], second: tuple[int, int], tables: tuple[Table, Table, Table]
) -> tuple[JuntaNetwork, JuntaNetwork, JuntaNetwork]:
    """Two layers: two gates of bits, then a gate of the gates.

    Bags of vectors let a layer write a gate's value onto a further basis vector. The gates of the second layer stand at
    places T and T + 1 of a longer bag; all bits stand in it too.
    """
    one, two = (
        junta_network("bag vector", T, pair, table) for pair, table in zip((first, second), tables, strict=False)
    )
    return one, two, junta_network("bag vector", T + 2, (T, T + 1), tables[2])


def run_circuit(
    gates: tuple[JuntaNetwork, JuntaNetwork, JuntaNetwork], bits: Integer[np.ndarray, "n T"]
) -> Float[np.ndarray, " n"]:
    """Outputs; the last gate sees what the others put out, not rounded."""
    written = [gate(bits)[:, None] for gate in gates[:2]]
    return gates[2](np.concatenate([bits, *written], axis=1))


def growth(norms: Sequence[float], sizes: Sequence[int]) -> float:
    """The exponent of a power law through norms at these sizes, by least squares in logarithms."""
    if any(later <= earlier for earlier, later in pairwise(sizes)):
        raise ValueError("sizes must grow")
    return float(np.polyfit(np.log(sizes), np.log(norms), 1)[0])
