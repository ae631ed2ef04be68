"""The commands of the command line as functions."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from glassware import studies
from glassware.charts import save
from glassware.charts.luck import data_against_compute
from glassware.engine import Engine, devices
from glassware.engine.device import cores
from glassware.engine.lanes import describe
from glassware.foundation.errors import GlasswareError
from glassware.luck import Advice, pareto_front
from glassware.luck import plan as make_advice
from glassware.luck.problems import say
from glassware.models import MLP
from glassware.runs import at_least_one, make_reporter
from glassware.studies import SCALES, Judgement, Report, Study
from glassware.sweeps import SEMANTICS, Experience, Forecast, Reporter, Store, make_plan, parse_share, select
from glassware.sweeps import estimate as estimate_runs
from glassware.sweeps.rows import own_version
from glassware.tasks import Parity
from glassware.training import Run

STORE, FIGURES = "results/store", "results/figures"


def run(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: Store | str | Path | None = STORE,
    figures: str | Path | None = FIGURES,
    seeds: int | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
    share: str | None = None,
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
        share: ``2/8`` trains the second of eight equal parts; eight processes, on as many GPUs or machines, may do
            theirs at the same time into one store. Nothing is judged or drawn: that is for a call without a share.
        progress: True prints how far it is; or a ``Reporter`` of your own.

    Returns:
        A report with the rows (``frame``), the claims (``judgements``) and the paths of the ``figures``.
    """
    at_least_one(seeds=seeds, lanes=lanes)
    chosen, size = _find(study), studies.check_scale(scale)
    part = None if share is None else parse_share(share)
    if figures is not None and part is None:
        check_folder(figures)  # now, not after hours of training
    reporter = make_reporter(progress, len(chosen.stages), lanes, engine)
    frame = studies.train(chosen, size, _open(store), seeds, share=part, reporter=reporter, lanes=lanes, engine=engine)
    if part is not None:
        return Report(chosen.name, size, frame, [], [])
    drawn = [] if figures is None else draw(chosen, size, frame, figures)
    return Report(chosen.name, size, frame, studies.claims(chosen, size, frame), drawn)


def estimate(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: Store | str | Path | None = STORE,
    seeds: int | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
    tell: Callable[[str], None] | None = None,
) -> Forecast:
    """How long training a study takes on this machine; trains nothing, but measures the machine for up to a minute.

    Steps come from the success rates in the store: from rows of the same cell (all fields but the seed), else from the
    nearest cell (in m, width, learning rate and other numbers) of the same task and the same words, else every run
    counts with all its steps. Speed is measured for a few shapes, and interpolated for the others.

    Args:
        study: name of a study, or one of your own.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results; None, or one that is not there, knows nothing.
        seeds: runs per cell; the scale's own number unless given.
        lanes: runs held at once; chosen from the device's memory unless given.
        engine: ``auto`` (kernels where they can, XLA otherwise), ``xla``, ``kernels`` or ``kernels-exact``.
        tell: told what is being measured.

    Returns:
        A forecast: ``expected`` and ``at_most`` (seconds that what is left takes), ``whole`` and ``left`` (runs, steps,
        floating-point operations, seconds), ``lines()`` (by ``axis``), ``basis()`` (what it rests on), ``cells``.
    """
    at_least_one(seeds=seeds, lanes=lanes)
    chosen, size, kept = _find(study), studies.check_scale(scale), _open(store)
    rows = kept.read() if kept is not None and len(chosen.stages) > 1 else pl.DataFrame()
    table = pl.DataFrame()
    wanted: dict[str, Run] = {}
    todo: dict[str, Run] = {}
    later = 0
    for stage in chosen.stages:
        if todo:  # its runs follow from rows that are not there yet
            later += 1
            continue
        plan = make_plan(stage(size, seeds, table), kept)
        wanted, todo = {**wanted, **plan.wanted}, {**todo, **plan.todo}
        found = select(rows, plan) if len(rows) else pl.DataFrame()
        table = pl.concat([table, found], how="diagonal_relaxed") if len(table) else found
    forecast = estimate_runs(wanted, todo, Experience(kept), lanes=lanes, engine=engine, on_measure=tell)
    return replace(forecast, later=later)


def claims(
    study: str | Study | None = None,
    scale: str = "laptop",
    *,
    store: Store | str | Path = STORE,
    seeds: int | None = None,
) -> list[Judgement]:
    """Judge claims on the results in a store; trains nothing.

    Args:
        study: a study, all studies of a paper (``"pareto"``), or None for every one.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results.
        seeds: runs per cell to look at; the scale's own number unless given.
    """
    at_least_one(seeds=seeds)
    chosen = [study] if isinstance(study, Study) else studies.matching(study)
    size, kept = studies.check_scale(scale), existing(store)
    return [j for one in chosen for j in studies.claims(one, size, studies.results(one, size, kept, seeds))]


def figures(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: Store | str | Path = STORE,
    folder: str | Path = FIGURES,
    seeds: int | None = None,
) -> list[Path]:
    """Draw a study's figures from the results in a store, as PNG and HTML, and return their paths; trains nothing.

    Args:
        study: name of a study, or one of your own.
        scale: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results.
        folder: where the figures go.
        seeds: runs per cell to look at; the scale's own number unless given.
    """
    at_least_one(seeds=seeds)
    chosen, size, kept = _find(study), studies.check_scale(scale), existing(store)
    check_folder(folder)
    return draw(chosen, size, studies.results(chosen, size, kept, seeds), folder)


def plan(
    where: Mapping[str, Any] | None = None,
    m: int | None = None,
    budget: float | None = None,
    *,
    store: Store | str | Path = STORE,
) -> Advice:
    """What to train for a task, restarted how often, by the runs in a store; trains nothing.

    A try is given up at the cut-off that makes one success cheapest, and another is started.

    Args:
        where: columns of the results and their values, as ``{"n": 50, "k": 3}``; those of the task that are not named
            have their usual values.
        m: examples at hand; None: any number.
        budget: floating-point operations to spend; None: any number.
        store: folder of results.

    Returns:
        A plan: ``cells`` (best first, each with ``run``, ``restart``, ``flops`` and ``attempt``, a try as a run),
        ``best``, ``chance`` of success within the budget, and ``notes()``: what the store cannot tell.
    """
    return make_advice(existing(store), where, m, budget)


def plan_figure(plan: Advice, file: str | Path) -> list[Path]:
    """Draw data against compute over the cells of a plan; ``file`` names the PNG and the HTML beside it."""
    path = Path(file)
    if path.suffix not in ("", ".png", ".html"):
        raise GlasswareError(f"a figure is PNG and HTML: name it .png or .html, not {path.name}")
    check_folder(path.parent)
    prices = plan.prices()
    title = f"Data against compute: one success at {say(plan.where)}"
    subtitle = "with the best cut-off and restarts; bars are 95% intervals, the stair is the front"
    front = pareto_front(prices)
    if not len(front):
        raise GlasswareError(f"there is nothing to draw: no cell of {say(plan.where)} has a price")
    chart = data_against_compute(prices, front, title=title, subtitle=subtitle, m=plan.m)
    return list(save(chart, path.parent, path.stem))


def list_studies() -> pl.DataFrame:
    """Every study: name, title, runs at each scale (of its first stage), stages, whether it computes, claims."""
    # Not called ``studies``: that is the package with the studies themselves.
    return pl.DataFrame(
        [
            {
                "name": study.name,
                "title": study.title,
                **{scale: study.size(scale) for scale in SCALES},
                "stages": len(study.stages),
                "computed": study.compute is not None or study.parts is not None,
                "claims": len(study.claims),
            }
            for study in studies.STUDIES.values()
        ]
    )


def info() -> dict[str, Any]:
    """This machine and these versions, and what the engine would choose for a few shapes."""
    shapes = [(50, 100), (50, 1000), (200, 10_000)]
    chosen = [
        {"n": n, "width": width, "runs": 1000}
        | describe(Run(task=Parity(n=n, k=3), model=MLP(width=width)).shape(), 1000)
        for n, width in shapes
    ]
    return {
        "glassware": own_version(),
        "semantics": SEMANTICS,
        "python": platform.python_version(),
        **{name: version(name) for name in ("jax", "jaxlib", "optax", "polars")},
        "system": platform.platform(),
        "cores": cores(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "devices": [
            {"platform": d.platform, "kind": d.device_kind, "memory": (d.memory_stats() or {}).get("bytes_limit")}
            for d in devices()
        ],
        "engine": chosen,
    }


def _find(study: str | Study) -> Study:
    return study if isinstance(study, Study) else studies.find(study)


def _open(store: Store | str | Path | None) -> Store | None:
    return store if isinstance(store, Store) or store is None else Store(store)


def existing(store: Store | str | Path) -> Store:
    """A store to read from: a folder that is not there is likelier a misspelt path than an empty store."""
    if not isinstance(store, Store) and not Path(store).exists():
        raise GlasswareError(f"there is no store at {store}; 'glassware run' makes one")
    return store if isinstance(store, Store) else Store(store)


def check_folder(folder: str | Path) -> None:
    """Refuse a folder that cannot be one, without making it."""
    for place in (Path(folder), *Path(folder).absolute().parents):
        if place.exists():
            if not place.is_dir():
                raise GlasswareError(f"cannot write figures to {folder}: {place} is a file")
            if not os.access(place, os.W_OK):
                raise GlasswareError(f"cannot write figures to {folder}: no permission in {place}")
            return


def draw(study: Study, scale: studies.Scale, frame: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Draw a study's figures from its rows."""
    try:
        return studies.figures(study, scale, frame, folder)
    except OSError as error:
        raise GlasswareError(f"cannot write figures to {folder}: {error.strerror or error}") from None
