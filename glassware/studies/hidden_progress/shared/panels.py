"""A panel of training curves: one setting at one batch size and learning rate, several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.foundation.statistics import NEVER, wilson
from glassware.models import Model
from glassware.studies.hidden_progress.shared.curves import TEST, points
from glassware.studies.hidden_progress.shared.findings import each
from glassware.studies.hidden_progress.shared.rows import rows, times
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least
from glassware.studies.words import counts_in_words
from glassware.training import Run

SCREEN = 1024  # curves are read at an error of 40%: on 128 examples chance alone gets there

NAMES = {
    "i": "ReLU MLP, r = 10",
    "ii": "ReLU MLP, r = 100",
    "iii": "ReLU MLP, r = 1000",
    "iv": "z^k MLP, r = 10",
    "v": "z^k MLP, r = 100",
    "vi": "z^k MLP, r = 1000",
    "vii": "width-1 zigzag MLP",
    "viii": "width-1 polynomial MLP",
    "x": "width-1 sinusoid MLP",
    "xi": "zigzag neuron",
    "xii": "polynomial neuron",
    "xv": "PolyNet",
    "*i": "ReLU MLP, r = k",
    "*ii": "z^k MLP, r = k",
    "*iii": "Transformer",
}


@dataclass(frozen=True)
class Panel:
    """What is drawn together.

    Attributes:
        setting: number in the paper.
        batch, lr: B and the learning rate.
        n, k: the parity.
        steps, every: most steps, and steps between examinations.
        model: a network other than the setting's own size.
    """

    setting: str
    batch: int
    lr: float
    n: int = 50
    k: int = 3
    steps: int = 100_000
    every: int = 10
    model: Model | None = None

    @property
    def label(self) -> str:
        """The panel's heading."""
        return f"({self.setting}) {NAMES[self.setting]} · ({self.n}, {self.k}) · B = {self.batch}, η = {self.lr:g}"

    def run(self) -> Run:
        """The panel's run, seed 0."""
        return trial(
            self.model or self.setting, self.n, self.k, lr=self.lr, batch=self.batch, steps=self.steps,
            every=self.every, screen=SCREEN,
        )  # fmt: skip

    def rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Its runs among all."""
        found = rows(frame, setting=self.setting, n=self.n, k=self.k, batch=self.batch, lr=self.lr, noise=0.0)
        return rows(found, width=self.model.widths[0]) if self.model else found

    def times(self, frame: pl.DataFrame) -> list[float]:
        """Convergence times of its runs; a failure counts as never."""
        return times(self.rows(frame))

    def converged(self, frame: pl.DataFrame) -> tuple[int, int]:
        """Successes and trials."""
        found = self.times(frame)
        return sum(t < NEVER for t in found), len(found)


def panel_runs(panels: Iterable[Panel], seeds: int, first: int) -> list[Run]:
    """All panels with these seeds."""
    return repeat([panel.run() for panel in panels], seeds, first)


def curves_figure(
    frame: pl.DataFrame, panels: Sequence[Panel], title: str, subtitle: str, columns: int = 3
) -> alt.TopLevelMixin:
    """Test error along the way, a panel per setting and a line per run."""
    found = [panel.rows(frame).with_columns(panel=pl.lit(panel.label)) for panel in panels]
    present = [part for part in found if len(part)]
    table = points(pl.concat(present), {TEST: "test error"}, "panel") if present else pl.DataFrame()
    return lines(
        table, x="step", y="value", line="run", kind="kind", panel="panel", title=title, subtitle=subtitle,
        x_title="training step", y_title="test error", columns=columns, y_domain=(0.0, 0.6), percent=True,
    )  # fmt: skip


def listed(frame: pl.DataFrame, panels: Iterable[Panel]) -> str:
    """How many runs of each panel converged, in words."""
    cells = ((f"({p.setting}) ({p.n},{p.k}) B={p.batch} η={p.lr:g}", p.converged(frame)) for p in panels)
    return counts_in_words((name, (won, trials)) for name, (won, trials) in cells if trials)


def least_converged(frame: pl.DataFrame, panels: Sequence[Panel], share: float) -> Finding:
    """At least this share of every panel's runs converges."""
    cells = [panel.converged(frame) for panel in panels]
    if not all(trials for _, trials in cells):
        return NOT_ENOUGH
    return each((wilson(*cell) for cell in cells), at_least(share), "points", listed(frame, panels))
