"""What the trained networks of S_3 and S_4 must show (see ``symmetric_groups``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import bootstrap, median
from glassware.studies.lanes import Measure, each_lane, span
from glassware.studies.margins.shared.curves import Row, array, lanes, last
from glassware.studies.margins.shared.optima import (
    GAMMA,
    at_step,
    gap_error,
    least_alive,
    mass_error,
    norm_error,
    owned,
    same_irrep,
    sparse_share,
    weighted,
)
from glassware.studies.verdict import Finding, all_of, at_least, at_most, between

EARLY = 20_000  # a step at which S_4 is looked at too
FEWEST = 3  # lanes
RATIO = "ratio to gamma*"


# -- S_3 --------------------------------------------------------------------------------------------------------------


def s3_margin(frame: pl.DataFrame) -> Finding:
    """Normalised margin over gamma* at the end, in every lane, and its median."""
    found = lanes(frame, group="S_3")
    every = each_lane(found, FEWEST, Measure(RATIO, _ratio, between(0.96, GAMMA)))
    ratios = [float(_ratio(row)) if row["diverged_step"] is None else -math.inf for row in found]
    middle = Finding(bootstrap(median, ratios or [math.nan]), between(0.975, 0.9805))
    return all_of([every, middle], f"median {median(ratios):.4f}; {every.detail}")


def s3_one_irrep(frame: pl.DataFrame) -> Finding:
    """Power of u and v of alive neurons, the irreps of their u, v and w, and the power of u of all neurons."""
    return each_lane(
        lanes(frame, group="S_3"),
        FEWEST,
        Measure("least power of an alive u or v", lambda r: least_alive(r, "power_u", "power_v"), at_least(0.999)),
        Measure("alive with one irrep in u, v, w", same_irrep, at_least(1)),
        Measure("neurons with power ≥ 0.99", sparse_share, at_least(0.85)),
        *FROM_THE_START,
    )


def s3_counts(frame: pl.DataFrame) -> Finding:
    """Neurons per irrep: the two-dimensional one owns more than sign, and sign some."""
    return each_lane(
        lanes(frame, group="S_3"),
        FEWEST,
        Measure("neurons of (2,1) beyond those of sign", lambda r: owned(r)["(2,1)"] - _signs(r), at_least(1)),
        Measure("of sign", _signs, at_least(1)),
    )


def s3_optimum(frame: pl.DataFrame) -> Finding:
    """Norm and mass per irrep beside the best network at this lambda: close in most lanes, near in all."""
    found = lanes(frame, group="S_3")
    bounds = (("relative error of |theta|^3", norm_error, 0.002, 0.02), ("error of a mass", mass_error, 0.002, 0.012))
    close = [each_lane(found, FEWEST, Measure(n, of, at_most(low)), need=_most(found)) for n, of, low, _ in bounds]
    near = each_lane(found, FEWEST, *(Measure(name, of, at_most(high)) for name, of, _, high in bounds))
    return all_of([near, *close])


def s3_logits(frame: pl.DataFrame) -> Finding:
    """R^2 of the logits on classes of a b c^-1, in every lane."""
    return each_lane(lanes(frame, group="S_3"), FEWEST, Measure("R^2", _fit, at_least(0.999)))


def s3_gaps(frame: pl.DataFrame) -> Finding:
    """Gap per class beside that of the best network at this lambda, in most lanes."""
    found = lanes(frame, group="S_3")
    return each_lane(found, FEWEST, Measure("relative error of a gap", gap_error, at_most(0.01)), need=_most(found))


def s3_rank_one(frame: pl.DataFrame) -> Finding:
    """Least alignment of an alive neuron, in most lanes."""
    found = lanes(frame, group="S_3")
    least = Measure("least alignment of an alive neuron", lambda r: least_alive(r, "alignment"), at_least(0.99))
    return each_lane(found, FEWEST, least, need=_most(found))


# -- S_4 --------------------------------------------------------------------------------------------------------------


def s4_margin(frame: pl.DataFrame) -> Finding:
    """Normalised margin over gamma* at step 20,000 and at the end, in every lane."""
    return each_lane(
        lanes(frame, group="S_4"),
        FEWEST,
        Measure(f"{RATIO} at step {EARLY:,}", lambda r: at_step(r, "margin_ratio", EARLY), between(0.86, GAMMA)),
        Measure("at the end", _ratio, between(0.91, 0.9465)),
    )


def s4_one_irrep(frame: pl.DataFrame) -> Finding:
    """Powers of u, v and w weighted by mass, at step 20,000 and at the end, and the power of u of all neurons."""
    power = lambda row: last(row, "weighted_power")
    early = lambda row: np.resize(at_step(row, "weighted_power", EARLY), 3)
    return each_lane(
        lanes(frame, group="S_4"),
        FEWEST,
        Measure(f"power of u, v by mass at step {EARLY:,}", lambda r: early(r)[:2].min(), at_least(0.99)),
        Measure("at the end", lambda r: power(r)[:2].min(), at_least(0.999)),
        Measure("of w", lambda r: power(r)[2], at_least(0.995)),
        Measure("neurons with power ≥ 0.99", sparse_share, at_least(0.95)),
        *FROM_THE_START,
    )


def s4_counts(frame: pl.DataFrame) -> Finding:
    """Neurons per irrep: three dimensions before two before one, none trivial; sign owns some in two lanes of three."""
    found = lanes(frame, group="S_4")
    three = lambda own: min(own["(3,1)"], own["(2,1,1)"])
    order = each_lane(
        found,
        FEWEST,
        Measure(
            "neurons of dimension 3 beyond those of 2", lambda r: three(own := owned(r)) - own["(2,2)"], at_least(1)
        ),
        Measure("of 2 beyond sign", lambda r: owned(r)["(2,2)"] - _signs(r), at_least(1)),
        Measure("trivial", lambda r: owned(r)["(4)"], at_most(0)),
    )
    sign = Measure("neurons of sign", _signs, at_least(1))
    some = each_lane(found, FEWEST, sign, need=max(2, math.ceil(2 / 3 * len(found) - 1e-9)))
    return all_of([order, some], f"{order.detail}; of sign {span([_signs(row) for row in found])}")


def s4_optimum(frame: pl.DataFrame) -> Finding:
    """Mass per irrep beside the best network at this lambda, at step 20,000 and at the end, in every lane."""
    return each_lane(
        lanes(frame, group="S_4"),
        FEWEST,
        Measure(f"error of a mass at step {EARLY:,}", lambda r: mass_error(r, EARLY), at_most(0.01)),
        Measure("at the end", mass_error, at_most(0.005)),
    )


def s4_logits(frame: pl.DataFrame) -> Finding:
    """R^2 of the logits on classes of a b c^-1, in every lane."""
    return each_lane(lanes(frame, group="S_4"), FEWEST, Measure("R^2", _fit, at_least(0.995)))


def s4_gaps(frame: pl.DataFrame) -> Finding:
    """Gap per class beside that of the best network at this lambda, in every lane."""
    gaps = Measure("relative error of a gap", gap_error, at_most(0.01))
    return each_lane(lanes(frame, group="S_4"), FEWEST, gaps)


def s4_rank_one(frame: pl.DataFrame) -> Finding:
    """Alignment weighted by mass, in every lane."""
    aligned = Measure("alignment by mass", lambda r: weighted(r, "alignment"), at_least(0.99))
    return each_lane(lanes(frame, group="S_4"), FEWEST, aligned)


# -- shared -----------------------------------------------------------------------------------------------------------

# Said beside a claim, and met by every run that ended.
FROM_THE_START = (
    Measure("mean power of u at initialisation", lambda r: np.mean(array(r, "first_power")), between(0, 1)),
    Measure("at the end", lambda r: np.mean(array(r, "power_u")), between(0, 1 + 1e-6)),
)


def _ratio(row: Row) -> float:
    return float(last(row, "margin_ratio"))


def _fit(row: Row) -> float:
    return float(row["class_fit"])


def _signs(row: Row) -> int:
    return owned(row)["(1,1,1)" if row["group"] == "S_3" else "(1,1,1,1)"]


def _most(found: Sequence[Row]) -> int:
    """14 of 16 lanes, or that share of more: few may sit in the local optimum of S_3."""
    return max(FEWEST, math.ceil(14 / 16 * len(found) - 1e-9))
