"""At which learning rate a cell of the tables is compared with the printed one, and when the two agree."""

from __future__ import annotations

import math
from collections.abc import Callable

from glassware.studies.hidden_progress.shared.fits import percentile
from glassware.studies.hidden_progress.shared.places import ByRate, Place, fastest, surest
from glassware.studies.words import time_in_words

BAND = 2.0
AT_RATE_ONE = ("i", "ii", "iii", "xv", "*i")  # ReLU networks and the PolyNet

Rule = Callable[[Place, ByRate], float]  # which rate's 10th percentile is compared


def at_the_fastest(_: Place, rates: ByRate) -> float:
    """At the rate where it is smallest."""
    return fastest(rates)


def at_the_surest(_: Place, rates: ByRate) -> float:
    """At the rate with most converged runs; among equals the fastest."""
    return surest(rates)


def at_a_moderate_rate(place: Place, rates: ByRate) -> float:
    """At the fastest rate, where only ReLU networks and the PolyNet may choose 1."""
    return fastest({lr: times for lr, times in rates.items() if lr < 1 or place.setting in AT_RATE_ONE})


RULES: dict[str, Rule] = {
    "fastest rate": at_the_fastest,
    "rate with most converged runs": at_the_surest,
    "fastest rate, 1 for ReLU and PolyNet alone": at_a_moderate_rate,
}


def every_rate_in_words(rates: ByRate) -> str:
    """10th percentiles from the largest rate to the smallest."""
    return "/".join(time_in_words(percentile(rates[lr])) for lr in sorted(rates, reverse=True))


def agree(ours: float, other: float) -> bool:
    """Whether two times lie within a factor of two, or are both infinite."""
    if math.isinf(ours) or math.isinf(other):
        return ours == other
    return other / BAND <= ours <= BAND * other
