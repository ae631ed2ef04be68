"""Objective, optimiser, one step, the loop. Nothing here knows about lanes or sweeps."""

from glassware.training.loop import NEVER, Loop, Records, State
from glassware.training.objective import LOSSES
from glassware.training.optimiser import SGD, Adam, AdamW
from glassware.training.run import Evaluation, Run

__all__ = ["LOSSES", "NEVER", "SGD", "Adam", "AdamW", "Evaluation", "Loop", "Records", "Run", "State"]
