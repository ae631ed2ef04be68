"""Plateaus of the loss: where it stays between two levels, and how suddenly it leaves them."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np

from glassware.foundation.arrays import Bool
from glassware.studies.induction.shared.phases import curve
from glassware.studies.lanes import Row

FLAT = 0.005  # nats between checkpoints of a plateau, at most
LONG = 5  # checkpoints that make a plateau
SUDDEN = 5.0  # times the median step of the plateau that make a sudden fall


def at_level(row: Row, low: float, high: float) -> Bool[np.ndarray, " checkpoints"]:
    """Whether the loss lies between two numbers."""
    loss = curve(row, "truth_distance")
    return (loss >= low) & (loss <= high)


def flat_part(row: Row, low: float, high: float) -> list[int]:
    """The longest run of checkpoints between two levels that follow each other in small steps."""
    here = at_level(row, low, high)
    still = np.abs(np.diff(curve(row, "truth_distance"), prepend=math.inf)) <= FLAT
    # A checkpoint begins a new group unless it and the one before are at the level, a small step apart.
    joined = here & np.roll(here, 1) & still
    groups = groupby(enumerate(np.cumsum(~joined)), key=lambda pair: pair[1])
    runs = [[place for place, _ in members] for _, members in groups]
    return max((run for run in runs if here[run[0]]), key=len, default=[])


def fall_after(row: Row, low: float, high: float) -> float:
    """The largest fall between checkpoints after the plateau over the median size of its own steps."""
    flat, loss = flat_part(row, low, high), curve(row, "truth_distance")
    later = -np.diff(loss[flat[-1] :]) if len(flat) > 1 else np.empty(0)
    return float(later.max() / np.median(np.abs(np.diff(loss[flat])))) if len(later) else math.nan
