"""Sums over the program instances that share a network.

An exchanged number carries the turn in its two lowest bits, so a reader knows by the number itself whether it is this
turn's: no flags, no fences, no clearing. Two buffers suffice: who writes turn t has read all of turn t - 1, so all have
finished reading turn t - 2, whose place it takes. The sum is taken in a fixed order and is equal bit for bit in every
instance, so that all take the same decisions. Where there are many, the first of every group adds up its group.

A look at the others must have an entry for every thread: with fewer, several threads look at the same place, may see
different things there, and what the compiler takes for one number is two. Rows that are nobody's make up for it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.kernels.kinds import Count, Flag, Made, Meanwhile, Memory, PerExample
from glassware.foundation.arrays import Array, Int32

DIRECT = 128  # the most instances of which everyone reads everyone; two legs take longer (measured at 79)
GROUP = 16  # instances that one leader sums where there are more


def places(slices: int, least: int) -> int:
    """Rows of a lane's exchange buffer: one an instance, then one a group where there are groups.

    ``least`` is how many rows a look has at least.
    """
    groups = -(-slices // GROUP)
    return _room(slices, least) if slices <= DIRECT else groups * GROUP + _room(groups, least)


def _room(size: int, least: int) -> int:
    """Rows of a look: a power of two."""
    return 1 << (max(size, least) - 1).bit_length()


def nothing() -> None:
    """Nothing to do meanwhile."""


class Exchange:
    """The exchange of one instance: ``part`` of ``slices`` that hold the network of ``lane``."""

    def __init__(self, slices: int, least: int, buffer: Memory, lane: Count, part: Count) -> None:
        self.slices, self.least, self.buffer, self.lane, self.part = slices, least, buffer, lane, part

    def sum(self, share: PerExample, turn: Count, meanwhile: Meanwhile[Made]) -> tuple[PerExample, Count, Made]:
        """The sum of all instances' ``share``, the next turn, and what was made while the others were awaited.

        A share takes about a microsecond to arrive everywhere: work that does not need the sum goes there.
        """
        if self.slices == 1:
            return share, turn, meanwhile()
        self._publish(self.part, share, turn)
        made = meanwhile()
        if self.slices <= DIRECT:
            return self._gather(0, _room(self.slices, self.least), self.slices, share, turn), turn + 1, made
        groups = -(-self.slices // GROUP)
        first, group = self.part - self.part % GROUP, self.part // GROUP

        def lead() -> PerExample:
            total = self._gather(first, GROUP, jnp.minimum(self.slices - first, GROUP), share, turn)
            self._publish(groups * GROUP + group, total, turn)
            return total

        jax.lax.cond(self.part % GROUP == 0, lead, lambda: share)
        return self._gather(groups * GROUP, _room(groups, self.least), groups, share, turn), turn + 1, made

    def _publish(self, place: Count, share: PerExample, turn: Count) -> None:
        bits = jax.lax.bitcast_convert_type(share, jnp.int32)
        plt.store(self.buffer.at[self.lane, turn & 1, place], (bits & ~3) | (turn & 3))

    def _gather(self, first: Count | int, room: int, count: Count | int, share: PerExample, turn: Count) -> PerExample:
        """Wait for ``count`` rows of this turn and add them up; ``room`` is a power of two."""
        tag = turn & 3
        present = jax.lax.broadcasted_iota(jnp.int32, (room, share.shape[0]), 0) < count

        def look(_: Int32[Array, "room block"] | None) -> Int32[Array, "room block"]:
            place = self.buffer.at[self.lane, turn & 1, pl.ds(first, room)]
            return plt.load(place, mask=present, other=tag, volatile=True)

        def waiting(seen: Int32[Array, "room block"]) -> Flag:
            return jnp.max(jnp.where((seen & 3) == tag, 0, 1)) > 0

        seen = jax.lax.while_loop(waiting, look, look(None))
        return jnp.sum(jnp.where(present, jax.lax.bitcast_convert_type(seen & ~3, jnp.float32), 0.0), axis=0)
