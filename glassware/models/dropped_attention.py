"""Attention from one query to tokens that are one of two per position, with dropout on every number of a token.

Dropout makes every token of every example another one, so no table helps (``two_tables``). A kernel of the engine makes
tokens where they are looked at (``provide``); where there is none, ``ClsTransformer`` writes them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from glassware.foundation.arrays import Array, Float
from glassware.models.dropout import Coins

# From the two tokens of every position, (2, tokens, d), what every example asks of normed tokens, (batch, heads, d),
# bits, (batch, tokens), and coins of (tokens, d) and (heads, tokens) numbers per example, the latter if there are any:
# the normed tokens' mean by head, (batch, heads, d), and the sum of its weights, (batch, heads).
Mean: TypeAlias = Float[Array, "batch heads d"]
Total: TypeAlias = Float[Array, "batch heads"]
Attend: TypeAlias = Callable[[Array, Array, Array, Coins, Coins | None], tuple[Mean, Total]]

# From d and heads.
Kernels: TypeAlias = Callable[[int, int], Attend | None]

_kernel: Kernels = lambda width, heads: None


def provide(kernel: Kernels) -> None:
    """Name what gives the kernel for such sizes, or None where there is none; it is called when one is needed."""
    global _kernel
    _kernel = kernel


def kernel(width: int, heads: int) -> Attend | None:
    """The kernel for these sizes, in float32; None where there is none."""
    return _kernel(width, heads)
