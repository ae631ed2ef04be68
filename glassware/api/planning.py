"""What training costs: how long a study takes, and what a success costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from glassware import studies
from glassware.api.folders import STORE, AnyStore, as_store, check_figures, existing
from glassware.charts import save
from glassware.charts.luck import data_against_compute
from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_counts
from glassware.luck import Advice, pareto_front
from glassware.luck import plan as make_advice
from glassware.luck.problems import say
from glassware.studies import Rounds, Study
from glassware.sweeps import Experience, Forecast, make_plan, select
from glassware.sweeps import estimate as estimate_runs
from glassware.training import Run


def estimate(
    study: str | Study,
    scale: str = "laptop",
    *,
    store: AnyStore | None = STORE,
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
        tell: called with what is being measured.

    Returns:
        A forecast: ``expected`` and ``at_most`` (seconds that what is left takes), ``whole`` and ``left`` (runs, steps,
        floating-point operations, seconds), ``lines()`` (by ``axis``), ``basis()`` (what it rests on), ``cells``.

    >>> import glassware as gw
    >>> forecast = gw.estimate("pareto/weight-decay", "smoke", store=None, seeds=1)
    >>> forecast.left.runs == forecast.whole.runs, forecast.expected > 0
    (True, True)
    """
    check_counts(seeds=seeds, lanes=lanes)
    chosen = study if isinstance(study, Study) else studies.find(study)
    size, kept = studies.check_scale(scale), None if store is None else as_store(store)
    rows = kept.read() if kept is not None and chosen.sweeps > 1 else pl.DataFrame()
    wanted: dict[str, Run] = {}
    todo: dict[str, Run] = {}
    later = 0

    def rows_of(number: int, runs: list[Run]) -> tuple[pl.DataFrame, bool]:
        nonlocal later
        plan = make_plan(runs, kept)
        wanted.update(plan.wanted)
        todo.update(plan.todo)
        if plan.todo:  # the runs of what follows depend on rows that are not there yet
            later = len(chosen.stages) - number - (not isinstance(chosen.stages[number], Rounds))
        return select(rows, plan) if len(rows) else pl.DataFrame(), not plan.todo

    chosen.follow(size, seeds, rows_of)
    forecast = estimate_runs(wanted, todo, Experience(kept), lanes=lanes, engine=engine, on_measure=tell)
    return replace(forecast, later=later)


def plan(
    where: Mapping[str, Any] | None = None,
    m: int | None = None,
    budget: float | None = None,
    *,
    store: AnyStore = STORE,
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

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> _ = gw.sweep(gw.grid(base, seeds=10), folder)
    >>> gw.plan({"n": 10, "k": 2}, store=folder).best.restart.success_probability.value
    1.0
    """
    return make_advice(existing(store), where, m, budget)


def plan_figure(plan: Advice, file: str | Path) -> list[Path]:
    """Draw data against compute over the cells of a plan; ``file`` names the PNG and the HTML beside it."""
    path = Path(file)
    if path.suffix not in ("", ".png", ".html"):
        raise GlasswareError(f"a figure is PNG and HTML: name it .png or .html, not {path.name}")
    check_figures(path.parent)
    prices = plan.prices()
    title = f"Data against compute: one success at {say(plan.where)}"
    subtitle = [
        "with the best cut-off and restarts; bars: 95% intervals",
        "stair: the front by the upper ends of the bars, so that a price known badly counts for less",
    ]
    front = pareto_front(prices)
    if not len(front):
        raise GlasswareError(f"there is nothing to draw: no cell of {say(plan.where)} has a price")
    chart = data_against_compute(prices, front, title=title, subtitle=subtitle, m=plan.m)
    return list(save(chart, path.parent, path.stem))
