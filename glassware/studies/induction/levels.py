"""What each strategy costs, by sampling: the horizontal lines of the loss curves (Figures 8.3 to 8.5, E.4, E.7).

A level is the mean of KL(truth || strategy) after the last position. The levels of every prior, size and order that the
studies train on are sampled here, and held against exact values where there are any (two states under the flat prior)
and against another program's samples elsewhere. So are the distances between strategies with which every training
begins.

Grids
    laptop  40,000 chains of each of 24 priors, sizes and orders.
    paper   the same with 200,000.
    smoke   2,000 chains of one of them.

Decisions where the text is silent
    The text draws these lines and gives no numbers. Strategies add one to every count. Stated values carry the standard
    error of as many chains as they were sampled with, and that of their last digit; a difference counts in units of
    both programs' errors together. How many chains they were is not known for t = 150, k = 5 and the prior between
    unigram and doubly stochastic: 20,000 are assumed there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.foundation.backend import jax
from glassware.foundation.draws import seed_words
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction.shared.figures import COLOURS
from glassware.studies.induction.shared.levels import STRATEGIES
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_within
from glassware.tasks import MarkovChain
from glassware.theory.markov.levels import count_law, uniform_limit
from glassware.theory.markov.strategies import kl, ngram, uniform

BLOCK = 4000  # chains at a time: tables of counts stay small
CHAINS = {"smoke": 2000, "laptop": 40_000, "paper": 200_000}
BETWEEN = {"unigram from uniform": (1, 0), "bigram from uniform": (2, 0), "bigram from unigram": (2, 1)}


@dataclass(frozen=True)
class Stated:
    """Levels of one kind of chains.

    Args:
        task: the chains.
        levels: as another program sampled them, by strategy; written as text, because the last digit says how well
            they are known.
        count: the chains that it sampled.
        distances: between strategies.
    """

    task: MarkovChain
    levels: str
    count: int = 60_000
    distances: str = ""
    asked: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        named = dict(zip(STRATEGIES, self.levels.split(), strict=False))
        object.__setattr__(self, "asked", named | dict(zip(BETWEEN, self.distances.split(), strict=False)))


def _chains(k: int, t: int = 100, prior: str = "dirichlet", **more: Any) -> MarkovChain:
    return MarkovChain(states=k, length=t, prior=prior, **more)  # type: ignore[arg-type]


TABLE = (
    Stated(_chains(2, 64), "0.212 0.0902 0.0141"),
    Stated(_chains(2), "0.212 0.0864 0.0094", distances="0.1295 0.2016 0.0781"),
    Stated(_chains(2, 150), "0.2115 0.085 0.0062", 20_000),
    Stated(_chains(2, 200), "0.212 0.0844 0.0048"),
    Stated(_chains(3, 64), "0.280 0.1739 0.0389"),
    Stated(_chains(3), "0.280 0.1690 0.0261", distances="0.1239 0.2538 0.1433"),
    Stated(_chains(3, 150), "0.2795 0.166 0.0183", 20_000),
    Stated(_chains(3, 200), "0.280 0.1653 0.0140"),
    Stated(_chains(4), "0.311 0.2266 0.0490"),
    Stated(_chains(5), "0.332 0.268 0.0744", 20_000),
    Stated(_chains(5, 200), "0.333 0.259 0.0424", 20_000),
    Stated(_chains(8), "0.363 0.3398 0.1529"),
    Stated(_chains(8, 200), "0.363 0.3232 0.0977"),
    Stated(_chains(2, prior="unigram"), "0.193 0.0048 0.0092"),
    Stated(_chains(3, prior="unigram"), "0.264 0.0096 0.0251"),
    Stated(_chains(4, prior="unigram"), "0.303 0.0140 0.0438"),
    Stated(_chains(2, prior="doubly-stochastic"), "0.192 0.193 0.0101"),
    Stated(_chains(3, prior="doubly-stochastic"), "0.214 0.223 0.0273"),
    Stated(_chains(4, prior="doubly-stochastic"), "0.2483 0.263 0.0504", 16_384),
    *(
        Stated(_chains(2, prior="interpolated", q=q), said, 20_000)
        for q, said in ((0.25, "0.127 0.015 0.0093"), (0.5, "0.114 0.043 0.0094"), (0.75, "0.134 0.096 0.0096"))
    ),
    Stated(_chains(2, order=3), "0.220 0.143 0.085 0.0175"),
    Stated(_chains(2, 200, order=3), "0.222 0.138 0.0836 0.0091", 20_000),
)  # fmt: skip
TRIED = TABLE[1:2]  # at smoke scale
SCHEMA: dict[str, type[pl.DataType]] = {
    "part": pl.String, "strategy": pl.String, "prior": pl.String, "k": pl.Int64, "t": pl.Int64, "order": pl.Int64,
    "q": pl.Float64, "value": pl.Float64, "error": pl.Float64, "stated": pl.Float64, "stated_error": pl.Float64,
    "exact": pl.Float64,
}  # fmt: skip


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """One row per kind of chains and strategy: the level sampled here, and the one stated."""
    table = TRIED if scale == "smoke" else TABLE
    return pl.DataFrame([row for stated in table for row in _rows(stated, CHAINS[scale])], schema=SCHEMA)


def _rows(stated: Stated, chains: int) -> list[dict[str, object]]:
    task, found = stated.task, _sampled(stated, chains)
    exact = _exact(task)
    rows: list[dict[str, object]] = []
    for name, text in stated.asked.items():
        costs = found[name]
        spread, digit = float(costs.std(ddof=1)), 10.0 ** -len(text.split(".")[1])
        rows.append({
            "part": "distance" if name in BETWEEN else "level", "strategy": name, "prior": task.prior,
            "k": task.states, "t": task.length, "order": task.order, "q": task.q, "value": float(costs.mean()),
            "error": spread / math.sqrt(chains), "stated": float(text),
            "stated_error": math.hypot(spread / math.sqrt(stated.count), digit / math.sqrt(12)),
            "exact": exact.get(name),
        })  # fmt: skip
    return rows


def _sampled(stated: Stated, chains: int) -> dict[str, np.ndarray]:
    """KL(truth || strategy), or KL(strategy || strategy), of every chain."""
    task = stated.task
    draw = jax.jit(lambda index: (raw := task.raw(seed_words(0), index), task.truth(raw)))
    parts: dict[str, list[np.ndarray]] = {name: [] for name in stated.asked}
    for first in range(0, chains, BLOCK):
        (drawn, _), truth = draw(np.arange(first, min(first + BLOCK, chains), dtype=np.uint32))
        tokens = np.asarray(drawn)[:, : task.length]
        orders = range(1, max(2, task.order) + 1)
        laws = [uniform(tokens, task.states), *(ngram(tokens, task.states, n) for n in orders)]
        for name in stated.asked:
            pair = [laws[n] for n in BETWEEN[name]] if name in BETWEEN else [None, laws[STRATEGIES.index(name)]]
            said = np.asarray(truth, np.float64) if pair[0] is None else pair[0]
            parts[name].append(np.asarray(kl(said, pair[1])))  # type: ignore[arg-type]
    return {name: np.concatenate(costs) for name, costs in parts.items()}


def _exact(task: MarkovChain) -> dict[str, float]:
    """Levels without sampling, for two states under the flat prior."""
    if (task.prior, task.states, task.order) != ("dirichlet", 2, 2):
        return {}
    return {"uniform": uniform_limit(), "unigram": count_law(task.length).unigram()}


# -- checks -----------------------------------------------------------------------------------------------------------


def agrees_with_exact(frame: pl.DataFrame) -> Finding:
    """Sampled less exact levels, in standard errors."""
    rows = where(frame, part="level")
    rows = rows.filter(pl.col("exact").is_not_null()) if len(rows) else rows
    return _off(rows, rows.select((pl.col("value") - pl.col("exact")) / pl.col("error")) if len(rows) else None)


def agrees(frame: pl.DataFrame) -> Finding:
    """Sampled less stated levels of chains of order 2, in standard errors of both."""
    return _compared(where(frame, part="level", order=2))


def agrees_on_distances(frame: pl.DataFrame) -> Finding:
    """Sampled less stated distances between strategies, in standard errors of both."""
    return _compared(where(frame, part="distance"))


def agrees_on_order_three(frame: pl.DataFrame) -> Finding:
    """Sampled less stated levels of chains of order 3, in standard errors of both."""
    return _compared(where(frame, part="level", order=3))


def _compared(rows: pl.DataFrame) -> Finding:
    both = (pl.col("error") ** 2 + pl.col("stated_error") ** 2).sqrt()
    return _off(rows, rows.select((pl.col("value") - pl.col("stated")) / both) if len(rows) else None)


def _off(rows: pl.DataFrame, off: pl.DataFrame | None) -> Finding:
    """The largest difference, and whose it is."""
    if off is None:
        return NOT_ENOUGH
    sizes = off.to_series().abs()
    at = rows.row(int(sizes.arg_max() or 0), named=True)
    most = f"{at['strategy']}, {at['prior']}, k = {at['k']}, t = {at['t']}: {at['value']:.4f}, not {at['stated']:g}"
    return all_within(sizes.to_list(), 4.0, f"{len(rows)} numbers; farthest {most}")


WITHIN = "within 4 standard errors"
OTHER = "stated values are another program's samples"
CLAIMS = (
    Claim("exact", "Sampled levels agree with exact ones for two states", "lines of Figure E.7", WITHIN,
          agrees_with_exact, source="ours", note="uniform and unigram strategies, flat prior, t from 64 to 200"),
    Claim("stated", "Sampled levels agree with another program's", "lines of Figures 8.3, 8.4, E.4, E.6, E.7", WITHIN,
          agrees, source="ours", note=OTHER),
    Claim("distances", "So do the distances between strategies with which training begins", "Figure 8.1, step 0",
          WITHIN, agrees_on_distances, source="ours", note=OTHER),
    Claim("order-three", "So do the levels of chains that look back two tokens", "lines of Figure 8.5", WITHIN,
          agrees_on_order_three, source="ours", note=OTHER),
)  # fmt: skip


def by_states(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The levels at t = 100 against the number of states, by prior."""
    priors = ("dirichlet", "unigram", "doubly-stochastic")
    rows = where(frame, part="level", t=100, order=2) if len(frame) else frame
    rows = rows.filter(pl.col("prior").is_in(priors)) if len(rows) else rows
    if not len(rows):
        return None
    names = {prior: f"{prior.replace('-', ' ')} chains" for prior in priors}
    return lines(
        rows.sort("k", maintain_order=True).with_columns(panel=pl.col("prior").replace_strict(names), line="strategy"),
        x="k", y="value", line="line",
        kind="strategy", panel="panel", colours=COLOURS, columns=3, y_domain=(0.0, 0.4), own_x=False,
        title="What each strategy costs", x_title="states k", y_title="mean KL(truth || strategy), nats",
        subtitle=f"t = 100; standard errors up to {max(rows['error']):.2g}",
    )  # fmt: skip


STUDY = Study(
    name="induction/levels",
    title="Levels of the counting strategies",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={"by-states": by_states},
    compute=compute,
)
