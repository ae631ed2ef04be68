"""Studies of papers: reproduced, judged, drawn."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from glassware import studies
from glassware.api.folders import FIGURES, STORE, AnyStore, as_store, check_figures, existing
from glassware.api.sweeps import make_reporter, stopped_in_words
from glassware.cluster import trainer
from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_counts
from glassware.studies import SCALES, FigureError, Judgement, Report, Study
from glassware.sweeps import Remembered, Reporter, parse_share, remember
from glassware.training import Run

log = logging.getLogger("glassware")


def reproduce(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: AnyStore | None = STORE,
    figures: str | Path | None = FIGURES,
    seeds: int | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
    share: str | None = None,
    on: str | None = None,
    set: Mapping[str, Any] | None = None,
    only: Mapping[str, Collection[Any]] | None = None,
    progress: bool | Reporter = False,
) -> Report:
    """Train what a study lacks, judge its claims and draw its figures.

    Args:
        study: name of a study (see ``list_studies``), or one of your own.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results; None keeps nothing.
        figures: folder for the figures; None draws nothing.
        seeds: runs per cell; the scale's own number unless given.
        lanes: runs held at once; chosen from the device's memory unless given.
        engine: ``auto`` (kernels where they can, XLA otherwise), ``xla``, ``kernels`` or ``kernels-exact``.
        share: ``2/8`` trains the second of eight equal shares; eight processes, on as many GPUs or machines, may do
            theirs at the same time into one store. Nothing is judged or drawn: that is for a call without a share.
        on: ``ray`` or ``ray://host:port`` trains on a Ray cluster, as in ``sweep``; what is computed is computed here.
        set: fields to change in every run, ``{"optimiser.momentum": 0.9}``. What comes of it is a study of its own,
            ``pareto/slices@optimiser.momentum=0.9``, which other functions find by that name.
        only: train a part: the runs whose fields have one of these values, ``{"task.n": [50, 100]}``. Nothing is
            judged or drawn, as with a share.
        progress: True prints how far it is; or a ``Reporter`` of your own.

    Returns:
        A report with the rows (``frame``), the claims (``judgements``) and the paths of the ``figures``. A claim whose
        check fails has the verdict ``error``; a figure that cannot be drawn is named in the log. The others are there.

    >>> import glassware as gw
    >>> report = gw.reproduce("pareto/weight-decay", "smoke", store=None, figures=None, seeds=1)
    >>> report.frame["success"].all(), report.judgements[0].verdict
    (False, 'not judged at this scale')
    """
    check_counts(seeds=seeds, lanes=lanes)
    chosen, size = studies.part(studies.changed(_find(study), set or {}), only or {}), studies.check_scale(scale)
    own = None if share is None else parse_share(share)
    partly = own is not None or bool(only)
    if figures is not None and not partly:
        check_figures(figures)  # now, not after hours of training
    reporter, kept = (
        make_reporter(progress, len(chosen.stages), lanes, engine, on is not None),
        None if store is None else as_store(store),
    )
    with stopped_in_words(store, progress), trainer(on, share) as elsewhere:
        frame = studies.train(
            chosen, size, kept, seeds, share=own, reporter=reporter, lanes=lanes, engine=engine, trainer=elsewhere
        )
    if chosen.changes and kept is not None and "id" in frame.columns:
        ids = tuple(frame["id"].drop_nulls())
        with kept.writing(own):
            remember(kept, Remembered(f"{chosen.name}/{size}", chosen.title, "", ids))
    if partly:
        return Report(chosen.name, size, frame, [], [])
    judged = studies.claims(chosen, size, frame)
    try:
        drawn = [] if figures is None else draw(chosen, size, frame, figures)
    except FigureError as error:  # what was trained and judged is not lost
        log.warning(str(error))
        drawn = error.drawn
    for one in judged:
        if one.verdict == "error":
            log.warning(f"claim '{one.claim}' of {one.study}: {one.detail}")
    return Report(chosen.name, size, frame, judged, drawn)


def claims(
    study: str | Study | None = None,
    scale: str = "laptop",
    *,
    store: AnyStore = STORE,
    seeds: int | None = None,
) -> list[Judgement]:
    """Judge claims on the results in a store; trains nothing.

    Args:
        study: a study, all studies of a paper (``"pareto"``), or None for every one.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results.
        seeds: runs per cell to look at; the scale's own number unless given.

    >>> import glassware as gw, tempfile
    >>> judged = gw.claims("pareto/slices", store=tempfile.mkdtemp())  # an empty store
    >>> judged[0].claim, judged[0].verdict
    ('...', 'not enough runs')
    """
    check_counts(seeds=seeds)
    chosen = [study] if isinstance(study, Study) else studies.matching(study)
    size, kept = studies.check_scale(scale), existing(store)
    return [j for one in chosen for j in studies.claims(one, size, studies.results(one, size, kept, seeds))]


def figures(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: AnyStore = STORE,
    folder: str | Path = FIGURES,
    seeds: int | None = None,
) -> list[Path]:
    """Draw a study's figures from the results in a store, as PNG and HTML, and return their paths; trains nothing.

    A figure that cannot be drawn is named in a GlasswareError, after the others are drawn.

    Args:
        study: name of a study, or one of your own.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results.
        folder: where the figures go.
        seeds: runs per cell to look at; the scale's own number unless given.

    >>> import glassware as gw, tempfile
    >>> gw.figures("pareto/slices", "smoke", store=tempfile.mkdtemp())  # an empty store
    Traceback (most recent call last):
    glassware.foundation.errors.GlasswareError: no results of pareto/slices at scale smoke yet: ...
    """
    check_counts(seeds=seeds)
    chosen, size, kept = _find(study), studies.check_scale(scale), existing(store)
    check_figures(folder)
    return draw(chosen, size, studies.results(chosen, size, kept, seeds), folder)


def list_studies() -> pl.DataFrame:
    """Every study: name, title, runs at each scale (of its first stage), stages, whether it computes, claims.

    >>> import glassware as gw
    >>> "pareto/success-frontier" in gw.list_studies()["name"]
    True
    """
    # Not called ``studies``: that is the package with the studies themselves.
    return pl.DataFrame(
        [
            {
                "name": study.name,
                "title": study.title,
                **{scale: study.size(scale) for scale in SCALES},
                "stages": study.sweeps,
                "computed": study.compute is not None or study.parts is not None,
                "claims": len(study.claims),
            }
            for study in studies.STUDIES.values()
        ]
    )


def draw(study: Study, scale: studies.Scale, frame: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Draw a study's figures from its rows."""
    try:
        return studies.figures(study, scale, frame, folder)
    except OSError as error:
        raise GlasswareError(f"cannot write figures to {folder}: {error.strerror or error}") from None


def _find(study: str | Study) -> Study:
    if isinstance(study, Run):
        raise GlasswareError("a study is reproduced; a run is trained by gw.train(run)")
    return study if isinstance(study, Study) else studies.find(study)
