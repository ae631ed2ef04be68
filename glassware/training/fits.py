"""Whether the parts of a run fit each other. Every check raises a ValueError of one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassware.models import Model, Solved
from glassware.probes import PROBES
from glassware.training.objective import LOSSES, METRICS

if TYPE_CHECKING:
    from glassware.training.run import Run


def check_parts(run: Run) -> None:
    """Raise a ValueError of one sentence if the parts of a run do not fit each other."""
    if isinstance(run.model, Solved):
        _check_solved(run, run.model)
    for probe in run.probes:
        PROBES[probe].check(run)
    _check_measures(run)
    _check_sizes(run)
    _check_batch(run)
    _check_loss(run)
    _check_kept_steps(run)
    if isinstance(run.model, Model):
        _check_network(run, run.model)


def _check_solved(run: Run, model: Solved) -> None:
    if run.task.kind != "sign":
        raise ValueError(f"the model '{model.name}' predicts signs, not what '{run.task.name}' asks for")
    if run.task.domain is not None:
        raise ValueError(f"the model '{model.name}' needs a task whose examples never end")
    if run.metrics != ("error",) or not run.succeeds_below:
        raise ValueError(f"the model '{model.name}' is examined by its error only")
    if run.m is None:
        raise ValueError(f"the model '{model.name}' needs a fixed sample: give m")
    if run.keep or (run.start and not model.drawn):
        raise ValueError(f"the model '{model.name}' has no weights to keep or to start from")
    for probe in run.probes:
        if PROBES[probe].views is None:
            raise ValueError(f"the probe '{probe}' looks at a network in training; the model '{model.name}' is solved")
    model.check(run.task, run.m, run.init.scheme)


def _check_measures(run: Run) -> None:
    evaluation = run.evaluation
    for metric in run.metrics:
        if run.task.kind not in METRICS[metric].kinds:
            raise ValueError(f"the metric '{metric}' does not fit the task '{run.task.name}'")
    if evaluation.measure is not None and evaluation.measure not in METRICS:
        if not any(PROBES[probe].when == "curve" for probe in run.probes):
            raise ValueError(
                f"unknown measure {evaluation.measure!r}; give a metric ({', '.join(METRICS)}) or the column of a "
                "curve probe of the run"
            )
        if evaluation.direction is None:
            raise ValueError(f"say which way '{evaluation.measure}' succeeds: give evaluation.direction")
    if evaluation.screen and not (run.measure in METRICS and run.succeeds_below):
        raise ValueError(f"evaluation.screen needs a metric that succeeds below, not the measure '{run.measure}'")


def _check_sizes(run: Run) -> None:
    task, init, every = run.task, run.init, run.evaluation.every
    if init.s is not None and init.s > task.input_size:
        raise ValueError(f"init.s must be at most n = {task.input_size}, not {init.s}")
    if init.neurons is not None and (len(init.neurons),) != run.model.widths:
        raise ValueError(f"init.neurons must name one neuron for each of the model's {run.model.widths} hidden units")
    if run.steps % every:
        raise ValueError(f"steps must be a multiple of evaluation.every = {every}, not {run.steps}")
    if task.domain is not None and run.m is not None and run.m > task.domain:
        raise ValueError(f"m must be at most the {task.domain} examples of '{task.name}', not {run.m}")


def _check_batch(run: Run) -> None:
    if run.batch == "full":
        if run.sample is None:
            raise ValueError("a full batch needs a fixed sample: give m")
        if run.sampling != "replacement":
            raise ValueError("a full batch is not sampled: leave sampling out")
    elif run.steps * run.batch >= 2**32:
        raise ValueError(f"steps x batch must stay below 2**32, not {run.steps} x {run.batch}")
    if run.sampling == "epochs" and run.sample is None:
        raise ValueError("sampling by epochs needs a fixed sample: give m")


def _check_loss(run: Run) -> None:
    if run.task.kind not in LOSSES[run.loss].kinds:
        fit = [name for name, loss in LOSSES.items() if run.task.kind in loss.kinds]
        raise ValueError(f"the loss '{run.loss}' does not fit the task '{run.task.name}'; use {', '.join(fit)}")


def _check_kept_steps(run: Run) -> None:
    for step in run.kept_steps:
        near = run.evaluation.nearest(step, run.steps)
        if step != near:
            raise ValueError(f"keep must name steps at which the run is examined, as {near}, not {step}")


def _check_network(run: Run, model: Model) -> None:
    if run.task.kind not in model.kinds:
        raise ValueError(f"the model '{model.name}' does not fit the task '{run.task.name}'")
    model.check(run.task, run.init.scheme)
    for penalty in run.penalty:
        penalty.check(model)
    rates = run.optimiser.layer_rates
    if rates is not None and len(rates) != model.layers:
        raise ValueError(
            f"optimiser.layer_rates must have one entry for each of the {model.layers} layers, not {len(rates)}"
        )
