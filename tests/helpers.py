"""The one small run most tests vary: a fast shape, compiled once a session."""

from collections.abc import Iterable
from typing import Any

import jax
import numpy as np
import polars as pl

from glassware.sweeps import CIRCUMSTANCES
from glassware.sweeps.rows import row
from glassware.sweeps.validation import build
from glassware.training import Loop, Run

TINY: dict[str, Any] = {
    "task": {"n": 20, "k": 3},
    "model": {"width": 8},
    "batch": 8,
    "steps": 60,
    "evaluation": {"every": 10, "test": 100},
}


def tiny(**changes: Any) -> Run:
    """The small run with some fields changed."""
    return build({**TINY, **changes})


def weights_along(run: Run) -> tuple[np.ndarray, ...]:
    """The weights after every step of the package's loop, in the reference's order: one array (steps, ...) each."""
    loop = Loop(run.shape())

    def walk(values: Any) -> Any:
        def one(state: Any, _: Any) -> Any:
            state = loop.step(values, state)
            first, last = state.params
            return state, (first["w"], first["b"], last["w"][:, 0], last["b"][0])

        return jax.lax.scan(one, loop.init(values), None, run.steps)[1]

    # Values are arguments, as in the engine, so that nothing about a run is folded into the program.
    return tuple(np.asarray(a) for a in jax.jit(walk)(run.values()))


def findings(outcomes: Iterable[Any]) -> dict[str, str]:
    """What each run found, by id, without the circumstances. As text, so that NaN equals NaN and every bit counts."""
    rows = [row(outcome) for outcome in outcomes]
    return {r["id"]: repr({name: r[name] for name in sorted(r) if name not in CIRCUMSTANCES}) for r in rows}


def same_findings(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables hold the same rows in any order, circumstances apart."""
    drop = [name for name in CIRCUMSTANCES if name in one.columns]
    return one.drop(drop).sort("id").equals(other.drop(drop).sort("id"), null_equal=True)
