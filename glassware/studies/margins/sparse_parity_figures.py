"""Figure 7.5: the weights of the largest neurons, and the margin along training."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.studies.margins.shared.curves import array, lanes
from glassware.studies.margins.shared.margin_figure import margin_figure
from glassware.theory.margins.optimum import max_margin_parity

SETTINGS = "power k, L2,k+1, λ = 1e-3, full batch"


def margin_curves(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.5 (b): the normalised margin over gamma*, of networks whose degree is that of the parity."""
    rows = sorted(lanes(frame.filter(pl.col("degree") == pl.col("k"))), key=lambda row: (-row["n"], row["k"]))
    runs = [
        (f"({row['n']}, {row['k']}), m = {row['width']}, γ* = {max_margin_parity(row['k']):.3g}", row) for row in rows
    ]
    return margin_figure(runs, "Sparse parity: the margin rises to the maximum", SETTINGS)


def largest(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.5 (a): all weights of the largest neurons of the first seed, those on the support first."""
    rows = lanes(frame.filter(pl.col("degree") == pl.col("k")))
    if not rows:
        return None
    row = min(rows, key=lambda row: (-row["n"], -row["k"], row["seed"]))
    n, support = row["n"], list(row["support"])
    panel = f"({n}, {row['k']}), m = {row['width']}, {2 ** (row['k'] - 1)} largest neurons of the first seed"
    order = [*support, *(j for j in range(n) if j not in support)]
    names = [f"u{'' if j in support else '′'}{j + 1}" for j in order]
    columns, records = [*names, "w0", "w1"], []
    for place, omega in enumerate(array(row, "largest_neurons")[: 2 ** (row["k"] - 1)], 1):
        weights = (np.concatenate([omega[order], omega[n:]]).round(2) + 0.0).tolist()  # no -0.00
        for column, weight in zip(columns, weights, strict=True):
            records.append(
                {"panel": panel, "row": str(place), "column": column, "value": weight, "text": f"{weight:.2f}"}
            )
    table = pl.DataFrame(records)
    top = float(np.abs(table["value"].to_numpy()).max())
    return tiles(
        table, scale=alt.Scale(scheme="blueorange", domain=[-top, top]), title="Sparse parity: neurons on the support",
        x_title="weight", y_title="neuron, largest first", value_title="weight", tile_width=48,
        subtitle="u on the support, then u′ off it, then w of the two outputs; " + SETTINGS,
    )  # fmt: skip
