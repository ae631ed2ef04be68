"""A linear readout, solved: what can be read off the features of a network, whatever its own last layer has learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, SerializeAsAny

from glassware.foundation.arrays import Array, Float, Params
from glassware.foundation.bounds import Positive
from glassware.foundation.part import Part, registered
from glassware.models.model import Model
from glassware.models.solved import Blocks, Predictor, Solved
from glassware.tasks.task import Task

MOST_FEATURES = 110_000  # their Gram matrix takes 97 GB in float64


def _networks() -> Mapping[str, type[Part]]:
    from glassware.models import MODELS

    return {name: model for name, model in MODELS.items() if not model.solved}


class Readout(Solved):
    """f(x) = u . phi(x) + c by ridge regression on the features phi of a network that stays as it is.

    The network's weights before its last layer are drawn as those of a run that trains it, or are taken from a run that
    has kept them (``start``): a readout after one step, after many, or of features fixed in advance.

    Attributes:
        network: whose features, what its last layer combines.
        units: how many of them, the first ones; all unless given.
        ridge: relative to the mean square of a feature, the constant included.

    >>> import glassware as gw
    >>> run = gw.Run(task=gw.Parity(n=10, k=2), m=1000, model=gw.Readout(network=gw.MLP(width=300)))
    >>> gw.train(run)["test_error"] < 0.1
    True
    """

    name: Literal["readout"] = "readout"
    network: Annotated[SerializeAsAny[Model], registered("network", _networks, "mlp")]
    units: Annotated[int, Field(ge=1)] | None = None
    ridge: Positive = 1e-5

    drawn: ClassVar[bool] = True

    @property
    def widths(self) -> tuple[int, ...]:
        return self.network.widths

    def count(self, task: Task) -> int:
        """How many features are read, the constant apart."""
        return self.units or self.network.feature_count(task)

    def sees(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch seen"]:
        return self.network.features(params, x)[..., : self.units]

    def solve(self, blocks: Blocks) -> Predictor:
        """Only sums over the examples are held, so that a sample may be larger than the memory."""
        gram, moment = np.zeros((0, 0)), np.zeros(0)
        for seen, y in blocks:
            phi = _with_one(seen)
            if not len(moment):
                gram, moment = np.zeros((phi.shape[1],) * 2), np.zeros(phi.shape[1])
            gram += phi.T @ phi
            moment += phi.T @ y
        gram[np.diag_indices_from(gram)] += self.ridge * np.trace(gram) / len(gram)
        weights = np.linalg.solve(gram, moment)
        return lambda seen: _with_one(seen) @ weights

    def held_bytes(self, task: Task, m: int) -> int:
        """The Gram matrix and its factors."""
        return 16 * (self.count(task) + 1) ** 2

    def solve_flops(self, task: Task, m: int, test: int) -> float:
        """The sums, a factorisation, and the features of all examples."""
        count = self.count(task) + 1
        return m * float(count) ** 2 + count**3 / 3 + self.network.forward_flops(task, 2 * m + test)

    def check(self, task: Task, m: int, scheme: str) -> None:
        if type(self.network).features is Model.features:
            raise ValueError(f"the model '{self.network.name}' has no last layer that a readout could replace")
        self.network.check(task, scheme)
        known, count = self.network.feature_count(task), self.count(task)
        if count > known:
            raise ValueError(f"model.units must be at most the {known} features of '{self.network.name}', not {count}")
        if count > MOST_FEATURES:
            raise ValueError(f"a readout is solved from at most {MOST_FEATURES} features, not {count}")


def _with_one(seen: Float[np.ndarray, "batch seen"]) -> Float[np.ndarray, "batch seen+1"]:
    return np.hstack([seen, np.ones((len(seen), 1))])
