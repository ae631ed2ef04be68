"""Objective, optimiser, one step, the loop. Nothing here knows about lanes or sweeps."""

from glassware.training.evaluation import Evaluation
from glassware.training.loop import Loop
from glassware.training.objective import LOSSES, METRICS, Loss, Metric
from glassware.training.optimiser import SGD, Adam, AdamW
from glassware.training.penalty import L1, L2, MixedNorm
from glassware.training.run import Run
from glassware.training.schedule import Constant, Cosine, Doubling, Inverse, WarmUp
from glassware.training.start import KeptStep, Load, Start
from glassware.training.state import NEVER, Records, State

__all__ = [
    "L1", "L2", "LOSSES", "METRICS", "NEVER", "SGD", "Adam", "AdamW", "Constant", "Cosine", "Doubling", "Evaluation",
    "Inverse", "KeptStep", "Load", "Loop", "Loss", "Metric", "MixedNorm", "Records", "Run", "Start", "State",
    "WarmUp",
]  # fmt: skip
