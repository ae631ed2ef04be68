"""One layer is not enough: no sudden drop, and no more than unigrams (Figure E.8).

An induction head needs two layers. Transformers of one layer, with or without an MLP, with relative or absolute
positions, come to the unigram level and stay there, however long they train.

Grids
    laptop  Plain transformers, k = 2, t = 100, AdamW at 0.003, 1,500 steps: attention alone with relative positions,
            and an MLP with absolute ones; two layers for 600 steps beside them. 3 seeds each, a checkpoint every 25
            steps on 1,024 held-out chains.
    paper   Normed, at 0.0005, all four of {attention, MLP} and {relative, absolute}, 16,000 steps, eight times as many
            as the two layers beside them; 10 seeds, a checkpoint every 10 steps on 2,048 held-out chains.
    smoke   seconds, for the tests: t = 8, 10 steps.

Decisions where the text is silent
    States: 2. The MLP has 64 hidden units, ReLU, behind a layer norm. Absolute positions are added to the embedding,
    and nothing is relative then. "No better than unigrams" has room below: the best logistic regression on which
    earlier tokens equal the current one, which is about what one layer of attention can do, has 0.86 of the unigram
    level, and an MLP may add what the counts say about the current token. The upper end keeps out networks that learn
    nothing. A sudden drop is a loss that falls by more than a quarter within 5% of training, after its first tenth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.models import CausalTransformer
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction.shared.figures import Panelled, loss_chart
from glassware.studies.induction.shared.phases import curve, final, final_share
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.induction.shared.transformers import tiny_run, transformer_run
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most, between
from glassware.tasks import MarkovChain
from glassware.training import Run

SEEDS, KINDS = 3, 2  # of one layer, with and without an MLP
WINDOW, EARLY = 0.05, 0.1  # of training


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """One layer, of two kinds or four, and two layers."""
    if scale == "smoke":
        return repeat(tiny_run(), seeds or 2)
    task = MarkovChain(states=2, length=100)
    if scale == "laptop":
        kinds, form = [("relative", False), ("absolute", True)], "plain"
        steps, two, every, test, count = 1500, 600, 25, 1024, SEEDS
    else:
        kinds, form = [(positions, mlp) for positions in ("relative", "absolute") for mlp in (False, True)], "normed"
        steps, two, every, test, count = 16_000, 2000, 10, 2048, 10
    ones = [
        (CausalTransformer(depth=1, form=form, positions=positions, mlp=mlp), steps) for positions, mlp in kinds
    ]  # fmt: skip
    return [
        run
        for model, length in (*ones, (CausalTransformer(form=form), two))
        for run in repeat(transformer_run(task, model, steps=length, every=every, test=test), seeds or count)
    ]


# -- checks -----------------------------------------------------------------------------------------------------------


def stays_at(mlp: bool, low: float) -> Callable[[pl.DataFrame], Finding]:
    """The check that one layer ends at the unigram level, from ``low`` to 1.1 of it, for every kind of positions."""

    def check(frame: pl.DataFrame) -> Finding:
        """The final distance from the truth over the unigram level, one layer."""
        end = Measure("final / unigram level", final_share, between(low, 1.1))
        return _by_positions([row for row in _one(frame) if row["mlp"] == mlp], end)

    return check


def far_from_two_layers(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over that of two layers, their mean over seeds."""
    two = [final(row) for row in lanes(frame) if row["depth"] == 2]
    if len(two) < SEEDS:
        return NOT_ENOUGH
    times = Measure("final / that of two layers", lambda row: final(row) / float(np.mean(two)), at_least(3))
    return _by_positions(_one(frame), times, least=KINDS)


def no_sudden_drop(frame: pl.DataFrame) -> Finding:
    """The largest fall of the loss within 5% of training after the first tenth, one layer; and where it has come from
    its start."""
    learnt = Measure("final / first loss", lambda row: final(row) / curve(row, "truth_distance")[0], at_most(0.6))
    fall = Measure("largest fall", largest_fall, at_most(0.25))
    return _by_positions(_one(frame), fall, learnt, least=KINDS)


def largest_fall(row: Row) -> float:
    """By which share the loss falls at most within ``WINDOW`` of training, once ``EARLY`` of it is over."""
    losses = curve(row, "truth_distance")
    first, width = int(np.ceil(EARLY * (len(losses) - 1))), max(1, round(WINDOW * (len(losses) - 1)))
    return float(np.max(1 - losses[first + width :] / losses[first:-width]))


def _one(frame: pl.DataFrame) -> list[Row]:
    return [row for row in lanes(frame) if row["depth"] == 1]


def _by_positions(rows: list[Row], *measures: Measure, least: int = 1) -> Finding:
    """Every lane of every kind of network."""
    kinds = sorted({_kind(row) for row in rows})
    if len(kinds) < least:
        return NOT_ENOUGH
    found = {kind: each_lane([row for row in rows if _kind(row) == kind], SEEDS, *measures) for kind in kinds}
    return all_of([*found.values()], "; ".join(f"{kind}: {finding.detail}" for kind, finding in found.items()))


def _kind(row: Row) -> str:
    layers = "one layer" if row["depth"] == 1 else "two layers"
    return f"{layers}, {row['positions']}{', MLP' if row['mlp'] else ''}"


CLAIMS = (
    Claim(
        "fe8-attention",
        "One layer of attention stays at the unigram level",
        "Figure E.8",
        "final 0.8 to 1.1 of the unigram level, every seed",
        stays_at(False, 0.8),
        note="one look back is worth 0.86 of the level",
    ),
    Claim(
        "fe8-mlp",
        "With an MLP it does, too",
        "Figure E.8",
        "final 0.72 to 1.1 of the unigram level, every seed",
        stays_at(True, 0.72),
    ),
    Claim(
        "fe8-two-layers",
        "Two layers end far below",
        "Figure E.8",
        "final of one layer ≥ 3 times that of two, every seed",
        far_from_two_layers,
    ),
    Claim(
        "fe8-no-drop",
        "There is no sudden drop",
        "Figure E.8",
        "no fall by more than 25% within 5% of training after the first 10%; final ≤ 0.6 of the first loss, every seed",
        no_sudden_drop,
    ),
)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies."""
    return loss_chart(_panels(frame), "One layer stays at the unigram level", _setting)


def _setting(found: Panelled) -> str:
    row = found[0][1]
    return f"one line per seed; k = 2, t = {row['length']}, AdamW at {row['lr']:g}"


def _panels(frame: pl.DataFrame) -> Panelled:
    rows = sorted(lanes(frame), key=lambda row: (row["depth"], row["mlp"], row["positions"] == "absolute"))
    seeds = Counter(map(_kind, rows))
    return [(f"{_kind(row)}, {seeds[_kind(row)]} seeds", row) for row in rows]


STUDY = Study(
    name="induction/one-layer",
    title="One layer is not enough for bigrams",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"loss": loss},
)
