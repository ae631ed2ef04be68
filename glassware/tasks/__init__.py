"""Where examples come from."""

from glassware.tasks.parity import Parity
from glassware.tasks.sampling import Sampling, minibatch
from glassware.tasks.task import Task

# Every task a run can have, by the name it is given in specifications. A new one is one line here. All of them have
# signs for inputs and hidden coordinates, which a run's columns and probes speak of: they are subclasses of Parity.
TASKS: dict[str, type[Parity]] = {"parity": Parity}

__all__ = ["TASKS", "Parity", "Sampling", "Task", "minibatch"]
