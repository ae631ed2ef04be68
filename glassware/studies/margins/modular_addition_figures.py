"""Figures 7.1 and 7.4: the margin along training, single neurons with their spectrum, and how pure neurons are."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts import waves as chart
from glassware.charts.backend import alt
from glassware.charts.theme import DENSE, SPARSE
from glassware.charts.unit_histogram import unit_histogram
from glassware.studies.margins.shared.curves import Row, array, lanes
from glassware.studies.margins.shared.cyclic import SHORT
from glassware.studies.margins.shared.margin_figure import margin_figure
from glassware.theory.margins.optimum import max_margin_cyclic

SHOWN = 4  # neurons in the picture
NAMES = {"relu": "ReLU, L2", "square": "square, L2,3"}
COLOURS = {NAMES["relu"]: SPARSE, NAMES["square"]: DENSE}
SETTINGS = "λ = 1e-4, full batch"


def margin_curves(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.1 (c): the square network's normalised margin over gamma* along training."""
    runs = [
        (f"Z_{p}, m = {row['width']}, γ* = {max_margin_cyclic(p):.3g}", row)
        for p in primes(frame)
        for row in lanes(frame, group=f"Z_{p}", activation="square")
    ]
    short = "; Z_71 on a short schedule" if SHORT.steps in frame["steps"] else ""
    title = "Modular addition: the margin rises to the maximum"
    return margin_figure(runs, title, f"square, L2,3, {SETTINGS}{short}")


def waves(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.1 (a) and (b): u of the largest neurons of the first seed, with its spectrum."""
    p = max(primes(frame))
    values: list[pl.DataFrame] = []
    curves: list[pl.DataFrame] = []
    spectra: list[pl.DataFrame] = []
    for activation, name in NAMES.items():
        for neuron, omega in enumerate(_largest(frame, p, activation)):
            u, fine = omega[:p], np.linspace(0, p - 1, 8 * p)
            power = np.abs(np.fft.rfft(u)) ** 2 * np.where(np.arange(p // 2 + 1), 2, 1)
            key = {"group": pl.lit(name), "neuron": pl.lit(neuron)}
            values.append(pl.DataFrame({"x": np.arange(p), "y": u}).select(**key, x=pl.col("x").cast(float), y="y"))
            curves.append(pl.DataFrame({"x": fine, "y": interpolate(u, fine)}).select(**key, x="x", y="y"))
            shares = pl.DataFrame({"frequency": np.arange(len(power)), "power": power / power.sum()})
            spectra.append(shares.select(**key, frequency="frequency", power="power"))
    return chart.waves(
        pl.concat(values), pl.concat(curves), pl.concat(spectra), title="Modular addition: neurons are waves",
        subtitle=[
            f"the {SHOWN} largest neurons of the first seed on Z_{p}; {SETTINGS}",
            "dots: u(a), with the band-limited real function through them; bars: power of each frequency of u",
        ],
        x_title="element a", y_title="u(a)", power_title="power", colours=COLOURS,
    )  # fmt: skip


def powers(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Figure 7.4: the largest power of every neuron before training and after it, on groups that both nets learned."""
    tables = []
    for p in primes(frame):
        rows = {name: lanes(frame, group=f"Z_{p}", activation=name) for name in NAMES}
        if all(rows.values()):
            start = [row for some in rows.values() for row in some]
            tables.append(_powers(start, "first_power", f"Z_{p}, before training", "u"))
            for name, some in rows.items():
                tables += [_powers(some, f"power_{part}", f"Z_{p}, {NAMES[name]}", part) for part in "uvw"]
    if not tables:
        return None
    return unit_histogram(
        pl.concat(tables), value="power", kind="part", panel="panel", columns=3,
        title="Modular addition: neurons become pure, ReLU neurons nearly so", x_title="largest power of a neuron",
        y_title="neurons", subtitle=f"all neurons of all seeds, u alone before training; {SETTINGS}",
    )  # fmt: skip


def primes(frame: pl.DataFrame) -> list[int]:
    """The p of the groups in the table, in order."""
    return sorted(int(group.removeprefix("Z_")) for group in frame["group"].unique())


def interpolate(u: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The band-limited real function through u(0), .., u(p - 1), at x; p is odd."""
    p = len(u)
    waves = np.exp(2j * np.pi * np.outer(x, np.arange(1, (p + 1) // 2)) / p)
    spectrum = np.fft.rfft(u)
    return np.asarray((spectrum[0].real + 2 * (waves @ spectrum[1:]).real) / p)


def _largest(frame: pl.DataFrame, p: int, activation: str) -> np.ndarray:
    """Weights of the largest neurons of the first seed; none where there is no run."""
    rows = sorted(lanes(frame, group=f"Z_{p}", activation=activation), key=lambda row: int(row["seed"]))
    return array(rows[0], "largest_neurons")[:SHOWN] if rows else np.empty((0, 3 * p))


def _powers(rows: list[Row], column: str, panel: str, part: str) -> pl.DataFrame:
    found = np.concatenate([array(row, column) for row in rows])
    return pl.DataFrame({"power": found}).with_columns(panel=pl.lit(f"{panel}, {len(rows)} seeds"), part=pl.lit(part))
