"""Pictures of networks trained on groups: margins, masses and powers, beside what theory predicts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, permutations

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.bands import bands_and_levels
from glassware.charts.counts_and_shares import COUNT, SHARE, counts_beside_shares
from glassware.charts.dots import dots
from glassware.charts.levels import curves_and_levels
from glassware.charts.theme import CATEGORIES, DENSE, INK, heading
from glassware.charts.unit_histogram import unit_histogram
from glassware.foundation.statistics import Estimate, bootstrap, mean, median
from glassware.studies.margins.shared.curves import Row, array, lanes, last
from glassware.studies.margins.shared.optima import owned, predicted, regularisation
from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import Group, named
from glassware.theory.margins.optimum import max_margin, memorising_margin
from glassware.theory.margins.partitions import cycle_type

STEPS, LINES = "training step", "one line per seed; below 0 drawn at 0"
LARGEST, BEST = "largest margin", "best at this λ"


def groups(frame: pl.DataFrame) -> dict[str, list[Row]]:
    """The runs of each group that did not diverge, in order of appearance."""
    ended = frame.filter(pl.col("diverged_step").is_null())
    return {group: lanes(ended, group=group) for group in ended["group"].unique(maintain_order=True)}


def margins(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Normalised margin over gamma* along training, one panel per group and one line per lane."""
    return curves_and_levels(
        _points((setting(row), row) for rows in groups(frame).values() for row in rows),
        pl.DataFrame(
            {"panel": setting(rows[0]), "kind": kind, "level": level}
            for rows in groups(frame).values()
            for kind, level in (("γ*", 1.0), (BEST, predicted(rows[0]).ratio))
        ),
        title=title, x_title=STEPS, y_title="normalised margin / γ*", subtitle=LINES,
        measured="trained",         columns=3, y_domain=(0.0, 1.05), colours={"γ*": INK, BEST: CATEGORIES[1]},
    )  # fmt: skip


def mass_curves(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Mean mass of each irrep along training with its interval over lanes, one panel per irrep."""
    bands, levels = [], []
    rows = next(iter(groups(frame).values()))
    group = named(rows[0]["group"])
    for i, irrep in enumerate(real_irreps(group)[1:], start=1):
        panel = f"{irrep.label}, dimension {irrep.dimension}"
        for place, step in enumerate(rows[0]["curve_step"]):
            share = mean([float(row["curve_mass"][place][i]) for row in rows])
            ends = (
                min(max(end, 0.0), 1.0) for end in (share.low, share.high)
            )  # of three seeds it may leave the shares
            bands.append({"panel": panel, "x": step, **_interval(Estimate(share.value, *ends), "mean")})
        for kind, shares in ((LARGEST, max_margin(group).shares), (BEST, predicted(rows[0]).shares)):
            levels.append({"panel": panel, "kind": kind, "level": float(shares[i])})
    return bands_and_levels(
        pl.DataFrame(bands), pl.DataFrame(levels), title=title, x_title=STEPS, y_title="share of |θ|³",
        measured=f"trained: mean of {len(rows)} seeds and 95% interval", subtitle=setting(rows[0]),
    )  # fmt: skip


def irreps(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Neurons per irrep beside mass per irrep, two panels per group."""
    views = [
        counts_beside_shares(
            _bars(rows), title="", x_title="irrep", count_title="neurons", share_title="share of |θ|³",
            expected_title=BEST,
        )
        for rows in groups(frame).values()
    ]  # fmt: skip
    words = "bars: means over seeds, lines: from the smallest to the largest; a neuron counts for the irrep of its u"
    return alt.vconcat(*views, spacing=24).properties(title=heading(title, words))  # type: ignore[arg-type, no-any-return]


def powers(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Largest power of every neuron in one irrep, before the first step (u) and at the end (u, v and w)."""
    tables = []
    for group, rows in groups(frame).items():
        shown = [
            ("initialisation", "u", "first_power"),
            *((f"step {rows[0]['steps']:,}", p, f"power_{p}") for p in "uvw"),
        ]
        for when, part, column in shown:
            found = np.concatenate([array(row, column) for row in rows])
            labels = {"panel": pl.lit(f"{group}, {when}, {len(rows)} seeds"), "part": pl.lit(part)}
            tables.append(pl.DataFrame({"power": found}).with_columns(**labels))
    return unit_histogram(
        pl.concat(tables), value="power", kind="part", panel="panel", columns=2, title=title,
        subtitle="all neurons, small ones too; u alone at initialisation", x_title="largest power in one irrep",
        y_title="neurons",
    )  # fmt: skip


def gaps(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Gap between the right and a wrong logit by the class of a b c^-1, trained and best."""
    records = []
    for group, rows in groups(frame).items():
        for c in range(1, len(named(group).class_sizes)):
            found = mean([float(row["class_gaps"][c]) for row in rows])
            name = f"{group}: {class_name(named(group), c)}"
            records.append({"class": name, "network": "trained, mean over seeds", **_interval(found)})
            records.append({"class": name, "network": BEST, **_interval(Estimate.exact(predicted(rows[0]).gaps[c]))})
    words = ", ".join(f"{len(rows)} seeds of {group}" for group, rows in groups(frame).items())
    return dots(
        pl.DataFrame(records), x="class", y="value", low="low", high="high", colour="network", title=title,
        x_title="cycles of a b / c", y_title="right minus wrong logit", subtitle=f"95% intervals; {words}",
    )  # fmt: skip


def against_lambda(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """What the margin lacks to gamma* at each lambda: the median over lanes with its interval, and the best network."""
    records: list[dict[str, object]] = []
    cells: dict[str, list[Row]] = {}
    for rows in groups(frame).values():
        for row in rows:
            cells.setdefault(f"{row['group']}, {_small(regularisation(row))}", []).append(row)
    for name, rows in cells.items():
        found = bootstrap(median, [1 - float(last(row, "margin_ratio")) for row in rows])
        records.append({"lambda": name, "network": f"trained, median of {len(rows)} seeds", **_interval(found)})
        records.append({"lambda": name, "network": BEST, **_interval(Estimate.exact(1 - predicted(rows[0]).ratio))})
    return dots(
        pl.DataFrame(records), x="lambda", y="value", low="low", high="high", colour="network", title=title,
        x_title="group and λ", y_title="1 - normalised margin / γ*", subtitle="95% intervals over seeds",
    )  # fmt: skip


def noise_curves(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Normalised margin over gamma* of runs that start at a memorising network, one panel per noise."""
    rows = [row for found in groups(frame).values() for row in found]
    group = named(rows[0]["group"])
    start = memorising_margin(group.order) / max_margin(group).margin
    levels = (("γ*", 1.0), ("memorising network", start))
    return curves_and_levels(
        _points((_noise(row), row) for row in rows),
        pl.DataFrame({"panel": _noise(row), "kind": kind, "level": level} for row in rows for kind, level in levels)
        .unique(maintain_order=True),
        title=title, x_title=STEPS, y_title="normalised margin / γ*", columns=3, measured="trained",
        subtitle=f"{LINES}; {setting(rows[0])}", y_domain=(0.0, 1.05), colours={"γ*": INK},
    )  # fmt: skip


def class_name(group: Group, c: int) -> str:
    """A class of S_n by its cycles of length 2 and more: 2+2."""
    element = next(islice(permutations(range(int(group.name[2:]))), int(group.class_elements[c]), None))
    return "+".join(str(length) for length in cycle_type(element) if length > 1)


def setting(row: Row) -> str:
    """Group, width and lambda of a run."""
    return f"{row['group']}, m = {row['width']}, λ = {_small(regularisation(row))}"


def _small(value: float) -> str:
    """1e-7, 3.1e-4."""
    return f"{value:.1e}".replace(".0e", "e").replace("e-0", "e-")


def _noise(row: Row) -> str:
    return f"relative noise {row['noise']:g}"


def _points(runs: Iterable[tuple[str, Row]]) -> pl.DataFrame:
    """Margins along training, from panels and runs."""
    return pl.concat(
        pl.DataFrame({"x": row["curve_step"], "y": row["curve_margin_ratio"]}).select(
            pl.lit(panel).alias("panel"), pl.lit(row["seed"]).alias("run"), "x", "y"
        )
        for panel, row in runs
    )


def _bars(rows: list[Row]) -> pl.DataFrame:
    """Counts and shares of each irrep over the lanes of a group; theory expects shares, not counts."""
    best = predicted(rows[0]).shares
    records = []
    for i, irrep in enumerate(real_irreps(named(rows[0]["group"]))):
        counts = [float(owned(row)[irrep.label]) for row in rows]
        shares = [float(last(row, "mass")[i]) for row in rows]
        for side, values, expected in ((COUNT, counts, None), (SHARE, shares, float(best[i]))):
            records.append({
                "panel": f"{setting(rows[0])}, {len(rows)} seeds", "x": irrep.label, "side": side,
                "value": float(np.mean(values)), "low": min(values), "high": max(values),
                "expected": expected, "colour": DENSE,
            })  # fmt: skip
    return pl.DataFrame(records, infer_schema_length=None)


def _interval(found: Estimate, name: str = "value") -> dict[str, float]:
    return {name: found.value, "low": found.low, "high": found.high}
