"""What the kernel and XLA agree on: first weights, row order, learning rate; for NumPy and for JAX arrays alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from glassware.foundation.arrays import EitherArray, Float, Key, Number, Params, Shaped, UInt32, Whole
from glassware.foundation.draws import draw, ranking, unit
from glassware.tabular.recipe import Schedule

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # Adam's
WARM_UP = 0.05  # share of the steps in which a cosine schedule rises
LAST = np.uint32(0xFFFFFFFF)  # sorts behind every word that is drawn


class Backend(NamedTuple):
    """Where arrays live.

    Attributes:
        xp: ``numpy`` or ``jax.numpy``.
        draw: ``glassware.foundation.draws.draw``, or the same compiled.
    """

    xp: ModuleType
    draw: Callable[..., tuple[UInt32[EitherArray, "..."], UInt32[EitherArray, "..."]]]


XLA = Backend(jnp, draw)


def rate_factor(
    xp: ModuleType, schedule: Schedule, step: Float[EitherArray, " *steps"], steps: Number
) -> float | Float[EitherArray, " *steps"]:
    """What the schedule leaves of the learning rate at a step, counted from 1."""
    if schedule == "constant":
        return 1.0
    done = step / steps
    return xp.minimum(1.0, done / WARM_UP) * 0.5 * (1.0 + xp.cos(xp.pi * done))


def epoch_order(backend: Backend, key: Key, epoch: Whole, rows: Whole, slots: int) -> UInt32[EitherArray, " slots"]:
    """Slots in the order of an epoch: the first ``rows`` shuffled, then, where sizes are fixed, the padding."""
    xp = backend.xp
    places = xp.arange(rows if xp is np else slots, dtype=np.uint32)
    words, _ = backend.draw(key, xp.full_like(places, epoch), places)
    words = xp.where(places < xp.uint32(rows), words >> 1, LAST)
    # Sorting words that carry their slot is five times as fast as an argsort.
    return xp.sort(ranking(words, places, slots)) & np.uint32((1 << (slots - 1).bit_length()) - 1)


def first_weights(
    backend: Backend,
    sizes: tuple[int, ...],
    keys: UInt32[EitherArray, "2*layers 2"],
    features: Whole,
    sparsity: Whole,
    start: Mapping[str, Shaped[EitherArray, "..."]] | None = None,
) -> Params:
    """Uniform on +-1/sqrt(fan_in), as PyTorch's linear layers, but for a sparse first layer.

    Not ``glassware.models.init``: here tables of fewer columns are padded to share a program, padded columns count
    neither for fan_in nor for sparse draws, and neurons may start where a forest splits.

    Args:
        backend: where the weights are made.
        sizes: inputs (with padding), hidden widths, outputs.
        keys: from :func:`glassware.tabular.network.layer_keys`.
        features: how many inputs are real (may be traced). A weight is drawn by its address, so padding changes none.
        sparsity: incoming weights of a first-layer neuron that are 1 while the others are 0; 0: dense (may be traced).
        start: a sparse first layer drawn on the host (:mod:`glassware.tabular.start`), which replaces the one drawn
            here unless the network is dense.
    """
    xp, layers = backend.xp, []
    for i, (rows, columns) in enumerate(pairwise(sizes)):
        down, across = xp.arange(rows, dtype=np.uint32)[:, None], xp.arange(columns, dtype=np.uint32)
        scale = 1 / xp.sqrt(xp.float32(rows if i else features))
        words, others = backend.draw(keys[2 * i], across, down)
        weight = (2 * unit(words) - 1) * scale
        bias = (2 * unit(backend.draw(keys[2 * i + 1], across, xp.zeros_like(across))[0]) - 1) * scale
        if i == 0:
            real = down < xp.uint32(features)
            if start is None:
                score = xp.where(real, ranking(others >> 1, down, rows), LAST)
                last = xp.maximum(xp.minimum(sparsity, features) - 1, 0)
                ones = (score <= xp.take(xp.sort(score, axis=0), last, axis=0)).astype(np.float32)
            else:
                ones, bias = _scattered(xp, start, rows), xp.where(sparsity > 0, start["bias"], bias)
            weight = xp.where(real, xp.where(sparsity > 0, ones, weight), np.float32(0))
        layers.append({"w": weight, "b": bias})
    return tuple(layers)


def _scattered(
    xp: ModuleType, start: Mapping[str, Shaped[EitherArray, "..."]], rows: int
) -> Float[EitherArray, "{rows} neurons"]:
    """The weights of each neuron at its columns; columns past the last are dropped."""
    columns, weights, width = start["columns"], start["weights"], len(start["bias"])
    neurons = np.arange(width)[:, None]
    if xp is np:
        found = np.zeros((rows + 1, width), np.float32)
        found[np.minimum(columns, rows), neurons] = weights
        return found[:rows]
    return xp.zeros((rows, width), np.float32).at[columns, neurons].set(weights, mode="drop")
