"""Whether targets are what a task of their kind has."""

from __future__ import annotations

from typing import Any

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.tasks.task import Task

LISTED = 4  # different values that a sentence names


def check_targets(task: Task, method: str, y: Any, count: int) -> None:
    """Raise a GlasswareError of one sentence unless these are targets of so many examples."""
    name = f"{type(task).__name__}.{method}"
    if not hasattr(y, "shape"):
        raise GlasswareError(f"{name} gives {'None' if y is None else f'a {type(y).__name__}'}, not an array")
    shape, found = tuple(y.shape), np.asarray(y)
    axes = "(examples, positions)" if task.kind == "sequence" else "(examples,)"
    wanted = 2 if task.kind == "sequence" else 1
    distributions = task.kind != "sign" and len(shape) == wanted + 1 and shape[-1] == task.classes
    if shape[:1] != (count,) or not (len(shape) == wanted or distributions):
        raise GlasswareError(
            f"{name} gives an array of shape {shape} for {count} examples; targets of kind '{task.kind}' are {axes}"
        )
    if not np.all(np.isfinite(found.astype(float))):
        raise GlasswareError(f"{name} gives numbers that are not finite")
    if distributions:
        if np.any(found < 0) or not np.allclose(found.sum(axis=-1), 1, atol=1e-3):
            raise GlasswareError(f"{name} gives {shape[-1]} numbers per target; they are a distribution: 0 to 1, sum 1")
    elif task.kind == "sign":
        if found.dtype == bool or not set(np.unique(found).tolist()) <= {1, -1}:
            raise GlasswareError(f"{name} gives {_values(found)}; a task of kind 'sign' has targets +1 and -1")
    else:
        _check_classes(task, name, found)


def _check_classes(task: Task, name: str, found: np.ndarray) -> None:
    kind, low = task.kind, -np.inf if task.kind == "sequence" else 0
    if np.any(found != np.floor(found.astype(float))) or found.max() >= task.classes or found.min() < low:
        also = "; below 0: not counted" if kind == "sequence" else ""
        raise GlasswareError(
            f"{name} gives {_values(found)}; a task of kind '{kind}' with {task.classes} classes has whole targets "
            f"from 0 to {task.classes - 1}{also}"
        )
    if found.max() < 0:
        raise GlasswareError(f"{name} gives no target that counts: all are below 0")


def _values(found: np.ndarray) -> str:
    """The different values, or their range where they are many."""
    different = np.unique(found).tolist()
    if len(different) > LISTED:
        return f"numbers from {different[0]:g} to {different[-1]:g}"
    words = [str(value) if isinstance(value, bool) else f"{value:g}" for value in different]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
