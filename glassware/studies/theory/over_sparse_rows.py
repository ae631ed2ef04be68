"""Rows of ``over_sparse`` that no run gives: exact first steps, examples needed, readouts and gradients."""

from __future__ import annotations

import math

import numpy as np

from glassware.theory.pareto.good_neurons import good_probability
from glassware.theory.pareto.over_sparse import train
from glassware.theory.pareto.over_sparse_readout import PRINTED_OFFSET, over_sparse_readout, sign_representable
from glassware.theory.pareto.sparse_gradients import enumerated_gradient, sparse_gradient

ENUMERATED = ((11, 2, 9), (12, 2, 9), (12, 4, 7), (12, 4, 9), (12, 4, 11))  # n, k, s
Row = dict[str, object]


def exact_row(n: int, k: int, s: int, offset: float, seed: int) -> Row:
    """Test error after the exact first step, with biases at this offset."""
    rng = np.random.default_rng([seed, n, k, s])
    found = train(n, k, s, 120, None, rng, offset=offset, m_readout=5000, m_test=4000)
    return {"part": "offset", "n": n, "k": k, "s": s, "offset": offset, "seed": seed, "error": found.test_error}


def samples_for(n: int, k: int, s: int, seed: int, error: float = 0.1) -> int:
    """Examples, doubled from 500 to 10^7, at which the test error is at most ``error``; eight good neurons expected."""
    width, m = 2 * math.ceil(4 * k / good_probability(n, k, s)), 500
    while m < 10**7:
        rng = np.random.default_rng([seed, n, k, s])
        if train(n, k, s, width, m, rng, m_readout=20_000).test_error <= error:
            break
        m *= 2
    return m


def readout_rows() -> list[Row]:
    """How well each set of biases expresses the parity."""
    rows: list[Row] = []
    for k in (2, 4, 6, 8, 10):
        for form, offset, printed in (
            ("corrected", 1.0, False),
            ("offset 1/16", PRINTED_OFFSET, False),
            ("printed", PRINTED_OFFSET, True),
        ):
            found = over_sparse_readout(k, offset, printed)
            rows.append({"part": "readout", "form": form, "k": k, "residual": found.residual, "norm": found.norm,
                         "representable": sign_representable(k, offset, printed)})  # fmt: skip
    return rows


def gradient_rows() -> list[Row]:
    """Closed form of a neuron's gradient against enumeration, for every way in which its ones can meet S."""
    rows: list[Row] = []
    for n, k, s in ENUMERATED:
        gaps = []
        for inside in range(max(0, s - (n - k)), k + 1):
            ones = [*range(inside), *range(k, k + s - inside)]
            weights = np.isin(np.arange(n), ones).astype(np.float64)
            gaps.append(np.abs(enumerated_gradient(weights, 0.0, range(k)) - sparse_gradient(n, range(k), ones)).max())
        rows.append({"part": "gradient", "n": n, "k": k, "s": s, "gap": float(max(gaps))})
    return rows
