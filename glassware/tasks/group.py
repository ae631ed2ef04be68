"""Multiplication in a finite group: all pairs (a, b), labelled by their product."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from glassware.foundation.arrays import Array, EitherArray, Int32, Key, LaneValues, UInt32
from glassware.foundation.backend import jnp
from glassware.tasks.task import Kind, Task
from glassware.theory.margins.groups import Group, from_table, named

Table = tuple[tuple[Annotated[int, Field(ge=0)], ...], ...]


class GroupMultiplication(Task):
    """Inputs are all ordered pairs (a, b) of elements of a group G, the class of a pair is ab: |G|^2 examples.

    Example i is the pair (i // |G|, i % |G|).

    Attributes:
        group: a name, as ``Z_71``, ``S_5``, ``D_4``, ``A_5``, ``Q_8`` or a product such as ``Z_2 x Z_4``; or a
            multiplication table, whose row a has the products ab.

    >>> import glassware as gw
    >>> task = gw.GroupMultiplication(group="S_4")
    >>> task.classes, task.domain
    (24, 576)
    """

    name: Literal["group"] = "group"
    group: str | Table

    kind: ClassVar[Kind] = "class"
    input_shape: ClassVar[tuple[int, ...]] = (2,)  # type: ignore[assignment]

    @field_validator("group", mode="after")
    @classmethod
    def _is_a_group(cls, group: str | Table) -> str | Table:
        if isinstance(group, str):
            return named(group).name
        _given(group)  # refuses what is no group
        return group

    @property
    def structure(self) -> Group:
        """The group itself."""
        return named(self.group) if isinstance(self.group, str) else _given(self.group)

    @property
    def classes(self) -> int:
        return self.structure.order

    @property
    def domain(self) -> int:
        return self.classes**2

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[EitherArray, " *batch"]:
        return index

    def inputs(self, values: LaneValues, raw: UInt32[EitherArray, " *batch"]) -> Int32[Array, "*batch 2"]:  # type: ignore[override]
        order = np.uint32(self.classes)
        return jnp.stack([raw // order, raw % order], axis=-1).astype(jnp.int32)

    def targets(self, values: LaneValues, raw: UInt32[EitherArray, " *batch"]) -> Int32[Array, " *batch"]:
        return jnp.asarray(self.structure.table.reshape(-1), jnp.int32)[raw]

    def columns(self, role: str) -> dict[str, object]:
        """A table given by hand is named by its order and a fingerprint."""
        found = super().columns(role)
        if not isinstance(self.group, str):
            mark = hashlib.sha256(self.structure.table.astype(np.int32).tobytes()).hexdigest()[:8]
            found["group"] = f"table of order {self.classes} ({mark})"
        return found


@lru_cache(maxsize=16)
def _given(table: Table) -> Group:
    if len({len(row) for row in table}) > 1:
        raise ValueError("a multiplication table is square; the rows of this one differ in length")
    return from_table(np.array(table))
