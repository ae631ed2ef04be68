"""The few columns that matter, with what found sets say: what networks read where screening explains most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from glassware.foundation.arrays import Float64, Int
from glassware.tabular.screening.additive import Additive
from glassware.tabular.screening.codes import BINS, Codes
from glassware.tabular.screening.scores import FOLDS, Score, crossed, parts_of, size_of
from glassware.tabular.screening.screen import Screen

if TYPE_CHECKING:
    from glassware.tabular.network import View

FAR = 4.0  # deviations to which factors of products are cut


@dataclass
class Focus:
    """How the columns that networks read are made from a table's.

    Attributes:
        kept: columns that are read as they are.
        codes: how columns are cut into bins, by the size of a set.
        scores: of each found set.
        sizes: what their values are divided by.
        products: sets of columns with many values, whose standardised values are multiplied.
        centre: of each column, for products.
        spread: likewise.
    """

    kept: list[int]
    codes: dict[int, Codes]
    scores: list[Score]
    sizes: list[np.ndarray]
    products: list[tuple[int, ...]]
    centre: np.ndarray
    spread: np.ndarray

    @property
    def sources(self) -> list[tuple[int, ...]]:
        """The columns that each column it makes comes from."""
        scores = [one.columns for one in self.scores for _ in range(one.table.shape[-1])]
        return [*((column,) for column in self.kept), *scores, *self.products]

    def transform(self, X: Float64[np.ndarray, "rows columns"]) -> Float64[np.ndarray, "rows made"]:
        """Its columns for new rows."""
        bins = [self.codes[len(one.columns)].of(X, np.array(one.columns)) for one in self.scores]
        return self._joined(X, [one.of(b) / size for one, b, size in zip(self.scores, bins, self.sizes, strict=True)])

    def _joined(self, X: np.ndarray, scores: list[np.ndarray]) -> np.ndarray:
        with np.errstate(over="ignore"):  # what is too far is cut off
            z = {c: np.clip((X[:, c] - self.centre[c]) / self.spread[c], -FAR, FAR) for o in self.products for c in o}
        products = [np.nan_to_num(np.prod([z[c] for c in one], axis=0))[:, None] for one in self.products]
        return np.concatenate([X[:, self.kept], *scores, *products], axis=1)


@dataclass
class Focused:
    """What a network reads of the columns that a focus makes.

    Attributes:
        focus: makes them.
        view: what is read of them.
    """

    focus: Focus
    view: View

    @property
    def columns(self) -> Int[np.ndarray, " inputs"]:
        """The made column of each input."""
        return self.view.columns

    @property
    def size(self) -> np.ndarray:
        """The typical size of each input."""
        return self.view.size

    def transform(self, X: np.ndarray) -> np.ndarray:
        """The inputs."""
        return self.view.transform(self.focus.transform(X))


def focus(
    found: Screen, X: np.ndarray, truth: np.ndarray, weight: np.ndarray, classify: bool
) -> tuple[Focus, Float64[np.ndarray, "rows made"], Float64[np.ndarray, " rows"]]:
    """Learn the found sets' scores. Also returns the columns for the rows they are learnt from, on which each score is
    one that other rows have taught, and by which square an additive model of them is wrong about each row (with the
    factor of generalised cross-validation for its own coefficients).

    Args:
        found: by screening.
        X: rows.
        truth: targets: of each class, or a number.
        weight: of rows.
        classify: whether targets are classes.
    """
    model = Additive(truth, weight, classify)
    folds = np.random.default_rng(0).permutation(len(X)) % FOLDS
    inputs = np.concatenate([np.zeros((len(X), 0)), *(parts_of(found.codes, X, (c,))[0] for c in found.alone)], axis=1)
    scores, sizes, values = list[Score](), list[np.ndarray](), list[np.ndarray]()
    for columns in (one.columns for one in found.sets):
        codes, left = found.seen[len(columns)], model.residuals(inputs)
        bins = codes.of(X, np.array(columns))
        scores.append(Score.fit(columns, codes, bins, left))
        sizes.append(size_of(scores[-1], bins))
        values.append(crossed(columns, codes, bins, left, folds))
        inputs = np.concatenate([inputs, values[-1]], axis=1)
    kept = sorted({*found.alone, *(column for one in found.sets for column in one.columns)})
    many = (found.codes.bins == BINS) & ~found.codes.listed
    products = [one.columns for one in found.sets if many[list(one.columns)].all()]
    centre, spread = np.zeros(X.shape[1]), np.ones(X.shape[1])
    for column in kept:
        low, middle, high = np.nanquantile(X[:, column], [0.25, 0.5, 0.75])
        # Halve first: the difference may overflow.
        centre[column], spread[column] = middle, (high / 1.349 - low / 1.349) or 1.0
    made = Focus(kept, found.seen, scores, sizes, products, centre, spread)
    wrong = np.square(truth - model.predicted(inputs)).sum(axis=1)
    return made, made._joined(X, values), wrong / (1.0 - min(0.9, inputs.shape[1] / len(X))) ** 2
