"""Rows of networks that have learned, neuron by neuron, to be spoiled in one thing at a time."""

from typing import Any

import numpy as np
import polars as pl

from glassware.studies import Study
from glassware.studies.verdict import Verdict
from tests.studies.made import check

Lane = dict[str, Any]


def cyclic(p: int, activation: str = "square", steps: int = 20_000, seed: int = 0, **changes: Any) -> Lane:
    """A network on Z_p in which each frequency has four neurons of the best form; ReLU neurons are nearly pure."""
    frequencies = (p - 1) // 2
    units = 4 * frequencies
    full, owner = np.ones(units), np.repeat(np.arange(1, frequencies + 1), 4).astype(float)
    pure, pure_w = (full, full) if activation == "square" else (0.925 * full, 0.985 * full)
    ends = {"margin_ratio": 0.9995, "mass": [0.0, *[1 / frequencies] * frequencies], "weighted_power": [0.9999] * 3}
    lane = {
        "group": f"Z_{p}", "activation": activation, "steps": steps, "seed": seed, "diverged_step": None,
        "test_error": 0.0, "test_cross_entropy": {13: 0.016025, 23: 0.039538, 71: 0.24426}[p],
        "neuron_size": full, "power_u": pure, "power_v": pure, "power_w": pure_w,
        "irrep_u": owner, "irrep_v": owner, "irrep_w": owner, "first_power": 0.2 * full, "phase_defect": 0.001 * full,
        "balance": 1.001 * full, "w_over_u": 1.4142 * full, **ends, **changes,
    }  # fmt: skip
    return {**lane, **{f"curve_{name}": [lane[name]] for name in ends}}


def parity(n: int = 10, k: int = 4, degree: int = 4, seed: int = 0, **changes: Any) -> Lane:
    """A network on the (n, k)-parity whose neurons have the best form."""
    full = np.ones(2**k)
    return {
        "n": n, "k": k, "degree": degree, "seed": seed, "diverged_step": None, "curve_margin_ratio": [0.5, 0.992],
        "curve_test_cross_entropy": [0.7, float(np.log(2))], "neuron_size": full, "off_support": 0.004 * full,
        "evenness": 1.004 * full, "same_sign": 0.004 * full, "agrees": full,
        "pattern_mass": np.full(2 ** (k - 1), 2.0 ** (1 - k)), **changes,
    }  # fmt: skip


def first(values: Any, **changed: float) -> np.ndarray:
    """The same numbers but for one: ``first(row["power_u"], to=0.5)`` changes that of the first neuron."""
    found = np.array(values, float)
    found[0] = changed["to"]
    return found


def verdict(study: Study, claim: str, rows: list[Lane]) -> Verdict:
    """What the claim says about these lanes."""
    listed = [{name: _plain(value) for name, value in row.items()} for row in rows]
    return check(study, claim, pl.DataFrame(listed, infer_schema_length=None)).verdict


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
