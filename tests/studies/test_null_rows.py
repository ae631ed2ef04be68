"""Spoiled rows keep what the runs were and lose what came of them."""

import numpy as np
import polars as pl
import pytest

from benchmarks.null_rows import OF_RUNS, judge, spoil
from glassware.foundation.statistics import Estimate, wilson
from glassware.studies import Claim, Finding, Study
from glassware.studies.cells import counts
from glassware.studies.verdict import at_least
from tests.studies.made import cell, table

ROWS = table(cell(20, 20, width=8, m=30), cell(0, 20, width=4, m=30)).with_columns(
    id=pl.int_range(pl.len()).cast(pl.String), probes=pl.lit(["norms"]), norms=pl.lit([1.0, 2.0], pl.List(pl.Float32))
)


@pytest.mark.parametrize("kind", OF_RUNS)
def test_what_the_runs_were_stays(kind):
    spoiled = spoil(ROWS, kind, np.random.default_rng(0))
    assert spoiled.select("id", "width", "m", "seed").equals(ROWS.select("id", "width", "m", "seed"))
    won = counts(spoiled, width=8)[0], counts(spoiled, width=4)[0]
    assert won == {"untrained": (0, 0), "constant": (20, 20)}.get(kind, won)
    assert won != (20, 0)
    assert sum(won) == 20 or kind != "shuffled"


def test_a_claim_that_says_nothing_is_found_out():
    better = lambda rows: Finding(wilson(counts(rows, width=8)[0], 20), at_least(0.8))
    empty = lambda rows: Finding(Estimate.exact(1.0), at_least(0.5))
    broken = lambda rows: Finding(Estimate.exact(rows["absent"][0]), at_least(0.5))
    claims = tuple(Claim(name, "", "", "", check) for name, check in (("a", better), ("b", empty), ("c", broken)))
    a, b, c = judge(Study("test/null", "", "", (), claims), ROWS)
    assert a.times == {"shuffled": 0, "untrained": 0, "coin": 0, "constant": 1}
    assert b.times == {kind: repeats for kind, (_, repeats) in OF_RUNS.items()}
    assert "ColumnNotFoundError" in c.broke
