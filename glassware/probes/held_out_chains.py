"""Held-out Markov chains as constants, for probes that look at other chains than those a run is examined on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from glassware.foundation.arrays import Float, Int32
from glassware.foundation.backend import jax
from glassware.foundation.draws import held_out_key
from glassware.probes.subject import Chains


@lru_cache(maxsize=16)
def held_out_chains(task: Chains, count: int) -> tuple[Int32[np.ndarray, "chains t"], Float[np.ndarray, "chains k"]]:
    """The first held-out chains of a task, and the laws of their next tokens.

    Drawn once: as part of a program they would be compiled again, and drawn again, whenever a probe looks at them.
    """
    with jax.ensure_compile_time_eval():
        raw = jax.jit(lambda index: task.held_out(held_out_key(), index))(np.arange(count, dtype=np.uint32))
        return np.asarray(task.inputs({}, raw)), np.asarray(task.truth(raw))  # type: ignore[arg-type]
