"""Juntas: T bits, of which s decide the label (dissertation, ch. 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Float, Int32, Key, LaneValues, UInt8, UInt32
from glassware.foundation.backend import jnp
from glassware.foundation.draws import Stream, draw, fold, stream_key, subset
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Values
from glassware.tasks.conjunctions import consistent
from glassware.tasks.task import Kind, Task
from glassware.tasks.truth import balancing, by_count, irrelevant_bits, probability

FUNCTIONS = ("and", "or", "parity", "majority", "threshold", "table")
CONJUNCTIONS = ("and", "or")  # OR is the AND of complements
MOST_RELEVANT = 16
MOST_DRAWS = 2000  # samples that are tried before a run gives up on a unique one


class Junta(Task):
    """x has T bits, each 1 with probability p, and the class y is a function f of the s bits at hidden positions I.

    Attributes:
        length: T.
        relevant: s.
        function: f: ``and``, ``or``, ``parity`` (class 1 where the number of ones is odd), ``majority`` (more ones than
            zeros), ``threshold`` (at least ``threshold`` ones), or any ``table``.
        threshold: ones that make a 1 (``threshold`` only).
        table: 2^s classes (``table`` only). Bit i of an entry's number is the value at the i-th position of I.
        p: probability of a 1; unless given, the one at which both classes are equally likely (of several the nearest to
            1/2; where there is none, 1/2).
        support: I itself, counted from 0, or None to let every run draw its own from its seed.
        unique: whether a sample of m examples that agrees with another AND (or OR) of s bits as well is drawn again;
            yes for these two functions unless told. The column ``rejected`` counts such samples.

    >>> import glassware as gw
    >>> task = gw.Junta(length=100, relevant=3, function="and")
    >>> round(task.bias, 4), task.unique
    (0.7937, True)
    """

    name: Literal["junta"] = "junta"
    length: Annotated[int, Field(ge=1, le=65_536)]
    relevant: Annotated[int, Field(ge=1, le=MOST_RELEVANT)] = 3
    function: Literal["and", "or", "parity", "majority", "threshold", "table"] = "and"
    threshold: int | None = None
    table: tuple[Annotated[int, Field(ge=0, le=1)], ...] | None = None
    p: Annotated[float, Field(ge=1e-6, le=1 - 1e-6)] | None = None
    support: tuple[int, ...] | None = None
    unique: bool | None = None

    kind: ClassVar[Kind] = "class"
    padded: ClassVar[bool] = True
    classes: ClassVar[int] = 2  # type: ignore[assignment]
    lane: ClassVar = {"support": None}
    # Names of their own: studies of other tasks compute columns called p, threshold or table.
    column: ClassVar = {"threshold": "ones_needed", "table": "truth_table", "p": "bit_bias", "unique": "unique_sample"}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.relevant > self.length:
            raise ValueError(f"relevant must be at most length = {self.length}, not {self.relevant}")
        for field in ("threshold", "table"):
            if (getattr(self, field) is None) == (self.function == field):
                belongs = "needs" if self.function == field else "has no"
                raise ValueError(f"the function '{self.function}' {belongs} {field}")
        if self.threshold is not None and not 1 <= self.threshold <= self.relevant:
            raise ValueError(f"threshold must be from 1 to relevant = {self.relevant}, not {self.threshold}")
        if self.table is not None:
            self._check_table(self.table)
        if self.support is not None:
            self._check_support(self.support)
        if self.unique and self.function not in CONJUNCTIONS:
            raise ValueError(f"unique is for the functions 'and' and 'or', not '{self.function}'")
        # The resolved specification says so, and a set has no order: spelt out or not, it is one run.
        object.__setattr__(self, "unique", self.function in CONJUNCTIONS if self.unique is None else self.unique)
        object.__setattr__(self, "support", None if self.support is None else tuple(sorted(self.support)))
        return self

    def _check_table(self, table: tuple[int, ...]) -> None:
        if len(table) != 2**self.relevant:
            raise ValueError(f"table must have 2^{self.relevant} = {2**self.relevant} entries, not {len(table)}")
        if idle := irrelevant_bits(table):
            raise ValueError(f"table must depend on all {self.relevant} bits; it ignores bit {idle[0]}")

    def _check_support(self, support: tuple[int, ...]) -> None:
        if len(set(support)) != self.relevant or len(support) != self.relevant:
            raise ValueError(f"support must name {self.relevant} different positions, not {list(support)}")
        if not all(0 <= i < self.length for i in support):
            raise ValueError(f"support must lie in 0..{self.length - 1}, not {list(support)}")

    def columns(self, role: str) -> dict[str, object]:
        return {**super().columns(role), "bit_bias": self.bias}

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (self.length,)

    @property
    def bias(self) -> float:
        """p, given or balancing."""
        return balancing(self._ones()) if self.p is None else self.p

    @property
    def balance(self) -> float:
        """The probability of class 1."""
        return probability(self._ones(), self.bias)

    @property
    def words(self) -> int:
        """32-bit words an example takes."""
        return -(-self.length // 32)

    def hidden_support(self, key: UInt32[np.ndarray, " 2"]) -> tuple[int, ...]:
        """I of the run with this key."""
        if self.support is not None:
            return self.support
        return subset(stream_key(key, Stream.SUPPORT), self.length, self.relevant)

    def hidden(self, key: UInt32[np.ndarray, " 2"]) -> Mapping[str, object]:
        return {"support": self.hidden_support(key)}

    def values(self, key: UInt32[np.ndarray, " 2"]) -> Values:
        return {"support": np.array(self.hidden_support(key), np.int32)}

    def sample_key(self, key: UInt32[np.ndarray, " 2"], m: int | None) -> UInt32[np.ndarray, " 2"]:
        """The key of the first sample that is unique, where that is asked for."""
        first, rejected = super().sample_key(key, m), self._rejected(key, m)
        return fold(first, rejected) if rejected else first

    def sample_columns(self, key: UInt32[np.ndarray, " 2"], m: int | None) -> Mapping[str, object]:
        return {"rejected": self._rejected(key, m)}

    def _rejected(self, key: UInt32[np.ndarray, " 2"], m: int | None) -> int:
        """How many samples of m agree with more than one AND (or OR) before one does not."""
        if m is None or not self.unique:
            return 0
        support = self.hidden_support(key)
        return _rejections(self.shape(), support, int(key[0]), int(key[1]), m)

    def bits(self, key: Key, index: UInt32[np.ndarray, " m"]) -> UInt8[np.ndarray, "m {self.length}"]:
        """Examples as bits, made by NumPy on the host."""
        if self.bias == 0.5:
            words = np.concatenate(_pairs(key, index, self.words), axis=-1)[:, : self.words]
            spread = (words[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
            return spread.reshape(len(index), -1)[:, : self.length].astype(np.uint8)
        words = np.concatenate(_pairs(key, index, self.length), axis=-1)[:, : self.length]
        return (words < self._limit).astype(np.uint8)

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch {self.words}"]:
        """Packed bits: a random word is 32 of them where p = 1/2, else each bit takes a word."""
        index = jnp.asarray(index, jnp.uint32)
        if self.bias == 0.5:
            return jnp.concatenate(_pairs(key, index, self.words), axis=-1)[..., : self.words]
        words = jnp.concatenate(_pairs(key, index, self.length), axis=-1)[..., : self.length]
        ones = jnp.pad((words < self._limit).astype(jnp.uint32), [(0, 0)] * index.ndim + [(0, -self.length % 32)])
        packed = ones.reshape(*index.shape, self.words, 32) << jnp.arange(32, dtype=jnp.uint32)
        return jnp.sum(packed, axis=-1, dtype=jnp.uint32)

    def inputs(self, values: LaneValues, raw: UInt32[Array, "*batch words"]) -> Float[Array, "*batch {self.length}"]:
        bits = (raw[..., :, None] >> jnp.arange(32, dtype=jnp.uint32)) & jnp.uint32(1)
        return bits.reshape(*raw.shape[:-1], self.words * 32)[..., : self.length].astype(jnp.float32)

    def targets(self, values: LaneValues, raw: UInt32[Array, "*batch words"]) -> Int32[Array, " *batch"]:
        place = values["support"]
        bits = (raw[..., place // 32] >> (place % 32).astype(jnp.uint32)) & jnp.uint32(1)
        weights, truth = self._truth()
        return jnp.asarray(truth, jnp.int32)[jnp.sum(bits * weights, axis=-1)]

    @property
    def _limit(self) -> np.uint32:
        return np.uint32(round(self.bias * 2**32))

    def _truth(self) -> tuple[UInt32[np.ndarray, " s"], UInt8[np.ndarray, " entries"]]:
        """Weights of the relevant bits, and f by their weighted sum: a count of ones, or an entry of the table."""
        if self.table is not None:
            return np.uint32(1) << np.arange(self.relevant, dtype=np.uint32), np.array(self.table, np.uint8)
        return np.ones(self.relevant, np.uint32), by_count(self.function, self.relevant, self.threshold)

    def _ones(self) -> tuple[int, ...]:
        return _ones(self.shape())


def _pairs(key: Key, index: UInt32[EitherArray, " *batch"], count: int) -> list[UInt32[EitherArray, "*batch half"]]:
    """At least ``count`` random words of every example, in two halves."""
    return list(draw(key, index[..., None], np.arange(-(-count // 2), dtype=np.uint32)))


@lru_cache(maxsize=256)
def _ones(task: Junta) -> tuple[int, ...]:
    """How many settings of the relevant bits with 0, 1, .., s ones have f = 1."""
    weights, truth = task._truth()
    settings = (np.arange(2**task.relevant)[:, None] >> np.arange(task.relevant)) & 1
    return tuple(np.bincount(settings.sum(axis=1), truth[settings @ weights], task.relevant + 1).astype(int).tolist())


@lru_cache(maxsize=2**14)
def _rejections(task: Junta, support: tuple[int, ...], low: int, high: int, m: int) -> int:
    index, example = np.arange(m, dtype=np.uint32), Task.sample_key(task, np.array([low, high], np.uint32), m)
    for attempt in range(MOST_DRAWS):
        x = task.bits(fold(example, attempt) if attempt else example, index)
        x = x if task.function == "and" else 1 - x
        y = np.asarray(x[:, support].all(axis=1), np.uint8)
        if y.any() and len(consistent(x, y, task.relevant)) == 1:
            return attempt
    raise GlasswareError(
        f"{MOST_DRAWS:,} samples of m = {m} all agree with a second {task.function.upper()} of {task.relevant} of "
        f"{task.length} bits: give more examples, or unique = false"
    )
