"""A kernel for two-layer ReLU networks on CPU cores, compiled by Numba when it is first used."""

from __future__ import annotations

from importlib.util import find_spec

from glassware.engine.program import plain_loop
from glassware.models import MLP
from glassware.probes import PROBES
from glassware.training import SGD, Run


def supports(shape: Run) -> bool:
    """Whether the CPU kernel trains this shape; without Numba it trains none."""
    model, optimiser = shape.network, shape.optimiser
    # Not isinstance, here and below: what a subclass changes the kernel would not know.
    if type(model) is not MLP or len(model.widths) != 1 or model.activation != "relu":
        return False
    return (
        plain_loop(shape)
        and shape.loss == "hinge"
        and type(optimiser) is SGD
        and optimiser.momentum is None
        and optimiser.truncation is None
        and shape.sampling == "replacement"
        and all(PROBES[name].when == "final" for name in shape.probes)
        and find_spec("numba") is not None
    )
