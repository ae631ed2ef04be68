"""The images of docs/images, each made from rows: ``python -m benchmarks.doc_images --store results/store [NAME...]``.

Rows at laptop scale come from the store, which is trained where rows are missing: about five minutes on two idle cores
for all of them. Rows at paper scale lie in ``benchmarks/rows``. Not made here: ``parity.svg``, which is drawn by hand;
``play.png``, a picture of the page; ``panel-h200.png``, whose widest networks no file keeps.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import polars as pl

import glassware as gw
from glassware.api.planning import plan_figure
from glassware.charts.save import png, specification
from glassware.studies import Scale, Study, find, results
from glassware.sweeps import pick
from glassware.sweeps.identity import run_id

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ROWS = Path(__file__).parent / "rows"

# Image: study, scale, the study's figure.
FIGURES: dict[str, tuple[str, Scale, str]] = {
    "frontier": ("pareto/success-frontier", "laptop", "frontier"),
    "slices": ("pareto/slices", "laptop", "slices"),
    "panels": ("pareto/success-frontier", "paper", "frontier"),
    "lottery": ("pareto/lottery-tickets", "paper", "success"),
    "hidden-progress": ("hidden-progress/progress", "laptop", "weights"),
    "induction": ("induction/transformer", "paper", "distances"),
    "margins": ("margins/symmetric-groups", "paper", "margin"),
}
# Where rows at paper scale are.
STORED = {
    "pareto/success-frontier": "frontier",
    "pareto/lottery-tickets": "lottery-tickets-n50-k5",
    "induction/transformer": "induction-paper",
    "margins/symmetric-groups": "margins-paper",
}
EMPTY = ("m", "diverged_step")  # columns that a file leaves out where no row has a value
PLAN = "plan"  # the figure of docs/plan.md, from the rows of the frontier


def rows_of(study: Study, scale: Scale, store: gw.Store) -> pl.DataFrame:
    """The rows of a study: stored with the code, or in the store, trained where they are missing."""
    if scale == "laptop":
        gw.reproduce(study, scale, store=store, figures=None)
        return results(study, scale, store)
    frame = pl.read_parquet(ROWS / f"{STORED[study.name]}.parquet")
    frame = frame.with_columns(pl.lit(None, pl.Int64).alias(name) for name in EMPTY if name not in frame.columns)
    if study.sweeps > 1:  # the file has this study alone; later stages follow from its rows
        return frame
    return pick(frame, [run_id(run) for run in study.runs(scale)])


def draw(name: str, store: gw.Store, folder: Path) -> Path:
    """Make an image."""
    path = folder / f"{name}.png"
    if name == PLAN:
        rows_of(find("pareto/success-frontier"), "laptop", store)
        made, page = plan_figure(gw.plan({"n": 50, "k": 3}, m=1500, store=store), path)
        page.unlink()
        return made
    study, scale, figure = FIGURES[name]
    chart: Any = find(study).figures[figure](rows_of(find(study), scale, store))
    path.write_bytes(png(specification(chart)))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*FIGURES, PLAN, []], help="all unless given")
    parser.add_argument("--store", default="results/store")
    parser.add_argument("--to", type=Path, default=IMAGES, help="the folder")
    given = parser.parse_args()
    for name in given.names or [*FIGURES, PLAN]:
        print(draw(name, gw.Store(given.store), given.to), flush=True)


if __name__ == "__main__":
    main()
