"""Figure D.1: neurons per frequency, and beside it the mass."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.counts_and_shares import COUNT, SHARE, counts_beside_shares
from glassware.charts.theme import DENSE, SPARSE
from glassware.studies.margins.shared.curves import Row, array, lanes, last

NAMES = {"relu": ("ReLU, L2", SPARSE), "square": ("square, L2,3", DENSE)}


def relative_mass(row: Row) -> np.ndarray:
    """Mass of each frequency 1, 2, .. over 2/(p - 1)."""
    mass = last(row, "mass")[1:]
    return mass * len(mass)


def counts(row: Row) -> np.ndarray:
    """Neurons of each frequency 1, 2, .., by the power of u."""
    frequencies = len(last(row, "mass"))
    return np.bincount(array(row, "irrep_u").astype(int), minlength=frequencies)[1:]


def of_the_largest_group(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """On Z_71, where the rows have it, as in the text."""
    return _figure(frame, max(frame["group"].unique(), key=lambda group: int(group.removeprefix("Z_"))))


def of_z_23(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """On Z_23, which is trained to its end at laptop scale."""
    return _figure(frame, "Z_23")


def _figure(frame: pl.DataFrame, group: str) -> alt.TopLevelMixin | None:
    tables = []
    for activation, (name, colour) in NAMES.items():
        rows = lanes(frame, group=group, activation=activation)
        if not rows:
            continue
        panel = f"{name}, {len(rows)} seeds"
        shares = np.stack([relative_mass(row) for row in rows])
        shares /= shares.shape[1]
        # Theory says nothing about counts, and about mass in the square network alone.
        expected = 1 / shares.shape[1] if activation == "square" else None
        for side, found, level in ((COUNT, np.stack([counts(row) for row in rows]), None), (SHARE, shares, expected)):
            table = pl.DataFrame(
                {
                    "x": np.arange(1, found.shape[1] + 1),
                    "value": found.mean(axis=0).astype(float),
                    "low": found.min(axis=0).astype(float),
                    "high": found.max(axis=0).astype(float),
                }
            )
            tables.append(
                table.with_columns(
                    panel=pl.lit(panel), side=pl.lit(side), colour=pl.lit(colour), expected=pl.lit(level, pl.Float64)
                )
            )
    if not tables:
        return None
    return counts_beside_shares(
        pl.concat(tables), title=f"Neurons and mass of every frequency, {group}", x_title="frequency",
        count_title="neurons", share_title="share of Σ‖ω‖^ν", expected_title="maximum margin: 2/(p − 1)",
        subtitle="mean over seeds, with a line from the smallest to the largest; λ = 1e-4",
    )  # fmt: skip
