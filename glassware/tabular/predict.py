"""Outputs of an ensemble with NumPy: the networks of a kind together, a part of the rows at a time on each core."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController  # comes with scikit-learn

from glassware.engine.device import cores
from glassware.foundation.arrays import Float, Float64, Int, Params
from glassware.tabular.network import View

PART = 256  # rows whose activations stay in a core's cache
# Single precision is twice as fast, but a row's products then depend, in the seventh digit, on rows beside it. A few
# rows are predicted in double precision, so that it makes no difference whether they come alone.
FEW_ROWS = 512


class _Group(NamedTuple):
    """Networks that read the same and have the same sizes, stacked.

    Attributes:
        view: what they read.
        places: theirs in the ensemble.
        layers: weights (networks, in, out) and biases (networks, 1, out).
    """

    view: View
    places: Int[np.ndarray, " networks"]
    layers: list[tuple[np.ndarray, np.ndarray]]

    def outputs(self, X: Float64[np.ndarray, "rows inputs"]) -> Float[np.ndarray, "networks rows outputs"]:
        (first, bias), *rest = self.layers
        z = np.matmul(self.view.transform(X).astype(first.dtype), first)
        z += bias
        for weights, bias in rest:
            np.maximum(z, 0.0, out=z)
            z = np.matmul(z, weights)
            z += bias
        return z


def outputs(
    members: Sequence[Params], views: Sequence[View], X: Float64[np.ndarray, "rows inputs"]
) -> Float64[np.ndarray, "members rows outputs"]:
    """Outputs of each network.

    Args:
        members: networks.
        views: what each of them reads of the rows.
        X: encoded rows, not yet scaled.
    """
    groups = _groups(members, views, np.float64 if len(X) <= FEW_ROWS else np.float32)
    found = np.empty((len(members), len(X), members[0][-1]["b"].shape[0]))

    def fill(start: int) -> None:
        part = slice(start, start + PART)
        for group in groups:
            found[group.places, part] = group.outputs(X[part])

    with _one_thread_each:
        if len(X) <= FEW_ROWS:
            for start in range(0, len(X), PART):
                fill(start)
        else:
            with ThreadPoolExecutor(cores(), "glassware") as pool:
                list(pool.map(fill, range(0, len(X), PART)))
    return found


def _groups(members: Sequence[Params], views: Sequence[View], kind: type[np.floating]) -> list[_Group]:
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, (params, view) in enumerate(zip(members, views, strict=True)):
        alike.setdefault((id(view), *(layer["w"].shape for layer in params)), []).append(place)
    found = []
    for places in alike.values():
        stacked = [
            (
                np.stack([layer["w"] for layer in layers]).astype(kind),
                np.stack([layer["b"] for layer in layers])[:, None].astype(kind),
            )
            for layers in zip(*(members[place] for place in places), strict=True)
        ]
        found.append(_Group(views[places[0]], np.array(places), stacked))
    return found


class _OneThreadEach:
    """Matrix products on the thread that asks for them: our threads take parts of the rows, and a library's own would
    compete with them. The limit is the process's: the first to predict sets it, the last one lifts it."""

    def __init__(self) -> None:
        self.users, self.lock = 0, threading.Lock()

    def __enter__(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.limit = _libraries().limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                self.limit.restore_original_limits()


_one_thread_each = _OneThreadEach()


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()  # looking for them takes milliseconds
