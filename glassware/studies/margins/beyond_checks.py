"""Checks of ``beyond_the_theorem``."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.margins.beyond_rows import LAMBDA
from glassware.studies.margins.shared.computed import exact, part
from glassware.studies.margins.shared.curves import array, last
from glassware.studies.margins.shared.optima import same_irrep
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    Threshold,
    above,
    all_of,
    at_least,
    at_most,
    below,
    between,
)

BIG = 4  # place of the 5-dimensional irrep of A_5 among all five, the trivial one first
FEWEST = 3  # runs that a claim about each run asks for
SAME = 1e-9  # margins, relative
LOCAL = 0.9295  # value of the best neuron in the 5-dimensional irrep of A_5, over gamma*


LITTLE = Measure("share of the norm's cube", lambda row: last(row, "mass")[BIG], at_most(0.05))


def trained(frame: pl.DataFrame) -> pl.DataFrame:
    """The trained runs."""
    return frame.filter(pl.col("model") == "group-net") if "model" in frame.columns else frame.clear()


def _trained(frame: pl.DataFrame) -> list[Row]:
    return lanes(trained(frame))


def _groups(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    rows = part(frame, "group")
    return {row["group"]: row for row in rows.iter_rows(named=True)}


def hypothesis_of_s_k(frame: pl.DataFrame) -> Finding:
    """The largest sum over classes, negative up to S_5 and positive from S_6 on."""
    found = _groups(frame)
    if any(f"S_{k}" not in found for k in range(2, 8)):
        return NOT_ENOUGH
    sums = {k: found[f"S_{k}"]["hypothesis"] for k in range(2, 8)}
    text = ", ".join(f"S_{k}: {value:.3g}" for k, value in sums.items())
    return all_of([exact(value, below(0) if k <= 5 else above(0)) for k, value in sums.items()], text)


def families(frame: pl.DataFrame) -> Finding:
    """Largest sum of the hypothesis in each family, and distance of S from its closed form."""
    found = [row for row in _groups(frame).values() if row["sum_closed"] is not None]
    if not found:
        return NOT_ENOUGH
    gap = max(abs(row["sum"] / row["sum_closed"] - 1) for row in found)
    worst = max(row["hypothesis"] for row in found)
    text = f"{len(found)} groups; largest sum {worst:.3g}, S off by {gap:.1g}"
    return all_of([exact(worst, below(0)), exact(gap, at_most(SAME))], text)


def formula_where_it_holds(frame: pl.DataFrame) -> Finding:
    """Largest relative distance of the linear programme from the formula among groups with the hypothesis."""
    gaps = [abs(row["lp"] / row["formula"] - 1) for row in _groups(frame).values() if row["hypothesis"] < 0]
    return exact(max(gaps), at_most(SAME), f"{len(gaps)} groups") if gaps else NOT_ENOUGH


def excess(frame: pl.DataFrame) -> Finding:
    """The linear programme over the formula, for groups without the hypothesis."""
    ratios = {name: row["lp"] / row["formula"] for name, row in _groups(frame).items() if row["hypothesis"] > 0}
    if "S_6" not in ratios:
        return NOT_ENOUGH
    text = ", ".join(f"{name}: {ratio:.4f}" for name, ratio in ratios.items())
    parts = [exact(ratios["S_6"], between(1.1989, 1.1993)), *(exact(ratio, above(1)) for ratio in ratios.values())]
    return all_of(parts, text)


def subset(frame: pl.DataFrame) -> Finding:
    """Share of the irreps that carry weight at the optimum found, and of the classes of S_6 that are on the margin."""
    groups = {name: row for name, row in _groups(frame).items() if row["hypothesis"] > 0}
    classes = part(frame, "class")
    if not groups or not len(classes):
        return NOT_ENOUGH
    on = int((classes["low"] < 1 + SAME).sum())
    text = ", ".join(f"{name}: {row['used']} of {row['irreps']} irreps" for name, row in groups.items())
    parts = [exact(row["used"] / row["irreps"], below(1)) for row in groups.values()]
    return all_of([*parts, exact(on / len(classes), below(1))], f"{text}; S_6: {on} of {len(classes)} classes")


def explicit_network(frame: pl.DataFrame) -> Finding:
    """Largest distance of a point's margin from that of the linear programme."""
    found = part(frame, "network")
    if not len(found):
        return NOT_ENOUGH
    gap = max(abs(float(found[column][0]) - 1) for column in ("low", "high"))
    return exact(gap, at_most(SAME), f"{found['count'][0]:,} neurons")


def smallest_choices(frame: pl.DataFrame) -> Finding:
    """Size of the smallest accepted choice for S_6, its weights and its margin."""
    found = part(frame, "kappa", form="corrected")
    if not len(found):
        return NOT_ENOUGH
    size = min(found["size"].to_list())
    smallest = found.filter(pl.col("size") == size)
    expected = np.array([1, 3, 3]) / 7
    off = max(
        float(np.abs(np.sort(weights) - expected).max()) if len(weights) == 3 else math.inf
        for weights in smallest["weights"].to_list()
    )
    margin = max(abs(value - 1) for value in smallest["value"].to_list())
    text = f"{len(smallest)} of size {size}: " + "; ".join(smallest["label"].to_list())
    return all_of([exact(size, between(3, 3)), exact(off, at_most(SAME)), exact(margin, at_most(SAME))], text)


def printed_total(frame: pl.DataFrame) -> Finding:
    """The margin that the system gives as printed, over the largest, and the least weight of a class."""
    found = part(frame, "kappa", form="printed")
    if not len(found):
        return NOT_ENOUGH
    value, least = float(found["value"][0]), min(found["totals"].to_list()[0])
    return all_of([exact(abs(value - 1), at_most(SAME)), exact(least, at_least(0))],
                  f"margin over the largest {value:.3g}, smallest weight {least:.3g}")  # fmt: skip


def printed_exclusive(frame: pl.DataFrame) -> Finding:
    """The smallest margin towards a class outside the choice, over the network's."""
    found = part(frame, "class", chosen=False)
    if not len(found):
        return NOT_ENOUGH
    near = found.sort("low")
    return exact(float(near["low"][0]), above(1 + SAME), f"nearest: cycles {near['label'][0]}")


def _ascents(frame: pl.DataFrame, group: str) -> list[float]:
    found = part(frame, "ascent", group=group)
    return found["value"].to_list() if len(found) else []


def every_start_arrives(frame: pl.DataFrame) -> Finding:
    """Largest distance from 1 among the neurons that climbed, over the best value."""
    found = {group: _ascents(frame, group) for group in ("D_5", "S_4")}
    if not all(found.values()):
        return NOT_ENOUGH
    gap = max(abs(value - 1) for values in found.values() for value in values)
    return exact(gap, at_most(1e-6), ", ".join(f"{group}: {len(values)} starts" for group, values in found.items()))


def local_optimum(frame: pl.DataFrame) -> Finding:
    """Neurons that stop at the local optimum, and distance of all from the two values."""
    values = _ascents(frame, "A_5")
    if not values:
        return NOT_ENOUGH
    stopped = sum(abs(value - LOCAL) < 1e-4 for value in values)
    gap = max(min(abs(value - 1), abs(value - LOCAL)) for value in values)
    return all_of([exact(gap, at_most(1e-4)), exact(stopped / len(values), Threshold(0, 1, strict=True))],
                  f"{stopped} of {len(values)} starts stop at {LOCAL}")  # fmt: skip


def no_weight_on_5d(frame: pl.DataFrame) -> Finding:
    """Share of the norm's cube on the 5-dimensional irrep at the end of each run."""
    return each_lane(_trained(frame), FEWEST, LITTLE)


def objective(frame: pl.DataFrame) -> Finding:
    """Cross-entropy plus penalty on all pairs at the end of each run, over the exact minimum."""
    found, best = _trained(frame), part(frame, "optimum")
    if not found or not len(best):
        return NOT_ENOUGH
    end = lambda row: last(row, "test_cross_entropy") + LAMBDA * last(row, "norm_power")
    over = Measure("objective over the minimum", lambda row: end(row) / best["value"][0], between(0.97, 1.03))
    return each_lane(found, FEWEST, over)


def one_irrep(frame: pl.DataFrame) -> Finding:
    """Share of the alive neurons whose u, v and w are in the same irrep, in each run."""
    return each_lane(_trained(frame), FEWEST, Measure("alive with one irrep in u, v, w", same_irrep, at_least(1)))


def counts_mislead(frame: pl.DataFrame) -> Finding:
    """Neurons of the 5-dimensional irrep over those of the irrep that has most among the others, and its share."""

    def ratio(row: Row) -> float:
        counts = np.bincount(array(row, "irrep_u").astype(int), minlength=BIG + 1)
        return float(counts[BIG] / max(np.delete(counts, BIG).max(), 1))

    return each_lane(_trained(frame), FEWEST, Measure("its neurons over those of the next", ratio, above(1)), LITTLE)
