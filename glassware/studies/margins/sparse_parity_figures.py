"""Figure 7.5: the weights of the largest neurons, and the margin along training."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.theme import DENSE, INK
from glassware.charts.tiles import tiles
from glassware.studies.margins.shared.curves import array, lanes
from glassware.theory.margins.optimum import max_margin_parity

RUNS, LEVEL = "xᵏ, L₂,ₖ₊₁", "γ*, also the optimum at λ = 10⁻³"


def margin_curves(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.5 (b): the normalised margin over gamma*, of networks whose degree is that of the parity."""
    records = []
    rows = lanes(frame.filter(pl.col("degree") == pl.col("k")))
    for row in sorted(rows, key=lambda row: (-row["n"], row["k"])):
        panel = f"({row['n']}, {row['k']}), m = {row['width']}, γ* = {max_margin_parity(row['k']):.3g}"
        points = zip(row["curve_step"], row["curve_margin_ratio"], strict=True)
        records += [_point(panel, RUNS, str(row["id"]), *point) for point in points]
        records += [_point(panel, LEVEL, panel, step, 1.0) for step in (0, row["curve_step"][-1])]
    if not records:
        return None
    return lines(
        pl.DataFrame(records), x="step", y="ratio", line="line", kind="kind", panel="panel", columns=3, own_x=False,
        title="Sparse parity: the margin rises to the maximum", x_title="training step", y_domain=(0.0, 1.05),
        y_title="normalised margin / γ*", subtitle="one line per seed; λ = 10⁻³, full batch, rate 0.1",
        colours={RUNS: DENSE, LEVEL: INK},
    )  # fmt: skip


def largest(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.5 (a): all weights of the largest neurons of the first seed, those on the support first."""
    rows = lanes(frame.filter(pl.col("degree") == pl.col("k")))
    if not rows:
        return None
    row = min(rows, key=lambda row: (-row["n"], -row["k"], row["seed"]))
    n, support = row["n"], list(row["support"])
    order = [*support, *(j for j in range(n) if j not in support)]
    names = [f"u{'' if j in support else '′'}{j + 1}" for j in order]
    columns, records = [*names, "w₀", "w₁"], []
    for place, omega in enumerate(array(row, "largest_neurons")[: 2 ** (row["k"] - 1)], 1):
        weights = [*omega[order], *omega[n:]]
        for column, weight in zip(columns, weights, strict=True):
            records.append(
                {"panel": "", "row": str(place), "column": column, "value": weight, "text": f"{weight:+.2f}"}
            )
    table = pl.DataFrame(records)
    top = float(np.abs(table["value"].to_numpy()).max())
    return tiles(
        table, scale=alt.Scale(scheme="blueorange", domain=[-top, top]), title="Sparse parity: neurons on the support",
        x_title="weight", y_title="neuron, largest first", value_title="weight", tile_width=48,
        dark=f"abs(datum.value) > {0.7 * top:.3g}",
        subtitle=f"first seed, ({n}, {row['k']}); u on the support, then u′ off it, then the two outputs",
    )  # fmt: skip


def _point(panel: str, kind: str, line: str, step: float, ratio: float) -> dict[str, object]:
    return {"panel": panel, "kind": kind, "line": line, "step": float(step), "ratio": ratio}
