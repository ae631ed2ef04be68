"""The largest normalised margin of a network on a group or on a parity."""

from __future__ import annotations

import math
from dataclasses import dataclass

from glassware.theory.margins.characters import hypothesis_sums
from glassware.theory.margins.groups import Group


@dataclass(frozen=True)
class MaxMargin:
    """What the largest margin is."""

    gamma: float


def max_margin(group: Group) -> MaxMargin:
    """gamma* of the quadratic network on a group that satisfies the hypothesis of Theorem 7.9."""
    return MaxMargin(2 / (3 * math.sqrt(3 * group.order) * float(hypothesis_sums(group)[0])))


def max_margin_parity(k: int) -> float:
    """gamma* of the network with x^k on a parity of k coordinates."""
    return math.factorial(k) * math.sqrt(2 * (k + 1) ** -(k + 1.0))
