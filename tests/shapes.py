"""Checking the axes that stand in the types of the package (jaxtyping, beartype) whenever a test calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from beartype import beartype
from jaxtyping import install_import_hook

CHECKED = ["glassware.tasks", "glassware.models", "glassware.probes"]

# Names in an annotation that stand for arrays.
ARRAYS = ("Array", "ndarray", "Params", "LaneValues", "Numbers", "Found", "Key", "Entries")

Checked = TypeVar("Checked", type, Callable[..., object])


def with_axes(made: Checked, *_: object, **__: object) -> Checked:
    """A function of arrays checks them when it is called; everything else stays as it is."""
    hints = {} if isinstance(made, type) else getattr(made, "__annotations__", {})
    return beartype(made) if any(name in str(hint) for hint in hints.values() for name in ARRAYS) else made


def check_axes() -> None:
    """From now on, modules of these packages are imported with their checks."""
    install_import_hook(CHECKED, "tests.shapes.with_axes")
