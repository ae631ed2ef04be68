"""Beyond bits (A.2.4): the same selection for tokens out of M kinds, with M^s points to look up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.variable_creation.bases import one_hot_basis
from glassware.theory.variable_creation.lookup import Lookup, lookup
from glassware.theory.variable_creation.norms import softmax
from glassware.theory.variable_creation.selection import Head, Inputs


@dataclass(frozen=True, eq=False)
class CategoricalNetwork:
    """One head per relevant token, each putting out the level of its kind, and a lookup of the levels."""

    inputs: Inputs
    heads: tuple[Head, ...]
    lookup: Lookup

    def levels(self, symbols: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, "n s"]:
        """What the heads put out together."""
        total = np.zeros((len(symbols), len(self.heads)))
        for head in self.heads:
            scores = self.inputs.products(symbols, head.W_K @ (head.W_Q.T @ self.inputs.cls)[:, None])[..., 0]
            values = self.inputs.products(symbols, head.W_V @ head.W_C[:, : len(self.heads)])
            total += np.einsum("nt,nto->no", softmax(scores), values)
        return total

    def __call__(self, symbols: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, " n"]:
        return self.lookup(self.levels(symbols))


def categorical_network(
    T: int, relevant: Sequence[int], kinds: int, table: Float[np.ndarray, " table"]
) -> CategoricalNetwork:
    """A Transformer layer that computes a function of s tokens out of T, each of one of ``kinds`` kinds.

    Kinds stand at equal distances on [-1, 1], so gamma is 2 / (kinds - 1), and the query has norm log(8T / gamma).

    Args:
        T: tokens.
        relevant: places of the relevant ones.
        kinds: M.
        table: its M^s values; the last relevant token changes fastest.

    >>> network = categorical_network(20, (4, 9), 3, np.arange(9.0))
    >>> symbols = np.zeros((1, 20), int)
    >>> symbols[0, [4, 9]] = 2, 1
    >>> network(symbols).round(9)
    array([7.])
    """
    s = len(relevant)
    if len(table) != kinds**s:
        raise ValueError(f"a function of {s} tokens of {kinds} kinds has {kinds**s} values, not {len(table)}")
    basis, levels, gamma = one_hot_basis(T, kinds), np.linspace(1, -1, kinds), 2 / (kinds - 1)
    first, out, value = np.eye(s)[0], np.eye(len(basis.cls)), levels @ basis.tokens
    R = math.log(8 * T / gamma)
    heads = [
        Head(
            np.outer(R * basis.cls, first), np.outer(basis.v[i], first), np.outer(value, first), np.outer(first, out[h])
        )
        for h, i in enumerate(relevant)
    ]
    points = np.array(list(itertools.product(levels, repeat=s)))
    return CategoricalNetwork(
        Inputs(basis.v, basis.tokens, basis.cls), tuple(heads), lookup(points, np.asarray(table, float), gamma / 4)
    )
