"""Figures of the trained transformers: their data, distances, losses, and positions (see ``transformer``)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.theme import CATEGORIES, DENSE, MUTED
from glassware.charts.tiles import tiles
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.shared.levels import between_levels, mixed_chain, row_task
from glassware.studies.induction.shared.phases import crossing, curve
from glassware.studies.lanes import Row, lanes
from glassware.theory.markov.posterior import posterior_mean, transition_counts

SEQUENCE = 40  # tokens of the chain that is shown
FIRST, BEFORE, LAST = "first checkpoint", "last before τ*", "end of training"
SELF = "unigram_self strategy"


def data(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """One matrix of the prior, a sequence that it gives, its transitions counted, and the mean of the posterior."""
    rows = lanes(frame)
    if not rows:
        return None
    task = row_task(rows[0])
    shown, matrix = mixed_chain(task, min(SEQUENCE, task.length))
    counts = transition_counts(shown, task.states)
    named = {
        "transition matrix P": (matrix, "{:.2f}"),
        f"transitions in {len(shown)} tokens": (counts, "{:.0f}"),
        "posterior mean": (posterior_mean(counts), "{:.2f}"),
    }
    cells = [
        {
            "panel": panel, "row": str(i + 1), "column": str(j + 1), "text": form.format(value),
            "value": value / max(1.0, float(table[i].sum())),
        }
        for panel, (table, form) in named.items()
        for (i, j), value in np.ndenumerate(table)
    ]  # fmt: skip
    return tiles(
        pl.DataFrame(cells), scale=alt.Scale(scheme="blues", domain=[0, 1]), tile_width=70,
        title="A chain of its own for every sequence", x_title="next token", y_title="current token",
        value_title="share of the row", subtitle="x = " + " ".join(str(token + 1) for token in shown),
    )  # fmt: skip


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    title = "The transformer is nearest to uniform, then unigrams, then bigrams"
    return distance_chart(panels(frame), title, setting, columns=2)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies."""
    runs = panels(frame)
    if not runs:
        return None
    better = [
        {"panel": panel, "kind": SELF, "level": level}
        for panel, row in dict(runs).items()
        for name, level in between_levels(row).items()
        if name == "unigram_self"
    ]
    title = "Two drops of the test loss, and a plateau between them"
    return loss_chart(
        runs, title, setting, columns=2, y_domain=(0.0, 0.32), more=pl.DataFrame(better), colours={SELF: CATEGORIES[4]}
    )


def positions(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The scores of the first layer's positions at three checkpoints."""
    runs, points = panels(frame), []
    for panel, row in runs:
        at = crossing(row)
        for kind, place in ({FIRST: 1, LAST: -1} if at is None else {FIRST: 1, BEFORE: at - 1, LAST: -1}).items():
            scores = curve(row, "position_scores")[place]
            points += [
                {"panel": panel, "run": row["id"], "kind": kind, "r": r, "score": score}
                for r, score in enumerate(scores, 1)
            ]
    if not points:
        return None
    return lines(
        pl.DataFrame(points), x="r", y="score", line="run", kind="kind", panel="panel", columns=2,
        title="Before the second drop, even coordinates of the positions stick out",
        x_title="coordinate r (look-back r − 1)", y_title="score of layer 1 by position", subtitle=setting(runs),
        colours={FIRST: MUTED, BEFORE: DENSE, LAST: CATEGORIES[1]},
    )  # fmt: skip


def panels(frame: pl.DataFrame) -> Panelled:
    """Runs by k, each panel with its number of seeds."""
    rows = lanes(frame.filter(pl.col("form").is_not_null())) if "form" in frame.columns else []
    return named_panels([(f"k = {row['states']}", row) for row in rows])


def named_panels(named: list[tuple[str, Row]]) -> Panelled:
    """Runs with the names of their panels and how many seeds these have."""
    seeds = Counter(panel for panel, _ in named)
    return [(f"{panel}, {seeds[panel]} seed{'s' * (seeds[panel] > 1)}", row) for panel, row in named]


def setting(runs: Panelled) -> str:
    """What all runs of a figure share."""
    row = runs[0][1]
    norm = "with layer norm" if row["form"] == "normed" else "no layer norm"
    lengths = sorted({int(one["length"]) for _, one in runs})
    length = f"t = {lengths[0]}, " if len(lengths) == 1 else ""
    return f"one line per seed; {length}two layers, {norm}, AdamW at {row['lr']:g}, batches of {row['batch']}"
