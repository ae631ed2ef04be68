"""Checks of ``constructions``: all exact."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl

from glassware.studies.computed import exact, largest, part, span
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, all_within, at_least, at_most, between

Check = Callable[[pl.DataFrame], Finding]

NETWORK, CLOSED = 1e-9, 1e-12
SLOPE_FROM = 1000  # contexts from which the effect of a bit falls like 1/T


def exactness(frame: pl.DataFrame) -> Finding:
    """Largest distance of a network from its function."""
    return all_within(_gaps(part(frame, "network")), NETWORK)


def heads(frame: pl.DataFrame) -> Finding:
    """Distance of the worst error from its closed form, and the largest error over gamma / 4."""
    found = part(frame, "head")
    return all_of([all_within(_gaps(found), CLOSED), _within_limit(found)], _most(found, "γ/4"))


def norms(frame: pl.DataFrame) -> Finding:
    """Distance of each norm from its closed form, and the largest over the printed bound."""
    found = part(frame, "norm")
    return all_of([all_within(_gaps(found), NETWORK), _within_limit(found)], _most(found, "its bound"))


def query_grows(frame: pl.DataFrame) -> Finding:
    """How far the growth of ||W_Q|| per unit of log T is from 1, and that of the other norms from 0."""
    found = part(frame, "query")
    if not len(found):
        return NOT_ENOUGH
    off = [
        (b - a) / np.log(later / earlier) - (name == "W_Q")
        for (_, name), rows in found.sort("T").group_by("kind", "name", maintain_order=True)
        for (earlier, a), (later, b) in pairwise(rows.select("T", "value").iter_rows())
    ]
    return all_within(off, NETWORK)


def truncation(frame: pl.DataFrame) -> Finding:
    """Distance of the 1-norm from its closed form, and the largest over 2T / e^R."""
    found = part(frame, "softmax")
    return all_of([all_within(_gaps(found), CLOSED), _within_limit(found)], _most(found, "2T/e^R"))


def fixed_norm(frame: pl.DataFrame) -> Finding:
    """The slope of the effect of one bit in T, logarithmically, at a fixed query norm."""
    found = part(frame, "flip", form="fixed").filter(pl.col("T") >= SLOPE_FROM) if len(frame) else frame
    if len(found) < 2:
        return NOT_ENOUGH
    effects = np.maximum(found["value"].to_numpy(), 1e-300)
    slope = np.polyfit(np.log(found["T"].to_numpy()), np.log(effects), 1)[0]
    said = "; ".join(f"T = {T:,}: {value:.4g}" for T, value in found.select("T", "value").iter_rows())
    return exact(float(slope), between(-1.02, -0.95), said)


def growing_norm(frame: pl.DataFrame) -> Finding:
    """The smallest effect of one bit where the query grows with log T, and distances from the closed form."""
    found = part(frame, "flip", form="grows with log T")
    if not len(found):
        return NOT_ENOUGH
    smallest = exact(span(found["value"])[0], at_least(0.648))
    return all_of([smallest, all_within(_gaps(part(frame, "flip")), 1e-10)])


def growth(frame: pl.DataFrame) -> Finding:
    """Largest distance of an exponent from the stated one."""
    found = part(frame, "growth")
    if not len(found):
        return NOT_ENOUGH
    said = "; ".join(f"{kind} {name} {value:.2f}" for kind, name, value in
                     found.select("kind", "name", "value").iter_rows())  # fmt: skip
    return exact(float(found.select((pl.col("value") - pl.col("wanted")).abs().max()).item()), at_most(0.1), said)


def dual_keys(frame: pl.DataFrame) -> Finding:
    """With dual vectors: errors of networks, of heads over gamma / 4, and ||W_K|| over its bound."""
    found = _near(frame, pl.col("form") != "keys as printed")
    if not len(found):
        return NOT_ENOUGH
    one = found.filter(pl.col("kind") == "one head")
    bound = (pl.col("s") / (1 - (pl.col("s") - 1) * pl.col("delta"))).sqrt()
    if not len(one):
        return NOT_ENOUGH
    return all_of(
        [
            all_within(_gaps(found), NETWORK),
            largest(found, pl.col("value"), at_most(1)),
            exact(float(one.select((pl.col("norm") / bound).max()).item()), between(0.9, 1 + NETWORK)),
        ],
        f"{len(found)} cases; heads reach {span(found['value'])[1]:.3g} of γ/4",
    )


def printed_keys(frame: pl.DataFrame) -> Finding:
    """With sums of the vectors themselves: the largest error of a head over gamma / 4, and of a network."""
    found = _near(frame, pl.col("form") == "keys as printed")
    if not len(found):
        return NOT_ENOUGH
    by_kind = found.group_by("kind", maintain_order=True).agg(pl.col("value").max(), pl.col("gap").max())
    said = "; ".join(f"{kind} {value:.2g}, network {gap:.2g}" for kind, value, gap in by_kind.iter_rows())
    return all_of([largest(found, pl.col("value"), at_most(1)), all_within(_gaps(found), NETWORK)], said)


def variant(*names: str, limit: float = NETWORK) -> Check:
    """The check of some remarks."""

    def check(frame: pl.DataFrame) -> Finding:
        """Largest distance from what is remarked."""
        found = part(frame, "variant")
        return all_within(_gaps(found.filter(pl.col("name").is_in(names)) if len(found) else found), limit)

    return check


def gates(frame: pl.DataFrame) -> Finding:
    """All 16 gates: errors of networks."""
    found = part(frame, "variant", name="gates")
    if not len(found):
        return NOT_ENOUGH
    said = "; ".join(f"T = {T:,}: d = {d:,.0f}" for T, d in found.select("T", "value").iter_rows())
    return all_within(_gaps(found), NETWORK, said)


def corrected(frame: pl.DataFrame) -> Finding:
    """Largest distance of a corrected statement from what it promises."""
    return all_within(_gaps(part(frame, "printed", form="corrected")), NETWORK)


def printed(name: str) -> Check:
    """The check of a statement as printed."""

    def check(frame: pl.DataFrame) -> Finding:
        """Distance of the printed statement from what it promises."""
        found = part(frame, "printed", form="printed", name=name)
        return exact(span(found["gap"])[1], at_most(NETWORK)) if len(found) else NOT_ENOUGH

    return check


# -- shared -----------------------------------------------------------------------------------------------------------


def _gaps(found: pl.DataFrame) -> list[float]:
    return found["gap"].to_list() if len(found) else []


def _near(frame: pl.DataFrame, which: pl.Expr) -> pl.DataFrame:
    found = part(frame, "near")
    return found.filter(which) if len(found) else found


def _within_limit(found: pl.DataFrame) -> Finding:
    """Above 0 as well: weights of 0 keep every bound."""
    if not len(found):
        return NOT_ENOUGH
    low, high = span(found["value"] / found["limit"])
    return all_of([exact(high, at_most(1 + NETWORK)), exact(low, above(0))])


def _most(found: pl.DataFrame, of: str) -> str:
    return f"{len(found)} cases, at most {span(found['value'] / found['limit'])[1]:.3f} of {of}" if len(found) else ""
