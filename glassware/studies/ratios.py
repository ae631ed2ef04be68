"""Ratios of two thresholds: shared by the studies."""

from __future__ import annotations

import math

from glassware.foundation.statistics import Estimate


def ratio(above: Estimate, below: Estimate) -> Estimate:
    """The ratio of two independent thresholds; distances of logarithms add in squares. Unknown where an end is open."""
    if not all(0 < end < math.inf for end in (*above, *below)):
        return Estimate(math.nan)
    (value, low, high), (other, other_low, other_high) = (map(math.log, one) for one in (above, below))
    middle = value - other
    down, up = math.hypot(value - low, other_high - other), math.hypot(high - value, other - other_low)
    return Estimate(math.exp(middle), math.exp(middle - down), math.exp(middle + up))
