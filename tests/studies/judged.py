"""Rows that the tests of these studies choose, and what a claim says about them."""

from typing import Any

import polars as pl

from glassware.studies import Study
from glassware.studies.verdict import Verdict
from tests.studies.made import Rows, check


def verdict(study: Study, claim: str, rows: Rows | pl.DataFrame) -> Verdict:
    """The verdict of a claim on these rows."""
    made = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
    return check(study, claim, made).verdict


def spread(make: Any, mean: float, width: float = 0.002, count: int = 5) -> Rows:
    """Rows around this mean, as far apart as ``width``."""
    offsets = [width * (2 * i / (count - 1) - 1) for i in range(count)]
    return [row for offset in offsets for row in make(mean + offset)]
