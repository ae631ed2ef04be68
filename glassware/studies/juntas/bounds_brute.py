"""Rows of ``bounds`` found by brute force: packings and covers of tiny classes, Lipschitz constants by search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from glassware.foundation.arrays import Float
from glassware.studies.claim import Scale
from glassware.studies.juntas.bounds_rows import Row
from glassware.theory.variable_creation import brute, lipschitz, maurey, norms
from glassware.theory.variable_creation.covers import HeadNorms, cover_linear, cover_matrix, explicit_tf_head
from glassware.theory.variable_creation.deep import LayerNorms, explicit_deep
from glassware.theory.variable_creation.lipschitz import Layer

ERRORS = (0.5, 0.2, 0.08)
LENGTHS = (1.0, 2.0, 4.0, 8.0)  # of tokens
LINE = 201  # points of the interval
SPLITS = ((0.35, 0.2), (0.25, 0.4))  # eps_1 and eps_2 of the cover that is built


def brute_rows(scale: Scale) -> Iterator[Row]:
    """Packings of classes that are written down, beside the bound of each at the same error."""
    rng, count = np.random.default_rng(2), 300 if scale == "smoke" else 1500
    # One input and one number: a grid on [-1, 1], whose smallest cover is known.
    line = np.linspace(-1, 1, LINE)[:, None, None]
    for eps in ERRORS:
        smallest = brute.smallest_cover(line, eps)
        yield {"part": "brute", "name": "interval", "x": eps, "value": math.log(smallest),
               "wanted": cover_linear(1.0, 1.0, eps, 1), "gap": float(abs(smallest - line_cover(eps)))}  # fmt: skip
        for name, (values, bound) in _classes(rng, count).items():
            yield {"part": "brute", "name": name, "x": eps, "value": brute.log_packing(values, eps),
                   "wanted": bound(eps)}  # fmt: skip
    m = 8 if scale == "smoke" else 10
    size = 1 / math.sqrt(m)
    yield {"part": "brute", "name": "orthonormal inputs", "x": 0.499 * size,
           "value": brute.log_grid_packing(brute.sign_grid(m, size), size),
           "wanted": cover_linear(1.0, 1.0, 0.499 * size, m)}  # fmt: skip


def built_rows() -> Iterator[Row]:
    """Lemma 4.10's cover for matrices of two rows and one column, against nets of the class."""
    for eps_1, eps_2 in SPLITS:
        eps, centres = eps_1 + eps_2, maurey.matrix_cover(1.0, 1.0, 2, eps_1, eps_2)[:, None]
        net = maurey.ball_net(1.0, 2, 40)[:, None]
        at = {"part": "built", "x": eps}
        yield {**at, "name": "uncovered", "value": brute.uncovered(net, centres)}
        yield {**at, "name": "size", "value": math.log(len(centres))}
        yield {**at, "name": "packing", "value": brute.log_packing(net, eps)}
        coarse = maurey.ball_net(1.0, 2, 8)[:, None]
        yield {**at, "name": "smallest", "value": math.log(brute.smallest_cover(coarse, eps))}
        yield {**at, "name": "bound", "value": cover_matrix(1.0, 1.0, 2, 1, eps)}


def composed_rows() -> Iterator[Row]:
    """Theorem 4.6 on a finite class, every cover in it the smallest: a head against its scores and values.

    Tokens are numbers in [-1, 1], scores q x_t and values v x_t, for a grid of q and of v.
    """
    tokens = np.array([[1.0, -1.0, 0.5], [0.2, 0.9, -0.7]])
    q, v = np.linspace(-3, 3, 19), np.linspace(-1, 1, 15)
    scores, values = (grid[:, None, None] * tokens.reshape(1, -1, 1) for grid in (q, v))
    mixed = np.einsum("qmt,mt->qm", norms.softmax(q[:, None, None] * tokens), tokens)
    heads = (v[None, :, None] * mixed[:, None]).reshape(-1, 2, 1)
    for eps in ERRORS[:2]:
        head = math.log(brute.smallest_cover(heads, eps))
        for share in (0.25, 0.5, 0.75):
            both = brute.smallest_cover(scores, share * eps / 2) * brute.smallest_cover(values, (1 - share) * eps)
            yield {"part": "composed", "x": eps, "kind": f"α = {share}", "value": head, "wanted": math.log(both)}


def line_cover(eps: float) -> int:
    """The smallest cover of the grid: every centre takes the points within eps on both sides."""
    return math.ceil(LINE / (2 * math.floor(eps * (LINE - 1) / 2 + 1e-9) + 1))


def tool_rows(scale: Scale) -> Iterator[Row]:
    """Norm inequalities, the constants of normalisers, the projection; all by draws and ascent."""
    rng, draws = np.random.default_rng(3), 200 if scale == "smoke" else 2000
    for name, value in norms.norm_inequalities(rng, draws).items():
        yield {"part": "tool", "name": name, "value": value}
    u, v = rng.standard_normal((2, draws, 3)) * 10 ** rng.uniform(-1, 1, (1, draws, 1))
    moved = np.linalg.norm(norms.project(u) - norms.project(v), axis=1) / np.linalg.norm(u - v, axis=1)
    yield {"part": "tool", "name": "projection", "value": float(moved.max())}
    yield {"part": "tool", "name": "softmax", "value": max(norms.steepest_softmax(T, rng, 2) for T in (2, 4))}
    for T in (2, 5) if scale == "smoke" else (2, 5, 8):
        stated = {"softmax": 2 * (1 - 1 / T), "elu + 1": 2 * (1 - 1 / T), "sparsemax": 2.0 * (T - 1)}
        for name, wanted in stated.items():
            found = norms.largest_jacobian(name, T, rng, 3)
            yield {"part": "normaliser", "name": name, "T": T, "value": found, "wanted": wanted}
    scores, step = rng.standard_normal(6), 1e-5
    slopes = [(norms.softmax(scores + step * e) - norms.softmax(scores - step * e)) / (2 * step) for e in np.eye(6)]
    jacobian = norms.softmax_jacobian(scores)
    yield {"part": "match", "name": "A.7", "gap": float(np.abs(np.array(slopes).T - jacobian).max())}
    yield {"part": "match", "name": "A.7", "gap": abs(np.abs(jacobian).sum() - norms.softmax_jacobian_norm(scores))}


def lipschitz_rows(scale: Scale) -> Iterator[Row]:
    """The largest left side over right side of each lemma, over draws and at the steepest inputs we know."""
    rng, draws = np.random.default_rng(4), 150 if scale == "smoke" else 2000
    worst: dict[str, float] = {}
    found = [ratio for i in range(draws) for ratio in _draw(i, rng)]
    for name, ratio in [*found, *(one for B_X in (2.0, 8.0) for one in steep_ratios(B_X))]:
        worst[name] = max(worst.get(name, 0.0), ratio)
    for name, value in worst.items():
        yield {"part": "lipschitz", "name": name, "value": value}
    for B_X in LENGTHS:
        yield {"part": "slope", "x": B_X, "value": lipschitz.steep_slope(201, B_X, 10.0)}


def _classes(
    rng: np.random.Generator, count: int
) -> dict[str, tuple[Float[np.ndarray, "f inputs outputs"], Callable[[float], float]]]:
    """Random members of tiny classes, on their spheres, and the bound for each class."""
    ball = rng.standard_normal((count, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    inputs = norms.project(rng.standard_normal((5, 3)) * 3)
    W = rng.standard_normal((count, 2, 2))
    W /= np.linalg.norm(W, axis=2).sum(axis=1)[:, None, None]
    tokens = norms.project(rng.standard_normal((2, 3, 2)) * 3)
    heads = [_head(rng) for _ in range(count)]
    QK, V = (max(norms.pq_norm(matrix, 2, 1) for matrix in group) for group in
             (([one.QK.T for one in heads]), ([one.V for one in heads])))  # fmt: skip
    head = HeadNorms(V, max(norms.spectral(one.V) for one in heads), QK)
    both = [(_head(rng), _head(rng)) for _ in range(count // 3)]
    layers = [_bounds([pair[i] for pair in both]) for i in range(2)]
    return {
        "linear": ((ball @ inputs.T)[..., None], lambda eps: cover_linear(1.0, 1.0, eps, 5)),
        "matrix": (np.einsum("fij,nj->fni", W, inputs[:, :2]), lambda eps: cover_matrix(1.0, 1.0, 2, 5, eps)),
        "head": (np.array([[lipschitz.attend(X, one)[0] for X in tokens] for one in heads]),
                 lambda eps: explicit_tf_head(head, d=2, k=2, m=2, T=3, eps=eps)),
        "two layers": (np.array([[lipschitz.network(X, pair)[0, :1] for X in tokens] for pair in both]),
                       lambda eps: explicit_deep(layers, 1.0, d=2, k=2, m=2, T=3, eps=eps)),
    }  # fmt: skip


def _head(rng: np.random.Generator) -> Layer:
    return lipschitz.random_layer(rng, 2, 2, 4.0)


def _bounds(layers: list[Layer]) -> LayerNorms:
    every = [vars(layer.norms()) for layer in layers]
    return LayerNorms(**{name: max(one[name] for one in every) for name in every[0]})


def _draw(i: int, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Weights, inputs and changes of random sizes; three draws of four change one matrix alone."""
    d, k, T = (int(n) for n in rng.integers((2, 1, 2), (5, 4, 7)))
    layer, only = lipschitz.random_layer(rng, d, k, _size(rng, -1, 1)), ("", "QK", "V", "C")[i % 4]
    other, B_X = lipschitz.nudged(layer, rng, _size(rng, -3, 0), only), _size(rng, -0.5, 1)
    Z = norms.project(2 * rng.standard_normal((T, d)))
    moved = norms.project(Z + _size(rng, -3, 0) * rng.standard_normal((T, d)))
    if only != "C":  # else nothing moves
        yield "4.7", _ratio(lipschitz.head_sides(B_X * Z, B_X * Z[0], layer, other))
        yield "A.13", _ratio(lipschitz.weight_sides(Z, layer, other))
    stretch = norms.longest_row(lipschitz.attend(B_X * Z, layer) - lipschitz.attend(B_X * moved, layer))
    stretch /= B_X * norms.longest_row(Z - moved)
    yield "A.14", stretch / lipschitz.input_slope(layer, B_X)
    yield "A.14, softmax constant 1", stretch / lipschitz.input_slope(layer, B_X, steepness=1.0)
    yield "A.15", _ratio(lipschitz.layer_sides(Z, moved, layer, other))
    w, w_other = rng.standard_normal((2, d))
    yield "A.16", _ratio(lipschitz.readout_sides(Z[0], moved[0], w, w + 0.1 * w_other))
    layers = [lipschitz.random_layer(rng, d, k, _size(rng, -1, 1)) for _ in range(3)]
    changed = [lipschitz.nudged(one, rng, _size(rng, -3, 0)) if j == i % 3 else one for j, one in enumerate(layers)]
    yield "A.17", _ratio(lipschitz.budget_sides(Z, layers, changed))


def steep_ratios(B_X: float, printed: bool = False) -> Iterator[tuple[str, float]]:
    """One dimension, tokens at both ends of a line: where lemmas for tokens of length 1 give way."""
    one = np.ones((1, 1))
    still, nudged = Layer(0 * one, 1e-3 * one, one), Layer(1e-6 * one, 1e-3 * one, one)
    ends, sharp = np.array([[B_X], [-B_X]]), Layer(10.0 * one, one, one)
    yield "4.7", _ratio(lipschitz.head_sides(ends, ends[0], still, nudged, printed))
    yield "A.14", lipschitz.steep_slope(201, B_X, 10.0) / lipschitz.input_slope(sharp, B_X, printed)
    # Activations that W_C reads, with sigma(x) = 3 x: as long as L_sigma, where the text has 1.
    longest = norms.longest_row(3.0 * norms.project(lipschitz.attend(ends, sharp)))
    yield "length of activations", longest / (1.0 if printed else 3.0)


def late_growth(printed: bool) -> float:
    """A.17 on two layers, the first small and the second large, with W_C of the first changed: left over right side."""
    rng = np.random.default_rng(5)
    layers = [lipschitz.random_layer(rng, 4, 4, 0.3), lipschitz.random_layer(rng, 4, 4, 6.0)]
    changed = [lipschitz.nudged(layers[0], rng, 1e-4, "C"), layers[1]]
    return _ratio(lipschitz.budget_sides(norms.project(rng.standard_normal((6, 4))), layers, changed, printed=printed))


def _ratio(sides: tuple[float, float]) -> float:
    return sides[0] / sides[1]


def _size(rng: np.random.Generator, low: float, high: float) -> float:
    return float(10 ** rng.uniform(low, high))
