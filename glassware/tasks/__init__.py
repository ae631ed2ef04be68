"""Where examples come from."""

from glassware.tasks.parity import Parity
from glassware.tasks.sampling import Sampling, minibatch
from glassware.tasks.task import Task

__all__ = ["Parity", "Sampling", "Task", "minibatch"]
