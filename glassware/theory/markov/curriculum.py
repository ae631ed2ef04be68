"""Two steps that reach the bigram solution (Proposition 8.5, formally E.3).

The first, on all chains with a rate of order 1/t^2, leans W to its diagonal and leaves v alone. The second, on a = b
uniform in 1/2 +- epsilon with a rate of order 1/t and full weight decay, forgets the start: W becomes diagonal, of
order epsilon^2, and v_j of order epsilon^j for even j and 1/t for odd j. So logits are O(epsilon^4) times bigram
counts, plus O(epsilon^6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from glassware.theory.markov.chains import enough, flat
from glassware.theory.markov.first_steps import A, B
from glassware.theory.markov.minimal import Minimal
from glassware.theory.markov.signal import descend, expected_signal
from glassware.theory.markov.special import equal_signal


@dataclass(frozen=True, eq=False)
class Curriculum:
    """Weights after each of the two steps."""

    first: Minimal
    second: Minimal

    @property
    def leader(self) -> int:
        """The largest coordinate of v, counted from 1; 2 is the bigram solution."""
        return int(np.argmax(self.second.v)) + 1


def curriculum(
    t: int,
    spread: float,
    rates: tuple[float, float] | None = None,
    w: float = 0.0,
    v: float = 1.0,
    decay: Literal["both", "second layer"] = "both",
) -> Curriculum:
    """Both steps with all their terms.

    Args:
        t: context length.
        spread: epsilon.
        rates: of the two steps; 1/t^2 and 1/t unless given. Chapter 8 says that the first is the larger one: with the
            two exchanged, W ends at O(1/t), and logits with it.
        w: initial value of W. O(1/t) in odd coordinates of v carries a factor of about 6 w / ((B - A) v).
        v: initial value of v.
        decay: in the second step, of both blocks, or of W alone as chapter 8 has it (and E.59, which keeps v_init).
    """
    eta = rates or (1 / t**2, 1 / t)
    start = Minimal(np.full((2, 2), w), np.full(t, v))
    first = descend(start, expected_signal(flat(max(40, enough(t))), t), eta[0])
    second = descend(first, equal_signal(t, spread), eta[1], decay=(1.0, 1.0 if decay == "both" else 0.0))
    return Curriculum(first, second)


def limit_w(spread: float, printed: bool = False) -> float:
    """The diagonal of W after both steps as t grows, for w = 0, v = 1: E[(a - 1/2) / (8 (1 - a))], about epsilon^2 / 6.

    Args:
        spread: epsilon.
        printed: E.53 in the same units: integrated over a without the density 1 / (2 epsilon).
    """
    integral = -(2 * spread + 0.5 * math.log((0.5 - spread) / (0.5 + spread))) / 8
    return integral if printed else integral / (2 * spread)


def limit_v(j: int, spread: float) -> float:
    """v_j after both steps as t grows, for w = 0, v = 1: (B - A) / 6 (2 epsilon)^j / (8 (j+1)) for even j, else 0."""
    return 0.0 if j % 2 else (B - A) / 6 * (2 * spread) ** j / (8 * (j + 1))
