"""What is measured, and how a reading is taken."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from glassware.engine import Engine, evaluation_flops, step_flops
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

BATCH = 32
SAMPLE = 10_000  # examples in the offline sample
RATE, DECAY = 0.1, 0.01

Device: TypeAlias = Literal["cpu", "gpu"]

# Success never ends a run here: every lane must be busy for the whole reading.
LAPTOP = Evaluation(every=100, test=2000, success=0.0, stop=False)


@dataclass(frozen=True)
class Cell:
    """One network: n inputs, r hidden neurons."""

    n: int
    r: int

    @property
    def flops(self) -> float:
        """Useful work of one model-step."""
        return step_flops(self.run(Evaluation()))

    @property
    def evaluated_flops(self) -> float:
        """Useful work of one model-step with its share of the laptop evaluation."""
        run = self.run(LAPTOP)
        return step_flops(run) + evaluation_flops(run) / run.evaluation.every

    @property
    def weight_bytes(self) -> int:
        """Bytes a model-step moves if its weights do not stay in cache: each is read once and written once."""
        return 2 * 4 * self.run(LAPTOP).network.parameters(Parity(n=self.n, k=1))

    def run(self, evaluation: Evaluation, seed: int = 0) -> Run:
        """A run that trains until it is told to stop: as many steps as a run may have."""
        rounds = (2**32 - 1) // (BATCH * evaluation.every)
        return Run(
            task=Parity(n=self.n, k=min(3, self.n)),
            m=SAMPLE,
            model=MLP(width=self.r),
            optimiser=SGD(lr=RATE, weight_decay=DECAY),
            batch=BATCH,
            steps=rounds * evaluation.every,
            evaluation=evaluation,
            seed=seed,
        )


def parse_shapes(text: str) -> tuple[Cell, ...]:
    """``50x100,200x1000``: inputs and hidden neurons of each network."""
    cells = []
    for word in text.replace(" ", "").split(","):
        found = re.fullmatch(r"(\d{1,5})x(\d{1,7})", word)
        if not found or not 1 <= int(found[1]) <= 4096 or int(found[2]) < 1:
            raise GlasswareError(f"shapes are written as inputs x neurons, like 50x100,200x1000, not {word!r}")
        cells.append(Cell(int(found[1]), int(found[2])))
    return tuple(dict.fromkeys(cells))


@dataclass(frozen=True)
class Setting:
    """What a peer may tune: models trained together, and threads (0: no such knob). And where and how it runs."""

    lanes: int = 1
    threads: int = 0
    device: Device = "cpu"
    engine: Engine = "auto"


@dataclass(frozen=True)
class Reading:
    """One stretch of training: model-steps taken, seconds, and processor seconds of this process and of all others."""

    steps: int
    wall: float
    cpu: float
    others: float

    @property
    def rate(self) -> float:
        """Model-steps per second."""
        return self.steps / self.wall

    @property
    def cores(self) -> float:
        """Cores this process kept busy."""
        return self.cpu / self.wall


def clocked(advance: Callable[[], int], seconds: float) -> Reading:
    """Advance until ``seconds`` have passed; ``advance`` waits for its own work and returns its model-steps."""
    steps = 0
    busy, cpu, started = _busy(), time.process_time(), time.perf_counter()
    wall = 0.0
    while wall < seconds or not steps:
        steps += advance()
        wall = time.perf_counter() - started
    cpu = time.process_time() - cpu
    return Reading(steps, wall, cpu, max(0.0, _busy() - busy - cpu))


def _busy() -> float:
    """Processor seconds all processes have used since boot, stolen ones too; 0 where the system does not tell."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _, _, irq, softirq, steal = map(int, stat.read_text().split(maxsplit=9)[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
