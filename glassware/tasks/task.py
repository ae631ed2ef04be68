"""What every task offers: examples as a pure function of their address."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from glassware.draws import Words
from glassware.part import Part, Values


class Task(Part):
    """Where examples come from. ``raw`` is the task's compact form of a batch (packed bits, row numbers, tokens)."""

    @property
    @abstractmethod
    def input_size(self) -> int:
        """Length of one input vector."""

    @abstractmethod
    def values(self, seed: int) -> Values:
        """Lane values of the run with this seed, drawn or given (host side)."""

    @abstractmethod
    def raw(self, key: Words, index: Any) -> Any:
        """The examples at these indices of a stream, in compact form. ``index``: uint32 (batch,)."""

    @abstractmethod
    def inputs(self, raw: Any) -> Any:
        """Compact examples to model inputs, float32 (batch, input_size)."""

    @abstractmethod
    def targets(self, values: Any, raw: Any) -> Any:
        """True labels of compact examples, float32 (batch,)."""

    def train_targets(self, values: Any, noise_key: Words, index: Any, raw: Any) -> Any:
        """Labels as the learner sees them; a task with label noise overrides this."""
        return self.targets(values, raw)
