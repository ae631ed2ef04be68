"""Names for arrays, whose axes stand in the types: ``Float[Array, "batch n"]`` (jaxtyping).

Whoever only writes or reads specifications waits neither for JAX nor for jaxtyping. A type checker sees JAX's class; at
run time anything with a shape and a dtype is an array (NumPy's, JAX's, or a tracer), and axes are read only where
jaxtyping has been imported before, as in the tests: they check the axes of every call of the tasks, models and probes
(``tests/shapes.py``).

The axes, wherever they occur: ``lanes`` runs side by side, ``batch`` examples, ``n`` inputs, ``width`` hidden units,
``words`` of 32 packed inputs each, ``steps`` or ``points`` along a run. A star stands for any number of axes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import (
        Bool,
        Float,
        Float16,
        Float32,
        Float64,
        Int,
        Int32,
        Int64,
        Integer,
        Num,
        Shaped,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
    )
else:

    class _Unchecked:
        """``Float[Array, "batch n"]`` is ``Array``."""

        def __class_getitem__(cls, given: tuple[type, str]) -> type:
            return given[0]

    Bool = Float = Float16 = Float32 = Float64 = Num = Shaped = _Unchecked
    Int = Int32 = Int64 = Integer = UInt8 = UInt16 = UInt32 = UInt64 = _Unchecked

if TYPE_CHECKING:
    import jax

    Array: TypeAlias = jax.Array
    EitherArray: TypeAlias = jax.Array | np.ndarray  # of JAX or of NumPy
else:

    class _Shaped(type):
        def __instancecheck__(cls, thing: object) -> bool:
            return hasattr(thing, "shape") and hasattr(thing, "dtype")

    class Array(metaclass=_Shaped):
        """Whatever has a shape and a dtype."""

    EitherArray = Array

Key: TypeAlias = UInt32[EitherArray, " 2"]  # of a stream of random words
Number: TypeAlias = float | int | np.floating | Num[EitherArray, ""]  # one number, given or traced
Whole: TypeAlias = int | np.integer | Integer[EitherArray, ""]  # the same, without a fraction

# One dictionary of arrays per layer; where affine, "w" (in, out) and "b". A leaf is named by its place: ``0.w``.
Params: TypeAlias = tuple[Mapping[str, Shaped[EitherArray, "..."]], ...]

LaneValues: TypeAlias = Mapping[str, Shaped[Array, "..."]]  # of one part of a run: traced when it is compiled


class RunValues(TypedDict, total=False):
    """Lane values of a run; where runs lie side by side every array has one more axis in front, ``lanes``."""

    m: Integer[Array, "*lanes"]  # size of the sample; 0: online
    steps: Int32[Array, "*lanes"]
    success: Float[Array, "*lanes"]  # the threshold
    stop: Bool[Array, "*lanes"]
    loss: Int32[Array, "*lanes"]
    degree: Int32[Array, "*lanes"]
    keys: Mapping[str, UInt32[Array, "*lanes 2"]]  # ``order``, ``example``, ``noise``; ``dropout`` where there is any
    task: LaneValues
    init: LaneValues
    optimiser: LaneValues
    penalty: Float[Array, "*lanes penalties"]
    keep: Int32[Array, "*lanes steps"]
    start: Mapping[str, Shaped[Array, "..."]]  # kept weights, by name


__all__ = [
    "Array", "Bool", "EitherArray", "Float", "Float16", "Float32", "Float64", "Int", "Int32", "Int64", "Integer", "Key",
    "LaneValues", "Num", "Number", "Params", "RunValues", "Shaped", "UInt8", "UInt16", "UInt32", "UInt64", "Whole",
]  # fmt: skip
