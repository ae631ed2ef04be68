"""When networks that read the same stop: pilots find out how long it pays to train, the others are told.

The first networks of a job, its pilots, are trained until the rows they hold out were predicted better at an earlier
check, several checks ago. The others are trained a little beyond the check that was best for the pilots. Of all checks
that every network has reached, the one with the least mean loss is kept. All this depends on losses alone, so that it
is the same on any number of cores, and on an accelerator, where all networks are trained to the end.
"""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import Float, Int

PILOTS = 2
BEYOND = 2  # checks that the others are trained past the pilots' best


def best_check(curve: Float[np.ndarray, " checks"]) -> int:
    """The check with the least mean loss, at which all networks of a job stop: as they hold out different rows, their
    mean is less noisy than each. The last check if no loss is finite."""
    return (
        int(np.nanargmin(np.where(np.isfinite(curve), curve, np.inf))) if np.isfinite(curve).any() else len(curve) - 1
    )


def waited(curve: Float[np.ndarray, " checks"], ends: Int[np.ndarray, " checks"], patience: int) -> bool:
    """Whether a pilot with this curve so far has been trained for ``patience`` checks since its best one.

    Args:
        curve: losses at the checks it has reached.
        ends: epochs at which checks are; with few epochs several are at the same.
        patience: 0: it is trained to the end.
    """
    return patience > 0 and len({*ends[best_check(curve) : len(curve)].tolist()}) > patience


def others_reach(pilots: list[Float[np.ndarray, " checks"]], checks: int, patience: int) -> int:
    """The number of checks that the networks which are no pilots reach."""
    if not patience:
        return checks
    shared = min(len(curve) for curve in pilots)
    best = best_check(np.mean([curve[:shared] for curve in pilots], axis=0))
    return min(checks, best + 1 + BEYOND)


def cut_short(
    curves: Float[np.ndarray, "members checks"], ends: Int[np.ndarray, " checks"], patience: int
) -> list[Float[np.ndarray, " reached"]]:
    """The curves of networks that were trained to the end, as far as they would have been trained on a CPU."""
    checks = curves.shape[1]
    pilots = [
        next((curve[:n] for n in range(1, checks) if waited(curve[:n], ends, patience)), curve)
        for curve in curves[:PILOTS]
    ]
    return [*pilots, *(curve[: others_reach(pilots, checks, patience)] for curve in curves[PILOTS:])]


def stop_at(curves: list[Float[np.ndarray, " reached"]]) -> tuple[int, float]:
    """The check at which all networks stop, and their mean loss there."""
    shared = min(len(curve) for curve in curves)
    mean = np.mean([curve[:shared] for curve in curves], axis=0)
    moment = best_check(mean)
    return moment, float(mean[moment])
