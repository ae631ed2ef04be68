"""Cells of the paper's tables, a setting on a task at a batch size, each with the times of its runs at every rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import polars as pl

from glassware.foundation.statistics import NEVER
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.fits import percentile
from glassware.studies.hidden_progress.shared.rows import cells as times_by
from glassware.studies.hidden_progress.shared.settings import SETTINGS
from glassware.studies.hidden_progress.shared.space import ADAM_RATES, RATES, SIZES
from glassware.studies.hidden_progress.shared.trials import trial
from glassware.training import Run

N = 30  # of the printed tables
LAPTOP_RATES = (1.0, 0.1, 0.01)
LAPTOP_STEPS = 20_000


class Place(NamedTuple):
    """A cell of the tables."""

    setting: str
    n: int
    k: int
    batch: int

    def text(self) -> str:
        return f"({self.setting}) k={self.k} B={self.batch}"

    def run(self, lr: float, steps: int) -> Run:
        """A run of the cell: hinge loss, uniform initialisation."""
        return trial(self.setting, self.n, self.k, batch=self.batch, lr=lr, steps=steps)

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates of the paper's grid."""
        return ADAM_RATES if self.setting == "*iii" else RATES


PAPER = tuple(Place(*place) for place in product(SETTINGS, SIZES, printed.KS, printed.BATCHES))
ByRate = Mapping[float, Sequence[float]]  # learning rate to the times of its runs


def by_place(frame: pl.DataFrame) -> dict[Place, dict[float, list[float]]]:
    """Times of every cell and learning rate."""
    found: dict[Place, dict[float, list[float]]] = {}
    for (*key, lr), times in times_by(frame, *Place._fields, "lr").items():
        found.setdefault(Place(*key), {})[lr] = times
    return found


def fastest(rates: ByRate) -> float:
    """Smallest 10th percentile among the rates."""
    return min(percentile(times) for times in rates.values())


def success(rates: ByRate) -> tuple[int, int]:
    """Successes and trials at the rate with most converged runs."""
    counts = [(sum(t < NEVER for t in times), len(times)) for times in rates.values()]
    return max(counts, key=lambda cell: cell[0] / cell[1])


def surest(rates: ByRate) -> float:
    """10th percentile at the rate with most converged runs; among equals the fastest."""
    return min((-sum(t < NEVER for t in times) / len(times), percentile(times)) for times in rates.values())[1]


def missing(found: Mapping[Place, object], wanted: Iterable[Place]) -> bool:
    """Whether a wanted cell has no run."""
    return any(place not in found for place in wanted)


def in_order(frame: pl.DataFrame) -> list[tuple[Place, dict[float, list[float]]]]:
    """Cells in the paper's order."""
    found = by_place(frame)
    names = list(SETTINGS)
    return sorted(found.items(), key=lambda item: (item[0].k, names.index(item[0].setting), item[0].batch, item[0].n))


def tile_table(places: Iterable[tuple[Place, float | None, str]]) -> pl.DataFrame:
    """The table that ``charts.tiles`` draws: settings down, batch sizes across, a panel per k."""
    rows = [
        {"panel": f"k = {p.k}", "row": f"({p.setting})", "column": f"{p.batch}", "value": value, "text": text}
        for p, value, text in places
    ]
    table = pl.DataFrame(rows, schema={"panel": str, "row": str, "column": str, "value": float, "text": str})
    columns = pl.col("column").cast(pl.Int64)
    rank = pl.col("row").replace_strict({f"({s})": i for i, s in enumerate(SETTINGS)}, return_dtype=pl.Int64)
    return table.sort(pl.col("panel"), rank, columns)
