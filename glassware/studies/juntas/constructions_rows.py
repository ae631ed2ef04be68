"""Rows of ``constructions``. ``part`` says what a row is about:

network   how far a whole network is from the function it is built for
head      how far the heads are from g at the worst input, beside the closed form (``wanted``) and gamma / 4 (``limit``)
norm      a Frobenius norm of their weights, beside its closed form and the bound that the text prints
softmax   how far attention is from uniform on the tokens it selects, beside the closed form
flip      what one relevant bit does, at a fixed query norm and at one that grows with T
query     norms of the weights as T grows
growth    the exponent in s of a norm of the lookup
near      vectors that are orthogonal up to Delta: the heads' error over gamma / 4, and the network's (``gap``)
variant   what the text remarks besides: gates, circuits, symmetry, shorter lookups
printed   how far a statement is from true, as printed and corrected
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from glassware.foundation.arrays import Integer
from glassware.studies.claim import Scale
from glassware.theory.variable_creation.bases import gate_dimension, random_sign_basis
from glassware.theory.variable_creation.juntas import (
    GATES,
    SYMMETRIC,
    Table,
    all_bits,
    growth,
    junta_network,
    patterns,
    symmetric_table,
    truth_table,
)
from glassware.theory.variable_creation.lookup import lookup
from glassware.theory.variable_creation.selection import Selection, head_limit, select, separation, target
from glassware.theory.variable_creation.sharpness import (
    KINDS,
    Kind,
    exact_norms,
    flip_effect,
    sharpness,
    stated_norms,
    truncation,
    worst_error,
)

Row = dict[str, object]

# T and s; up to T = 12 all inputs.
SIZES: dict[Scale, tuple[tuple[int, int], ...]] = {
    "smoke": ((5, 1), (8, 2), (9, 3), (50, 3)),
    "laptop": ((7, 1), (8, 2), (9, 3), (12, 4), (50, 3), (150, 4), (333, 5), (400, 6)),
    "paper": ((7, 1), (8, 2), (9, 3), (12, 4), (50, 3), (150, 4), (333, 5), (400, 6), (200, 7), (300, 8), (3000, 3)),
}
# T, s and dimensions of vectors of random signs; 0 is 64 s^2 log T.
NEAR: dict[Scale, tuple[tuple[int, int, int], ...]] = {
    "smoke": ((100, 3, 1500),),
    "laptop": ((300, 3, 0), (700, 2, 0), (256, 5, 4096), (500, 3, 0)),
    "paper": ((300, 3, 0), (700, 2, 0), (256, 5, 4096), (500, 3, 0), (1024, 4, 8192), (4096, 3, 0)),
}
CONTEXTS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
QUERIES = (30, 100, 300, 1000)
FIXED = 3.0  # the query norm that does not grow
# Kind, weight and exponent in s over s = 2 .. 8; for kinds that look up all 2^s patterns after division by 2^(s/2).
EXPONENTS: tuple[tuple[Kind, str, float], ...] = (
    ("one head", "W_1", 1.3), ("one head", "W_2", 1.4), ("bag", "W_1", 1.9), ("bag", "W_2", 1.4),
    ("s heads", "W_1", 0.5), ("s heads", "W_2", 0.76), ("bag vector", "W_1", 1.4), ("bag vector", "W_2", 1.8),
)  # fmt: skip


def network_rows(scale: Scale) -> Iterator[Row]:
    """Every construction with five functions behind it, and its heads and norms alone."""
    for T, s in SIZES[scale]:
        rng = np.random.default_rng([T, s])
        relevant = drawn_places(T, s, rng)
        bits = patterns(T, relevant, rng)
        for kind in KINDS:
            at = {"kind": kind, "T": T, "s": s}
            selection = select(kind, T, relevant)
            error, closed = head_error(selection, bits), worst_error(kind, T, s, selection.R)
            yield {"part": "head", **at, "value": error, "wanted": closed, "limit": head_limit(kind, s),
                   "gap": abs(error - closed)}  # fmt: skip
            stated, exact = stated_norms(kind, T, s), exact_norms(kind, T, s)
            for name, value in selection.norms().items():
                yield {"part": "norm", **at, "name": name, "value": value, "wanted": exact[name],
                       "limit": stated[name], "gap": abs(value - exact[name])}  # fmt: skip
            for name, table in functions(kind, s, rng).items():
                network = junta_network(kind, T, relevant, table)
                yield {"part": "network", **at, "name": name, "gap": network.error(bits)}


def softmax_rows(scale: Scale) -> Iterator[Row]:
    """Attention of one head against uniform weights on the relevant tokens."""
    for T, s in SIZES[scale]:
        selection = select("trained", T, range(s))
        weights = selection.attention(np.zeros((1, T), int))[0]
        uniform = np.where(np.arange(T + 1) < s, 1 / s, 0.0)
        value, closed = float(np.abs(weights - uniform).sum()), truncation(T, s, selection.R)
        yield {"part": "softmax", "kind": "trained", "T": T, "s": s, "value": value, "wanted": closed,
               "limit": 2 * T * np.exp(-selection.R), "gap": abs(value - closed)}  # fmt: skip


def flip_rows(s: int = 3) -> Iterator[Row]:
    """One relevant bit flipped, all others 0, with positions that are trained: four dimensions whatever T is."""
    for T in CONTEXTS:
        bits = np.zeros((2, T), int)
        bits[1, 0] = 1
        for form, R in (("fixed", FIXED), ("grows with log T", sharpness("trained", T, s))):
            selection = select("trained", T, range(s), R=R)
            none, one = selection(bits)[:, 0]
            value, closed = float(none - one), flip_effect(T, s, R)
            yield {"part": "flip", "form": form, "T": T, "s": s, "value": value, "wanted": closed,
                   "gap": abs(value - closed)}  # fmt: skip


def query_rows(scale: Scale, s: int = 3) -> Iterator[Row]:
    """Norms of all weights as contexts grow."""
    for kind in ("one head", "trained heads", "bag"):
        for T in QUERIES[: 3 if scale == "smoke" else None]:
            for name, value in select(kind, T, range(s)).norms().items():
                yield {"part": "query", "kind": kind, "T": T, "s": s, "name": name, "value": value}


def growth_rows() -> Iterator[Row]:
    """Norms of the lookup for s = 2 .. 8."""
    sizes = list(range(2, 9))
    for kind, name, wanted in EXPONENTS:
        norms = []
        for s in sizes:
            bits = np.tri(s + 1, s, -1, dtype=int) if kind in SYMMETRIC else all_bits(s)
            network = lookup(target(kind, bits), np.ones(len(bits)), separation(kind, s))
            norms.append(network.norms()[name] / (1.0 if kind in SYMMETRIC else 2 ** (s / 2)))
        yield {"part": "growth", "kind": kind, "name": name, "value": growth(norms, sizes), "wanted": wanted}


def near_rows(scale: Scale) -> Iterator[Row]:
    """Random signs for vectors: dual keys, keys as printed, and keys and R as printed."""
    for T, s, d in NEAR[scale]:
        rng = np.random.default_rng([T, s, 1])
        basis, relevant = random_sign_basis(T, d or gate_dimension(T, s), rng), drawn_places(T, s, rng)
        bits, delta = patterns(T, relevant, rng), basis.coherence(relevant)
        for kind in ("one head", "s heads", "bag", "bag vector"):
            table = functions(kind, s, rng)["table"]
            forms: dict[str, tuple[bool, float | None]] = {"dual": (True, None), "keys as printed": (False, None)}
            if kind == "one head":
                forms["dual, smaller R"] = True, sharpness(kind, T, s, delta, dual=True)
            for form, (dual, R) in forms.items():
                network = junta_network(kind, T, relevant, table, basis, dual=dual, R=R)
                error = head_error(network.selection, bits) / head_limit(kind, s)
                yield {"part": "near", "kind": kind, "form": form, "T": T, "s": s, "delta": delta, "value": error,
                       "norm": network.selection.norms()["W_K"], "gap": network.error(bits)}  # fmt: skip


def functions(kind: Kind, s: int, rng: np.random.Generator) -> dict[str, Table]:
    """The functions a kind is tried on: four gates, and a table of random numbers."""
    random = symmetric_table(rng.standard_normal(s + 1)) if kind in SYMMETRIC else rng.standard_normal(2**s)
    return {**{gate: truth_table(gate, s) for gate in GATES}, "table": random}


def head_error(selection: Selection, bits: Integer[np.ndarray, "n T"]) -> float:
    """How far the heads are from g, in the sup norm."""
    return float(np.abs(selection(bits) - selection.target(bits)).max())


def drawn_places(T: int, s: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Relevant tokens at random."""
    return tuple(int(i) for i in rng.choice(T, s, replace=False))
