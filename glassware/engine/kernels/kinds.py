"""Names for the arrays of a kernel. Axes: ``block`` examples, ``rows`` units of a row tile, ``columns`` inputs of a
column tile; scalars belong to one lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypedDict, TypeVar

import jax

from glassware.foundation.arrays import Array, Bool, Float16, Float32, Int32, Shaped, UInt32

Scalar: TypeAlias = Float32[Array, ""]
Count: TypeAlias = Int32[Array, ""]  # a step, a turn, a number of rows
Flag: TypeAlias = Bool[Array, ""]
Word: TypeAlias = UInt32[Array, " block"]  # a word of every example
Words: TypeAlias = list[Word]
PerExample: TypeAlias = Float32[Array, " block"]
Inputs: TypeAlias = list[Float16[Array, "block columns"]]  # one array per column tile
PerUnit: TypeAlias = Float32[Array, " rows"]
Sums: TypeAlias = Float32[Array, "rows block"]
Tile: TypeAlias = tuple[Float32[Array, "rows columns"], ...]  # weights held times SCALE, one array per column tile
Memory: TypeAlias = Shaped[jax.Ref, "..."]  # an array outside the kernel, which it reads and writes

Made = TypeVar("Made")
Meanwhile: TypeAlias = Callable[[], Made]  # work done while others are awaited


class Lane(TypedDict):
    """The lane values of one run, as its kernel has read them."""

    order: tuple[UInt32[Array, ""], UInt32[Array, ""]]  # keys
    example: tuple[UInt32[Array, ""], UInt32[Array, ""]]
    noise_key: tuple[UInt32[Array, ""], UInt32[Array, ""]]
    lr: Scalar
    keep: Scalar  # what weight decay leaves of a weight per step
    noise: Scalar
    success: Scalar
    m: UInt32[Array, ""]
    steps: Count
    stop: Count
    fresh: Count
    loss: Count
    degree: Count
    mask: list[UInt32[Array, ""]]
