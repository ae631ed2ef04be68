"""Which examples a run trains on and which are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassware.foundation.arrays import RunValues
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import held_out_key
from glassware.tasks import minibatch
from glassware.tasks.sampling import shuffled
from glassware.training.run import Run
from glassware.training.state import Examination

if TYPE_CHECKING:
    from jax import Array

LARGEST_TABLE = 2**16  # examples of a finite domain whose order a lane holds in memory: 256 KiB


class Examples:
    """The examples of one shape. ``values`` are the lane values of one run, ``order`` is what it got from ``order``."""

    def __init__(self, shape: Run) -> None:
        self.shape, self.task = shape, shape.task
        # Examples keep the order of their numbers where they are endless, and where every step takes the whole domain.
        self._shuffles = self.task.domain is not None and not (shape.m is None and shape.batch == "full")

    @property
    def whole_domain(self) -> bool:
        """Whether every step takes all examples of a finite domain, in the order of their numbers."""
        return self.task.domain is not None and not self._shuffles

    def order(self, values: RunValues) -> Array | None:
        """A finite domain in the run's own order: the run trains on the first m examples, the others are held out.

        It is made once per run, since a step would spend more time on shuffling than on a small network. None where
        nothing is shuffled, or where the domain is too large for a table: places are then shuffled when they are used.
        """
        domain = self.task.domain or 0
        if not self._shuffles or domain > LARGEST_TABLE:
            return None
        return self._shuffled(values, jnp.arange(domain, dtype=jnp.uint32))

    def batch(self, values: RunValues, t: Array | int, order: Array | None) -> tuple[Array, Array]:
        """Inputs and targets of the minibatch of step ``t``."""
        size = self.shape.batch_size
        if self.shape.batch == "full":
            place = jnp.arange(size, dtype=jnp.uint32)
        else:
            place = minibatch(self.shape.sampling, values["keys"]["order"], t, size, values["m"])
        return self.training(values, place, order)

    def training(self, values: RunValues, place: Array, order: Array | None) -> tuple[Array, Array]:
        """Inputs and targets at these places of the run's sample."""
        task, keys = self.task, values["keys"]
        index = self._index(values, place, order)
        raw = task.raw(keys["example"], index)
        targets = task.train_targets(values["task"], keys["noise"], index, raw)
        return task.inputs(values["task"], raw), targets

    def left_over(self, values: RunValues, place: Array, order: Array | None) -> tuple[Array, Array]:
        """Inputs and targets at these places of a finite domain in the run's order, without label noise."""
        raw = self.task.raw(values["keys"]["example"], self._index(values, place, order))
        return self.task.inputs(values["task"], raw), self.task.targets(values["task"], raw)

    def held_out(self, block: int) -> Examination | None:
        """Draw the held-out sample: ``test`` examples of a stream that no run trains on, padded to whole blocks."""
        task = self.task
        if task.domain is not None:
            return None
        blocks = -(-self.shape.evaluation.test // block)
        index = jnp.arange(blocks * block, dtype=jnp.uint32)
        raw = task.held_out(held_out_key(), index)
        raw = jax.tree.map(lambda a: a.reshape(blocks, block, *a.shape[1:]), raw)
        return Examination(raw, None if task.hidden_inputs else jax.vmap(lambda raw: task.inputs({}, raw))(raw))

    def _index(self, values: RunValues, place: Array, order: Array | None) -> Array:
        """The number of the example at a place of the run's sample; past the end of a finite domain, of its last."""
        if self.task.domain is not None:
            place = jnp.minimum(place, jnp.uint32(self.task.domain - 1))
        if not self._shuffles:
            return place
        return self._shuffled(values, place) if order is None else order[place]

    def _shuffled(self, values: RunValues, place: Array) -> Array:
        return shuffled(values["keys"]["example"], jnp.uint32(0), place, jnp.uint32(self.task.domain))
