"""Reading the rows of ``lottery_tickets``: parents, their tickets and controls, and the tables of its figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import polars as pl

from glassware.foundation.statistics import difference, wilson
from glassware.studies.cells import counts

GROUPS = ("rewound", "re-drawn", "sub-network")
KEPT = 5  # neurons of a ticket
SHOWN = 20  # full networks in a figure, the first ones
BLOCK = 10_000  # child seeds of full network p lie in [BLOCK (p + 1), BLOCK (p + 2)), a thousand and more to a group


def parents(frame: pl.DataFrame) -> pl.DataFrame:
    """Full networks that learned."""
    if "neuron_norms" not in frame.columns:
        return frame.clear()
    return frame.filter(pl.col("neuron_norms").is_not_null() & pl.col("success")).sort("seed")


def children(frame: pl.DataFrame) -> pl.DataFrame:
    """Small networks with two more columns: their ``group`` and the seed of their parent, ``net``."""
    spec = pl.col("spec").str
    rewound, sub = (spec.json_path_match(f"$.init.{field}").is_not_null() for field in ("seed", "parent_width"))
    group = pl.when(rewound).then(pl.lit("rewound")).when(sub).then(pl.lit("sub-network")).otherwise(pl.lit("re-drawn"))
    net = (pl.col("seed") // BLOCK).cast(pl.Int64) - 1
    return frame.with_columns(group=group, net=net).filter(pl.col("net") >= 0)


def largest(norms: list[float]) -> list[int]:
    """The neurons with the longest incoming weights, longest first."""
    return [int(i) for i in np.argsort(-np.array(norms), kind="stable")[:KEPT]]


def shares(frame: pl.DataFrame) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """For every full network that learned: its seed, and the shares on S of its ticket's neurons and of the others."""
    for row in parents(frame).iter_rows(named=True):
        ticket, share = largest(row["neuron_norms"]), np.array(row["support_share"])
        yield int(row["seed"]), share[ticket], np.delete(share, ticket)


def gains_over(small: pl.DataFrame, control: str) -> list[float]:
    """For every full network: success of its rewound five minus that of a control on the same parity."""
    pairs = [
        [counts(small, net=net, group=group) for group in ("rewound", control)] for net in small["net"].unique().sort()
    ]
    return [difference(*won, *lost).value for won, lost in pairs if won[1] and lost[1]]


# -- tables of the figures ---------------------------------------------------------------------------------------------


def curve_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Full networks that learned and small ones under one ``group`` column: about ten of each, from all networks."""
    full = parents(frame).head(10).with_columns(group=pl.lit("full network"), net=pl.col("seed").cast(pl.Int64))
    each = max(1, 10 // max(1, len(full)))
    small = children(frame).filter(pl.col("net").is_in(full["net"].to_list()))
    table = pl.concat([full, small], how="diagonal_relaxed")
    return table.group_by("group", "net", maintain_order=True).head(each)


def success_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Success of each group, one row per full network."""
    small = children(frame)
    found = []
    for net in small["net"].unique().sort()[:SHOWN]:
        for group in GROUPS:
            rate = wilson(*counts(small, net=net, group=group))
            if not math.isnan(rate.value):
                found.append({"net": str(net), "group": group, **rate._asdict()})
    return pl.DataFrame(found)


def share_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Share of weight on S of the ticket's neurons and of the others, one row per full network, with its quartiles."""
    found = []
    for seed, ticket, others in islice(shares(frame), SHOWN):
        for name, values in (("five largest", ticket), ("others", others)):
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
            found.append({"net": str(seed), "neurons": name, "value": middle, "low": low, "high": high})
    return pl.DataFrame(found)
