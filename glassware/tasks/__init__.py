"""Where examples come from."""

from glassware.tasks.cube import CubeParity
from glassware.tasks.digits import DigitStrip
from glassware.tasks.group import GroupMultiplication
from glassware.tasks.junta import Junta
from glassware.tasks.leaky import LeakyParity
from glassware.tasks.markov import MarkovChain
from glassware.tasks.parity import Parity
from glassware.tasks.sampling import Sampling, minibatch
from glassware.tasks.signs import Signs
from glassware.tasks.task import Kind, Task

# Every task a run can have, by the name it is given in specifications. A new one is one line here.
TASKS: dict[str, type[Task]] = {
    "parity": Parity,
    "leaky-parity": LeakyParity,
    "digit-strip": DigitStrip,
    "group": GroupMultiplication,
    "cube-parity": CubeParity,
    "markov-chain": MarkovChain,
    "junta": Junta,
}

__all__ = [
    "TASKS",
    "CubeParity",
    "DigitStrip",
    "GroupMultiplication",
    "Junta",
    "Kind",
    "LeakyParity",
    "MarkovChain",
    "Parity",
    "Sampling",
    "Signs",
    "Task",
    "minibatch",
]
