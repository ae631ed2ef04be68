"""Thirty kinds of planted interaction: labels that depend on a few columns together, among many that say nothing.

Every kind says how its columns are filled, which of them are planted, and the exact distribution of the label, so that
the error of the best possible rule (Bayes) is known and a method's excess over it has no label noise in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, ndtr

Filling = Literal["genotype", "half", "signs", "gaussian", "integers"]
Rule = Callable[[np.ndarray, np.random.Generator], np.ndarray]

PURE_HEIGHT = 0.45  # how far random penetrances may lie from a half


@dataclass(frozen=True)
class Kind:
    """One kind of table.

    Attributes:
        fillings: of the planted columns, in order; columns that say nothing are filled in turn like these.
        sets: planted columns that act together.
        rule: (planted columns, random numbers of the table) to the probability of class 1, (rows,), of every class,
            (rows, classes), or, for regression, the mean of the target.
        noise: share of labels that are flipped (binary), or standard deviation around the mean (regression).
        regression: whether the target is a number.
    """

    fillings: tuple[Filling, ...]
    sets: tuple[tuple[int, ...], ...]
    rule: Rule
    noise: float = 0.0
    regression: bool = False


class Planted(NamedTuple):
    """A table: ``best`` is the class probabilities or the mean that the label was drawn from, row by row."""

    X: np.ndarray
    y: np.ndarray
    best: np.ndarray
    sets: list[tuple[int, ...]]


def planted(kind: Kind, seed: int, columns: int, rows: int) -> Planted:
    """A table of this kind; planted columns lie at random places."""
    rng = np.random.default_rng([seed, columns, rows])
    count = len(kind.fillings)
    fillings = [kind.fillings[i % count] for i in range(columns)]
    x = np.stack([_fill(filling, rows, rng, i < count) for i, filling in enumerate(fillings)], axis=1)
    best = kind.rule(x[:, :count], rng)
    if kind.regression:
        y = best + kind.noise * rng.normal(size=rows)
    else:
        if best.ndim == 1:
            best = kind.noise + (1 - 2 * kind.noise) * best
            best = np.stack([1 - best, best], axis=1)
        y = (rng.random(rows)[:, None] > np.cumsum(best, axis=1)[:, :-1]).sum(axis=1)
    order = rng.permutation(columns)  # column i comes from order[i]
    place = np.argsort(order)
    return Planted(x[:, order], y, best, [tuple(sorted(place[list(one)].tolist())) for one in kind.sets])


def _fill(filling: Filling, rows: int, rng: np.random.Generator, planted: bool) -> np.ndarray:
    if filling == "genotype":  # alleles of frequency 0.3 if planted, else of any
        return rng.binomial(2, 0.3 if planted else rng.uniform(0.1, 0.5), rows).astype(float)
    if filling == "half":
        return rng.binomial(2, 0.5, rows).astype(float)
    if filling == "signs":
        return rng.choice([-1.0, 1.0], rows)
    if filling == "integers":
        return rng.integers(6, size=rows).astype(float)
    return rng.normal(size=rows)


def _penetrance(share: tuple[float, float, float]) -> Rule:
    """Probabilities from a random table of genotypes in which no smaller set of columns has an effect: of a hundred
    such tables, the one that says most about the labels.

    Args:
        share: of 0, 1 and 2 among the rows.
    """

    def rule(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        k = x.shape[1]
        weight = np.array(share)
        best, most = np.zeros((3,) * k), -1.0
        for _ in range(100):
            table = rng.normal(size=(3,) * k)
            for axis in range(k):
                table = table - np.expand_dims(np.tensordot(table, weight, axes=(axis, 0)), axis)
            table *= PURE_HEIGHT / np.abs(table).max()
            size = np.abs(table)
            for _ in range(k):
                size = size @ weight
            if size > most:
                best, most = table, float(size)
        return np.asarray(0.5 + best[tuple(x.T.astype(int))])

    return rule


def _parity(bits: np.ndarray) -> np.ndarray:
    return np.asarray((bits.sum(axis=1) % 2).astype(float))


def _signs(x: np.ndarray, _: np.random.Generator) -> np.ndarray:
    return _parity(x > 0)


def _issue(x: np.ndarray) -> np.ndarray:
    return np.asarray(1.5 * x[:, 0] * x[:, 1] + x[:, 2] - np.abs(x[:, 3]))


def _classes(index: np.ndarray, classes: int, noise: float) -> np.ndarray:
    """Probabilities of classes that are right but for ``noise``, spread over the others."""
    return np.asarray(np.eye(classes)[index.astype(int)] * (1 - noise - noise / (classes - 1)) + noise / (classes - 1))


def _of(filling: Filling, k: int, rule: Rule, noise: float = 0.0, regression: bool = False) -> Kind:
    """All planted columns alike, and all of them one set."""
    return Kind((filling,) * k, (tuple(range(k)),), rule, noise, regression)


KINDS: dict[str, Kind] = {
    # Genotypes 0, 1, 2. "xor": an odd number of planted columns are 1, half of the rows in each: no marginal effects.
    "genotype-xor-2": _of("half", 2, lambda x, _: _parity(x == 1), 0.1),
    "genotype-xor-3": _of("half", 3, lambda x, _: _parity(x == 1), 0.1),
    "genotype-diagonal-2": _of("half", 2, lambda x, _: (x.sum(axis=1) == 2) * np.where(x[:, 0] == 1, 0.5, 1.0)),
    "genotype-pure-2": _of("genotype", 2, _penetrance((0.49, 0.42, 0.09))),
    "genotype-pure-3": _of("half", 3, _penetrance((0.25, 0.5, 0.25))),
    "genotype-dominant-2": _of("genotype", 2, lambda x, _: ((x > 0).all(axis=1)).astype(float), 0.2),
    # Signs.
    "signs-xor-2": _of("signs", 2, _signs, 0.2),
    "signs-xor-3": _of("signs", 3, _signs, 0.1),
    "signs-xor-3-noisy": _of("signs", 3, _signs, 0.2),
    "signs-xor-4": _of("signs", 4, _signs),
    "signs-xor-4-noisy": _of("signs", 4, _signs, 0.1),
    "signs-two-pairs": Kind(
        ("signs",) * 4, ((0, 1), (2, 3)), lambda x, _: expit(1.5 * x[:, 0] * x[:, 1] + 1.5 * x[:, 2] * x[:, 3])
    ),
    # Gaussians.
    "gaussian-xor-2": _of("gaussian", 2, _signs, 0.1),
    "gaussian-xor-3": _of("gaussian", 3, _signs, 0.05),
    "gaussian-product-2": _of("gaussian", 2, lambda x, _: expit(3 * x.prod(axis=1))),
    "gaussian-product-3": _of("gaussian", 3, lambda x, _: expit(5 * x.prod(axis=1))),
    "gaussian-larger": _of("gaussian", 2, lambda x, _: (x[:, 0] > x[:, 1]).astype(float), 0.2),
    "gaussian-larger-size": _of("gaussian", 2, lambda x, _: (np.abs(x[:, 0]) > np.abs(x[:, 1])).astype(float), 0.1),
    "gaussian-near": _of("gaussian", 2, lambda x, _: (np.abs(x[:, 0] - x[:, 1]) < 0.95).astype(float), 0.1),
    "gaussian-issue": Kind(("gaussian",) * 4, ((0, 1),), lambda x, _: ndtr(_issue(x) / 0.5)),
    # Integers from 0 to 5.
    "integers-even-2": _of("integers", 2, lambda x, _: _parity(x), 0.1),
    "integers-even-3": _of("integers", 3, lambda x, _: _parity(x), 0.05),
    "integers-sum-modulo-3": _of("integers", 2, lambda x, _: (x.sum(axis=1) % 3 == 0).astype(float), 0.1),
    # Beside effects of single columns.
    "beside-signs": Kind(
        ("signs", "signs", "gaussian", "gaussian", "gaussian"),
        ((0, 1),),
        lambda x, _: expit(1.5 * x[:, 0] * x[:, 1] + 1.5 * x[:, 2:].sum(axis=1)),
    ),
    "beside-genotypes": Kind(
        ("half",) * 5,
        ((0, 1),),
        lambda x, _: expit(3 * (_parity(x[:, :2] == 1) - 0.5) + x[:, 2:].sum(axis=1) - 3),
    ),
    "mixed-xor-2": Kind(
        ("half", "gaussian"), ((0, 1),), lambda x, _: _parity(np.stack([x[:, 0] == 1, x[:, 1] > 0], axis=1)), 0.1
    ),
    # Several classes.
    "classes-sum-modulo-3": _of("integers", 2, lambda x, _: _classes(x.sum(axis=1) % 3, 3, 0.1)),
    "classes-two-xor": Kind(
        ("signs",) * 4,
        ((0, 1), (2, 3)),
        lambda x, _: _classes(2 * _parity(x[:, :2] > 0) + _parity(x[:, 2:] > 0), 4, 0.1),
    ),
    # Numbers.
    "number-product": _of("gaussian", 2, lambda x, _: x.prod(axis=1), 1.0, regression=True),
    "number-xor-3": _of("signs", 3, lambda x, _: x.prod(axis=1), 1.0, regression=True),
}
