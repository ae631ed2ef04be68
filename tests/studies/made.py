"""Made rows: what a study's check must say about results we choose, and what every computed study must do."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from glassware.engine import Outcome
from glassware.foundation.statistics import Estimate
from glassware.studies import SCALES, Scale, Study, claims, figures
from glassware.studies.claim import judge
from glassware.studies.verdict import Finding
from glassware.sweeps.rows import frame, row
from glassware.training import Run

Rows = list[dict[str, Any]]


def cell(won: int, trials: int, steps: int = 1000, **columns: Any) -> Rows:
    """A cell's rows: the first ``won`` runs succeed after so many steps, the others never."""
    return [
        {**columns, "seed": i, "success": i < won, "steps_to_success": steps if i < won else None}
        for i in range(trials)
    ]


def table(*cells: Rows) -> pl.DataFrame:
    """All cells as one results table."""
    return frame([row for cell in cells for row in cell])


def check(study: Study, claim: str, made: pl.DataFrame) -> Finding:
    """What the claim's check says about these rows."""
    (found,) = [c for c in study.claims if c.id == claim]
    finding = found.check(made)
    assert isinstance(finding.measured, Estimate)
    finding.text()
    return finding


def verdicts(study: Study, made: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Every claim judged at every scale it names."""
    for claim in study.claims:
        for scale in claim.scales:
            yield claim.id, judge(study.name, claim, scale, made).verdict


def computed_from_end_to_end(study: Study, rows: pl.DataFrame, folder: Path) -> None:
    """What a study that computes must do with its rows of smoke scale: hold, be drawn, and say what it is."""
    unjudged = "not judged at this scale"
    assert {j.verdict for j in claims(study, "smoke", rows) if "printed" not in j.claim} <= {"holds", unjudged}
    paths = figures(study, "smoke", rows, folder)
    assert {path.stem for path in paths} == set(study.figures)
    assert all(path.stat().st_size > 3000 for path in paths)
    nothing = {j.verdict for scale in SCALES for j in claims(study, scale, rows.clear())}
    assert nothing <= {"not enough runs", unjudged}
    for claim in study.claims:
        claim.check(rows).text()
        assert all((claim.threshold, claim.where, claim.check.__doc__))
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about


def pretend(runs: Iterable[Run], passed: Callable[[Run], bool]) -> pl.DataFrame:
    """Rows of these runs as if they had been trained, with a say on which succeed."""
    return frame([row(_outcome(run, passed(run))) for run in runs])


def pretend_study(study: Study, scale: Scale, passed: Callable[[Run], bool], seeds: int | None = None) -> pl.DataFrame:
    """Rows of all stages of a study as if they had been trained."""
    return study.follow(scale, seeds, lambda _, runs: (pretend(runs, passed), True))


def _outcome(run: Run, passed: bool) -> Outcome:
    error = 0.05 if passed else 0.5
    curves = {"step": [0, 100], "test_error": [0.5, error], "train_error": [0.5, 0.0], "loss": [1.0, 0.1]}
    length = run.model.widths[0] if run.model.widths else 0
    final = {probe: np.linspace(0, 1, length, dtype=np.float32) for probe in run.probes}
    arrays = {name: np.array(values) for name, values in curves.items()}
    return Outcome(run, 100, 100 if passed else None, None, arrays, final, 0.1, 1e6, "xla")
