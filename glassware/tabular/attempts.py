"""One recipe on one table: what each network of an ensemble reads, learns and holds out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.foundation.arrays import Params
from glassware.foundation.draws import fold, seed_words
from glassware.tabular.cuts import Cuts, Splits
from glassware.tabular.guide import Guide, guide
from glassware.tabular.inputs import Scaling
from glassware.tabular.jobs import Job, Outcome, Table
from glassware.tabular.network import View, inputs
from glassware.tabular.recipe import Recipe, Scale

CUT_EVERY = 3  # every third network reads pieces of columns, if there are pieces
LITTLE = 0.5  # of a constant's loss; with a larger loss on held-out rows there may be more to learn

Scaled: TypeAlias = dict[tuple[int, str], tuple[Scaling, np.ndarray]]  # by a table's identity and the kind of scale


class Prepared(NamedTuple):
    """A checked table.

    Attributes:
        recipe: the first one to try.
        X: columns.
        y: targets as given.
        truth: targets as networks see them.
        weight: of each row, with mean 1.
        seed: for everything random.
        classify: whether targets are classes.
        sparsity: first-layer weights that each neuron starts with; 0: dense.
        held_out: share of the rows that a network is not trained on.
    """

    recipe: Recipe
    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    seed: int
    classify: bool
    sparsity: int
    held_out: float


class Part(NamedTuple):
    """The networks of an ensemble that read a table in one way.

    Attributes:
        job: what is trained.
        view: what they read.
        gain: factor that each input was multiplied by.
        places: their places in the ensemble.
    """

    job: Job
    view: View
    gain: np.ndarray
    places: np.ndarray


class Attempt(NamedTuple):
    """An ensemble to be trained, part by part, and the forest that guides it, if any."""

    recipe: Recipe
    parts: list[Part]
    guide: Guide | None

    def loss(self, outcomes: Sequence[Outcome]) -> float:
        """The mean loss of its networks on rows that they held out."""
        return float(np.average([o.loss for o in outcomes], weights=[len(part.places) for part in self.parts]))

    def learnt_little(self, loss: float) -> bool:
        """Whether held-out rows are predicted little better than by a constant."""
        job = self.parts[0].job
        middle = np.average(job.table.truth, axis=0, weights=job.table.weight)
        if job.classify:
            constant = -np.sum(middle * np.log(np.maximum(middle, 1e-12)))
        else:
            square = np.square(job.table.truth - middle)
            constant = 0.5 * np.average(square, axis=0, weights=job.table.weight).sum()
        return bool(loss > LITTLE * constant)

    def networks(self, outcomes: Sequence[Outcome]) -> list[tuple[Params, View]]:
        """The trained networks in the ensemble's order, each with what it reads; weights include the gains."""
        found = dict[int, tuple[Params, View]]()
        for part, outcome in zip(self.parts, outcomes, strict=True):
            gain = part.gain[:, None].astype(np.float32)
            # Fewer networks than places if the fit was ended early.
            for place, (first, *rest) in zip(part.places.tolist(), outcome.members, strict=False):
                found[place] = ({"w": gain * first["w"], "b": first["b"]}, *rest), part.view
        return [found[place] for place in sorted(found)]


def attempt(prepared: Prepared, recipe: Recipe, scaled: Scaled | None = None, grown: Guide | None = None) -> Attempt:
    """The table prepared as a recipe requires, ready for training.

    Args:
        prepared: the table.
        recipe: how to train.
        scaled: tables already scaled; new ones are added.
        grown: guide already fitted on this table.
    """
    X = prepared.X
    scaling, x = scaled_once(X, recipe.scale, {} if scaled is None else scaled)
    gain, splits, found = np.ones(X.shape[1]), None, None
    if recipe.guided:
        found = grown or fit_guide(prepared, scaling)
        gain, splits, x = found.gain(), found.splits, x * found.gain()
    target = _target(prepared, recipe, found)

    def part(view: View, x: np.ndarray, gain: np.ndarray, sparsity: int, starts: Splits | None, at: np.ndarray) -> Part:
        # A member's key depends on its place alone: unless rows are held out, a larger ensemble extends a smaller one.
        keys = np.stack([fold(seed_words(prepared.seed), place) for place in at.tolist()])
        table, held_out = Table(x, target, prepared.truth, prepared.weight), _held_out(prepared, recipe, len(at))
        return Part(Job(recipe, sparsity, prepared.classify, table, starts, held_out, keys), view, gain, at)

    starts = None
    if splits is not None and len(splits.column) and recipe.start == "spread" and prepared.sparsity:
        # Thresholds on the scale on which networks read the columns.
        starts = splits._replace(threshold=gain[splits.column] * scaling.at(splits.column, splits.threshold))
    places, cuts = np.arange(recipe.n_ensemble), None
    if recipe.cuts and recipe.n_ensemble > 1:
        cuts = Cuts.fit(scaling.filled(X), scaling.fill, recipe.cuts, splits)
    if cuts is None:
        return Attempt(recipe, [part(scaling, x, gain, prepared.sparsity, starts, places)], found)
    stepped = places % CUT_EVERY == 1
    # Dense: a piece is only one step in one column, and neurons that start with two of them see too little.
    parts = [
        part(scaling, x, gain, prepared.sparsity, starts, places[~stepped]),
        part(cuts, inputs(cuts, X), np.ones(len(cuts.columns)), 0, None, places[stepped]),
    ]
    return Attempt(recipe, parts, found)


def scaled_once(X: np.ndarray, kind: Scale, scaled: Scaled) -> tuple[Scaling, np.ndarray]:
    """The scaling of a table and its scaled rows; new ones are added to ``scaled``."""
    which = id(X), kind
    if which not in scaled:
        scaling = Scaling.fit(X, kind)
        scaled[which] = scaling, scaling.transform(X)
    return scaled[which]


def fit_guide(prepared: Prepared, scaling: Scaling, threads: bool = True, leaf: int = 1) -> Guide:
    """Fit the guiding forest on a table; on one core without ``threads``, and with as many rows in every ``leaf``."""
    y = prepared.y if prepared.classify else prepared.truth[:, 0] if prepared.truth.shape[1] == 1 else prepared.truth
    return guide(
        scaling.filled(prepared.X),
        y,
        prepared.weight,
        prepared.classify,
        prepared.seed,
        threads,
        trees=prepared.recipe.trees,
        leaf=leaf,
    )


def _target(prepared: Prepared, recipe: Recipe, found: Guide | None) -> np.ndarray:
    """What networks learn: labels smoothed and mixed with a forest's vote, or numbers as they are."""
    truth = prepared.truth
    if not prepared.classify:
        return truth
    target = (1.0 - recipe.label_smoothing) * truth + recipe.label_smoothing / truth.shape[1]
    if found is None:
        return target
    vote = np.where(np.isfinite(found.vote), found.vote, truth)
    return np.asarray((1.0 - recipe.trust) * target + recipe.trust * vote)


def _held_out(prepared: Prepared, recipe: Recipe, members: int) -> np.ndarray:
    """The rows each member is not trained on: consecutive parts of a shuffled table, so that members differ."""
    rows = len(prepared.X)
    count = min(rows - 1, max(1, round(prepared.held_out * rows))) if recipe.early_stopping else 0
    order = np.random.default_rng(prepared.seed).permutation(rows)
    places = np.arange(members)[:, None] * count + np.arange(count)
    return np.asarray(order[places % rows])
