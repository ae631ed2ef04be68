"""Starting from the weights that another run has kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from glassware.foundation.backend import jax
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Part, Values
from glassware.models.model import Model, named_leaves
from glassware.tasks import Task

# A step at which weights are kept: before the first, after the last, or one of those at which a run is examined.
KeptStep: TypeAlias = Annotated[int, Field(ge=0, lt=2**31)] | Literal["first", "final"]


class Start(Part):
    """The kept weights a run starts from, in place of drawn ones: to rewind, to continue, or to transplant a layer.

    The run counts its own steps from 0 and its optimiser starts afresh.

    Attributes:
        run: id of the run that kept them, in the same store.
        step: which of the kept ones.
        leaves: names of the arrays that are taken, as ``*`` (all), ``0.*`` (the first layer) or ``*.w``; the others are
            drawn as usual.

    >>> import glassware as gw
    >>> gw.Start(run="4d742f0c1a2b3c4d5e6f", step="final", leaves=("0.*",)).takes("0.w")
    True
    """

    run: Annotated[str, Field(pattern="^[0-9a-f]{20}$")]
    step: KeptStep = "final"
    leaves: Annotated[tuple[str, ...], Field(min_length=1)] = ("*",)

    lane: ClassVar = {"run": "0" * 20, "step": "final"}
    column: ClassVar = {"run": "start_run", "step": "start_step", "leaves": "start_leaves"}

    def columns(self, role: str) -> dict[str, Any]:
        return {**super().columns(role), "start_step": str(self.step)}

    def takes(self, leaf: str) -> bool:
        """Whether the array of this name is taken."""
        return any(fnmatchcase(leaf, pattern) for pattern in self.leaves)

    def weights(self, model: Model, task: Task, init: Values, load: Load | None) -> dict[str, np.ndarray]:
        """The kept weights that are taken, by name, checked against the shapes of the run's own network.

        Args:
            model, task: those of the run that starts.
            init: its lane values of ``Init``.
            load: finds the kept weights; without it they are zeros of the right shape.
        """
        drawn = named_leaves(jax.eval_shape(lambda init: model.init(init, task), init))
        wanted = {name: leaf for name, leaf in drawn.items() if self.takes(name)}
        if not wanted:
            raise GlasswareError(f"start.leaves {list(self.leaves)} match no weights; {', '.join(drawn)}")
        if load is None:
            return {name: np.zeros(leaf.shape, np.float32) for name, leaf in wanted.items()}
        found = load(self)
        for name, leaf in wanted.items():
            if name not in found or found[name].shape != leaf.shape:
                kept = f"{found[name].shape}" if name in found else "missing"
                raise GlasswareError(
                    f"the weights '{name}' of run {self.run} are {kept}; this network's are {leaf.shape}"
                )
        return {name: np.asarray(found[name], np.float32) for name in wanted}


Load: TypeAlias = Callable[[Start], Mapping[str, np.ndarray]]  # finds kept weights, by name
