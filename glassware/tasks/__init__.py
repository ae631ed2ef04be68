"""Where examples come from."""

from glassware.tasks.parity import Parity
from glassware.tasks.sampling import Sampling, minibatch
from glassware.tasks.task import Kind, Task

# Every task a run can have, by the name it is given in specifications. A new one is one line here.
TASKS: dict[str, type[Task]] = {"parity": Parity}

__all__ = ["TASKS", "Kind", "Parity", "Sampling", "Task", "minibatch"]
