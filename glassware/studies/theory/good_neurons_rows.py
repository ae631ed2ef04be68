"""Rows of ``good_neurons`` that no run gives: neurons counted, their first gradients, and the luck of first weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import jax
import numpy as np

from glassware.models import Model
from glassware.tasks import Parity, Task
from glassware.theory.pareto.sparse_gradients import sparse_gradient
from glassware.training import Run

COUNTED = ((14, 4, 7), (14, 4, 2), (12, 6, 4), (12, 3, 2))  # n, k, s
Row = dict[str, object]


def frequency_rows() -> list[Row]:
    """Of all neurons with s ones, the share whose ones contain S, or lie inside it."""
    rows: list[Row] = []
    for n, k, s in COUNTED:
        support = set(range(k))
        neurons = [set(ones) for ones in combinations(range(n), s)]
        share = sum(support <= ones or ones <= support for ones in neurons) / len(neurons)
        rows.append({"part": "frequency", "n": n, "k": k, "s": s, "share": share})
    return rows


def gradient_rows() -> list[Row]:
    """Distance of the gradients of all two-hot neurons at n = 8 from what is stated, for k = 3, 4, 5."""
    rows: list[Row] = []
    for k in (3, 4, 5):
        gaps = []
        for ones in combinations(range(8), 2):
            for bias in (-0.3, 0.3):
                expected = np.zeros(8)
                if k == 3 and set(ones) <= set(range(k)):
                    expected[({0, 1, 2} - set(ones)).pop()] = -0.25 * np.sign(bias)
                gaps.append(np.abs(sparse_gradient(8, range(k), ones, bias) - expected).max())
        rows.append({"part": "gradient", "n": 8, "k": k, "gap": float(max(gaps))})
    return rows


def luck_rows(runs: Sequence[Run]) -> list[Row]:
    """Lucky neurons in the initial weights of every run."""
    return [
        {"part": "luck", "n": run.task.input_size, "k": 3, "width": run.model.widths[0], "seed": run.seed,
         "lucky": lucky_neurons(run)}
        for run in runs
    ]  # fmt: skip


@cache
def _first_weights(network: Model, task: Task) -> Callable[[Any], Any]:
    """Initial weights of the first layer, compiled once per shape: operation by operation it takes seconds."""
    return jax.jit(lambda init: network.init(init, task)[0]["w"])


def lucky_neurons(run: Run) -> int:
    """Neurons of a run whose ones lie in its S, before it is trained."""
    task = run.task
    assert isinstance(task, Parity)
    weights = np.asarray(_first_weights(run.network, task.shape())(run.values()["init"]))  # (n, r)
    return int(np.sum(weights[list(task.hidden_support(run.key()))].sum(axis=0) == 2))
