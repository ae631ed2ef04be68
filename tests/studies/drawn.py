"""Rows with curves of our choice, and what every study must do from end to end."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from glassware.engine import Outcome
from glassware.studies import SCALES, Study, claims, figures, results, train
from glassware.sweeps import Store, run_id
from glassware.sweeps.rows import frame, row
from glassware.training import Run
from tests.studies.made import pretend_study, verdicts


def drawn(
    run: Run,
    errors: Sequence[float],
    *,
    every: int = 100,
    train: Sequence[float] | None = None,
    success: int | None = None,
    **curves: Sequence[float],
) -> dict[str, Any]:
    """The row of a run that was examined every so many steps and had these test errors; it succeeds at the first 0."""
    steps = [every * i for i in range(len(errors))]
    zero = next((t for t, error in zip(steps, errors, strict=True) if error == 0 and t), None)
    found = {
        "step": steps,
        "test_error": list(errors),
        "train_error": list(train or errors),
        "loss": [1.0] * len(errors),
        **{name: list(values) for name, values in curves.items()},
    }
    arrays = {name: np.array(values) for name, values in found.items()}
    return row(Outcome(run, steps[-1], zero if success is None else success, None, arrays, {}, 0.1, 1e6, "xla"))


def falling(run: Run, plateau: int, end: int, every: int = 10) -> dict[str, Any]:
    """A run at chance before step ``plateau``, at 30% from there on, and right from step ``end`` on."""
    errors = [0.5 if t < plateau else 0.3 if t < end else 0.0 for t in range(0, end + 1, every)]
    return drawn(run, errors, every=every)


def stuck(run: Run, every: int = 100) -> dict[str, Any]:
    """A run at chance to its end."""
    return drawn(run, [0.5] * 11, every=every)


def table(*groups: Iterable[dict[str, Any]] | dict[str, Any]) -> pl.DataFrame:
    """Rows, or groups of them, as one table."""
    return frame([r for group in groups for r in ([group] if isinstance(group, dict) else group)])


def whole(study: Study, folder: Path, *, laptop: int, paper: int, size: int = 1000) -> None:
    """Everything that any study must do: its smoke scale trained, judged and drawn, and the size of its grids."""
    store = Store(folder / "store")
    rows = train(study, "smoke", store)
    assert {run_id(run) for run in study.runs("smoke")} == set(rows["id"])
    assert results(study, "smoke", store).equals(rows, null_equal=True)
    assert {judgement.verdict for judgement in claims(study, "smoke", rows)} == {"not judged at this scale"}
    paths = figures(study, "smoke", rows, folder)
    assert {path.stem for path in paths} == set(study.figures)
    assert all(path.stat().st_size > size for path in paths)
    for made in (pl.DataFrame(), rows.clear()):
        assert {verdict for _, verdict in verdicts(study, made)} == {"not enough runs"}
    _any_part(study, rows)
    sizes = {"laptop": laptop, "paper": paper}
    for scale in SCALES:
        few, more = ({run_id(run) for run in study.runs(scale, seeds)} for seeds in (1, 2))
        assert few < more
        assert len(more) == 2 * len(few) == len(study.runs(scale, 2))
        if scale in sizes:
            assert len(study.runs(scale)) == sizes[scale]
    assert not {run.seed for run in study.runs("laptop")} & set(range(26))
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    assert all(claim.threshold and claim.where and claim.check.__doc__ for claim in study.claims)


def _any_part(study: Study, smoke: pl.DataFrame) -> None:
    """No check may fail on part of a grid, or on rows of another scale."""
    dice = np.random.default_rng(0)
    made = pretend_study(study, "laptop", lambda run: dice.random() < 0.6, seeds=2)
    for part in (smoke, made, *(made.sample(n=max(1, len(made) // size), seed=1) for size in (2, 10))):
        for claim in study.claims:
            claim.check(part).text()
