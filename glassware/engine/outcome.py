"""What the engine hands back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from glassware.models import Params
from glassware.training import Run


@dataclass
class Outcome:
    """What came of a run."""

    run: Run
    steps_taken: int
    success_step: int | None
    diverged_step: int | None
    curves: dict[str, np.ndarray]  # ``step`` and every measured column, one entry per evaluation
    final: dict[str, np.ndarray]
    seconds: float  # this run's share of the device's time
    flops: float
    engine: str  # the path that trained it
    weights: dict[str, Params] = field(default_factory=dict)  # the kept ones, by step
