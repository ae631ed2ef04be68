"""Networks trained on groups beside the best network at their lambda, and what their neurons say of irreps."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from glassware.foundation.arrays import Float, Shaped
from glassware.studies.margins.shared.curves import Row, alive, array, last
from glassware.studies.margins.shared.runs import SMALL_SYMMETRIC, group_run
from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.finite import Optimum, finite_lambda
from glassware.theory.margins.groups import named
from glassware.training import Run

FIRST_SEED = 1000  # smaller ones served to find learning rates and numbers of steps
GAMMA = 1 + 1e-4  # no network has a margin above gamma*; in float32 one may seem to
PROBES = ("margin", "irrep_mass", "irrep_neurons", "logit_gaps")
SPARSE = 0.99  # power of u from which a neuron is in one irrep


def repeat(run: Run, seeds: int) -> list[Run]:
    """The run with so many seeds."""
    return [run.model_copy(update={"seed": FIRST_SEED + i}) for i in range(seeds)]


def smoke(lam: float, seeds: int) -> list[Run]:
    """S_3 for a second: one program for all studies, since lambda is a lane value."""
    return repeat(group_run("S_3", 30, lam=lam, steps=1500, at=SMALL_SYMMETRIC, probes=PROBES), seeds)


def at_step(row: Row, curve: str, step: int) -> Float[np.ndarray, "..."]:
    """A curve where it was at a step at which the run was examined; NaN where it was not."""
    steps = row["curve_step"]
    return np.array(row[f"curve_{curve}"][steps.index(step)] if step in steps else np.nan, float)


# -- the best network at the run's lambda -----------------------------------------------------------------------------


def regularisation(row: Row) -> float:
    """lambda."""
    return float(json.loads(row["penalty"])[0]["weight"])


def predicted(row: Row) -> Optimum:
    """The best network for the run's group and lambda."""
    return optimum(row["group"], regularisation(row))


@lru_cache(maxsize=64)
def optimum(group: str, lam: float) -> Optimum:
    """The best network of a group at a lambda."""
    return finite_lambda(named(group), lam)


def objective(row: Row) -> float:
    """Cross-entropy on all pairs + lambda |theta|^3, at the end."""
    return float(last(row, "test_cross_entropy") + regularisation(row) * last(row, "norm_power"))


def objective_error(row: Row) -> float:
    """The objective, relative to that of the best network, less 1: how far training is from the minimum."""
    return objective(row) / predicted(row).objective - 1


def ratio_error(row: Row) -> float:
    """Distance of the ratio to gamma* from that of the best network."""
    return abs(float(last(row, "margin_ratio")) - predicted(row).ratio)


def norm_error(row: Row) -> float:
    """Relative distance of |theta|^3 from that of the best network."""
    return abs(float(last(row, "norm_power")) / predicted(row).norm_power - 1)


def mass_error(row: Row, step: int | None = None) -> float:
    """Largest distance of an irrep's share of the norm's cube from that in the best network, at the end or before."""
    shares = last(row, "mass") if step is None else at_step(row, "mass", step)
    return _largest(shares, predicted(row).shares)


def gap_error(row: Row) -> float:
    """Largest relative distance of the gap towards a class of wrong labels from that in the best network."""
    best = predicted(row).gaps[1:]
    return _largest(array(row, "class_gaps")[1:], best, relative=True)


def _largest(found: Float[np.ndarray, "..."], best: Float[np.ndarray, " n"], *, relative: bool = False) -> float:
    """The largest distance; not known where there is none to every one of the best."""
    if found.shape != best.shape:
        return np.nan
    return float(np.max(np.abs(found - best) / (best if relative else 1.0)))


# -- irreps of neurons ------------------------------------------------------------------------------------------------


def same_irrep(row: Row) -> float:
    """The share of alive neurons whose u, v and w have most power in one irrep."""
    u, v, w = (array(row, f"irrep_{name}") for name in "uvw")
    return float(np.mean(_of_alive(row, (u == v) & (v == w))))


def sparse_share(row: Row) -> float:
    """The share of all neurons whose u is in one irrep."""
    return float(np.mean(array(row, "power_u") >= SPARSE))


def least_alive(row: Row, *names: str) -> float:
    """The smallest of these values of an alive neuron."""
    return float(min(np.min(_of_alive(row, array(row, name))) for name in names))


def mean_alive(row: Row, name: str) -> float:
    """The mean of these values of alive neurons."""
    return float(np.mean(_of_alive(row, array(row, name))))


def weighted(row: Row, name: str) -> float:
    """The mean over neurons by their share of the norm's cube."""
    return float(np.average(array(row, name), weights=array(row, "neuron_size") ** 3))


def owned(row: Row, *, living: bool = False) -> dict[str, int]:
    """How many neurons, or living ones, each irrep owns: those whose u has most power in it."""
    owners = array(row, "irrep_u")[alive(row) if living else slice(None)]
    return {irrep.label: int(np.sum(owners == i)) for i, irrep in enumerate(real_irreps(named(row["group"])))}


def _of_alive(row: Row, values: Shaped[np.ndarray, " units"]) -> Float[np.ndarray, " alive"]:
    """The values of alive neurons; NaN where none is, as in a run that diverged."""
    kept = values[alive(row)].astype(float)
    return kept if len(kept) else np.array([np.nan])
