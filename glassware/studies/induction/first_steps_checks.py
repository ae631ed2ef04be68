"""What the first gradient steps, the curriculum and the construction must show (see ``first_steps``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.cells import where
from glassware.studies.induction.first_steps_rows import LEADERS, SPREADS, T
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    Threshold,
    above,
    all_of,
    all_within,
    at_least,
    at_most,
    below,
    between,
)


def first_step(frame: pl.DataFrame) -> Finding:
    """W's diagonal less its other entries, and the largest rise of v from one coordinate to the next."""
    W, v = _values(frame, part="first", name="W", form="exact"), _values(frame, part="first", name="v", form="exact")
    if not W or not v:
        return NOT_ENOUGH
    lead = min(W[0], W[3]) - max(W[1], W[2])
    return all_of([_exact(lead, above(0)), _exact(max(np.diff(v)), below(0))], f"W {W[0]:.5f}, {W[1]:.5f}")


def draws_agree(frame: pl.DataFrame) -> Finding:
    """Draws less exact values of W, v_1, v_2 and G_1 to G_8, in standard errors."""
    exact, drawn = (where(frame, form=form).filter(pl.col("j") <= 8) for form in ("exact", "drawn"))
    both = drawn.join(exact, on=["part", "name", "j"], suffix="_exact") if len(drawn) else drawn
    if not len(both):
        return NOT_ENOUGH
    off = both.select((pl.col("value") - pl.col("value_exact")) / pl.col("error")).to_series()
    size = both.select((pl.col("value_exact").max() - pl.col("value_exact").min()) / pl.col("error").max()).item()
    told = _exact(size, at_least(8), "span of the exact values in standard errors")
    return all_of([all_within(off.to_list(), 4.0), told])


def one_step_is_not_enough(frame: pl.DataFrame) -> Finding:
    """The largest rise of v from one coordinate to the next after one step, for every t and eta."""
    rises = _values(frame, part="leader", name="one step")
    return _exact(max(rises), below(0), f"{len(rises)} pairs of t and eta") if rises else NOT_ENOUGH


def even_coordinates(frame: pl.DataFrame) -> Finding:
    """G_2 over all others, and G_4 and G_6 over their neighbours."""
    G = _values(frame, part="diagonal", form="exact")
    if not G:
        return NOT_ENOUGH
    leads = [G[1] - max(G[:1] + G[2:]), *(G[j - 1] - max(G[j - 2], G[j]) for j in (4, 6))]
    return _exact(min(leads), above(0), f"G_1, G_2, .. = {', '.join(f'{value:.3f}' for value in G[:6])}")


def second_leads(frame: pl.DataFrame) -> Finding:
    """The largest coordinate of v after two steps at t = 100, eta = 0.03, and for longer contexts where computed."""
    found = where(frame, part="leader", name="two steps", eta=0.03)
    found = found.filter(pl.col("t") >= T) if len(found) else found
    return all_within([value - 2 for value in found["value"]], 0.0) if len(found) else NOT_ENOUGH


def leader_depends(frame: pl.DataFrame) -> Finding:
    """The largest coordinate after two steps at each t and eta, less what is stated."""
    found = where(frame, part="leader", name="two steps")
    known = [(LEADERS.get((int(t), eta)), value) for t, eta, value in _rows(found, "t", "eta", "value")]
    return all_within([value - stated for stated, value in known if stated is not None], 0.0)


def curriculum_leads(frame: pl.DataFrame) -> Finding:
    """The leader, the other entries of W over its diagonal, and v_4 / v_2 over 12 epsilon^2 / 5."""
    found = [_curriculum(frame, spread) for spread in SPREADS]
    if not all(found):
        return NOT_ENOUGH
    ratios = [one["v_4"] / one["v_2"] / (2.4 * e**2) for e, one in zip(SPREADS, found, strict=True) if e >= 0.2]
    odds = [one["v_1"] / one["v_2"] for one in found]
    return all_of(
        [
            all_within([one["leader"] - 2 for one in found], 0.0),
            all_within([one["off"] / one["diagonal"] for one in found], 1e-6),
            *(_exact(ratio, between(0.85, 1.15)) for ratio in ratios),
        ],
        f"v_4/v_2 over its limit {', '.join(f'{ratio:.3f}' for ratio in ratios)}; "
        f"v_1/v_2 {', '.join(f'{odd:.4f}' for odd in odds)}",
    )


def curriculum_order(frame: pl.DataFrame) -> Finding:
    """The slope of log(W_11 v_2) in log epsilon."""
    found = [_curriculum(frame, spread) for spread in SPREADS]
    if not all(found):
        return NOT_ENOUGH
    sizes = [one["diagonal"] * one["v_2"] for one in found]
    return _exact(float(np.polyfit(np.log(SPREADS), np.log(sizes), 1)[0]), between(3.8, 4.6))


def counts_by_attention(frame: pl.DataFrame) -> Finding:
    """Largest difference of the network's output and the frequencies, at c = 200."""
    return all_within(_values(frame, part="network", c=200), 1e-8)


def sharper_is_closer(frame: pl.DataFrame) -> Finding:
    """Largest ratio of the errors at a c from 20 on and the c before it; errors below 1e-12 are rounding."""
    found = [(c, value) for c, value in _rows(where(frame, part="network", k=2), "c", "value") if c >= 20]
    if len(found) < 2:
        return NOT_ENOUGH
    sizes = [max(value, 1e-12) for _, value in sorted(found)]
    ratios = [later / earlier for earlier, later in pairwise(sizes) if earlier > 1e-12]
    said = sorted(_rows(where(frame, part="network", k=2), "c", "value"))
    return _exact(max(ratios), below(1), "; ".join(f"c = {c}: {value:.3g}" for c, value in said))


def readout_is_good(frame: pl.DataFrame) -> Finding:
    """Loss with a fitted readout over the unigram level: two and three states, and eight where computed."""
    found = {int(k): value for k, value in _rows(where(frame, part="readout"), "k", "value")}
    if not {2, 3} <= set(found):
        return NOT_ENOUGH
    parts = [_exact(value, below(0.5) if k == 8 else at_most(0.3)) for k, value in found.items()]
    return all_of(parts, "; ".join(f"k = {k}: {value:.3f}" for k, value in found.items()))


def bigrams_are_nearly_bayes(frame: pl.DataFrame) -> Finding:
    """KL(Bayes || bigram) at t = 100, and its largest ratio from one context to the next."""
    found = [value for _, value in sorted(_rows(where(frame, part="bayes", name="stationary"), "t", "value"))]
    if len(found) < 2:
        return NOT_ENOUGH
    ratios = [later / earlier for earlier, later in pairwise(found)]
    said = ", ".join(f"{value:.2g}" for value in found)
    return all_of([_exact(found[-1], below(2e-4)), _exact(max(ratios), below(1))], f"by context: {said}")


def bigrams_are_bayes(frame: pl.DataFrame) -> Finding:
    """Largest difference of the two predictions where x_1 is uniform."""
    return all_within(_values(frame, part="bayes", name="uniform"), 1e-10)


def corrected(frame: pl.DataFrame) -> Finding:
    """Largest distance of a corrected formula from what it states."""
    return all_within(_gaps(frame, form="corrected"), 1e-10)


def printed(name: str) -> Callable[[pl.DataFrame], Finding]:
    """The check of one formula as printed."""

    def check(frame: pl.DataFrame) -> Finding:
        """Distance of the printed formula from what it states."""
        return all_within(_gaps(frame, form="printed", name=name), 1e-10)

    return check


# -- shared -----------------------------------------------------------------------------------------------------------


def _values(frame: pl.DataFrame, **columns: object) -> list[float]:
    found = where(frame, **columns)
    return found["value"].to_list() if len(found) else []


def _gaps(frame: pl.DataFrame, **columns: object) -> list[float]:
    found = where(frame, part="formula", **columns)
    return found["gap"].to_list() if len(found) else []


def _rows(found: pl.DataFrame, *columns: str) -> Sequence[tuple[float, ...]]:
    return found.select(columns).rows() if len(found) else []


def _curriculum(frame: pl.DataFrame, spread: float) -> dict[str, float]:
    found = where(frame, part="curriculum", spread=spread)
    return dict(found.select("name", "value").iter_rows()) if len(found) else {}


def _exact(value: float, meets: Threshold, detail: str = "") -> Finding:
    return Finding(Estimate.exact(float(value)), meets, "", detail)
