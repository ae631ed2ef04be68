"""Losses of a real-valued output yhat against a label y in {+1, -1}."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import jax
import jax.numpy as jnp

Loss: TypeAlias = Literal["hinge", "square", "logistic", "correlation"]

LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "hinge": lambda output, y: jax.nn.relu(1.0 - y * output),
    "square": lambda output, y: (output - y) ** 2,
    "logistic": lambda output, y: jax.nn.softplus(-y * output),
    "correlation": lambda output, y: -y * output,
}

LOSS_NAMES = tuple(LOSSES)  # their order is that of a lane value


def wrong(output: Any, y: Any) -> Any:
    """1.0 where the sign of the output misses the label; an output of exactly 0, or NaN, is a miss."""
    return jnp.where(y * output > 0, 0.0, 1.0)
