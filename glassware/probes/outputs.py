"""Probes that look at a network's outputs on the held-out sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from glassware.foundation.arrays import Array, Float, LaneValues, Params, RunValues, Shaped
from glassware.foundation.backend import jax, jnp
from glassware.probes.subject import Numbers, Sample, Subject, Task, Views

Measured = TypeVar("Measured")  # a number, or numbers in any nesting
# Compact examples: an array, or a tuple of arrays where a task keeps more than one.
Blocks: TypeAlias = Shaped[Array, "..."] | tuple[Shaped[Array, "..."], ...]


def correlation(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """E[y yhat(x)] over the held-out sample (its whole blocks)."""
    value = mean_over(exam.raw, lambda raw: correlation_of(run, values, params, raw))
    return {"correlation": value}


def largest_output(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """max |yhat(x)| over the held-out sample (its whole blocks)."""
    output = lambda raw: jnp.max(jnp.abs(run.network.apply(params, run.task.inputs(values["task"], raw))))
    return {"largest_output": jnp.max(jax.lax.map(output, exam.raw))}


def component_views(task: Task, values: LaneValues, raw: Shaped[Array, "block words"]) -> Views:
    """The same examples as D1 (``uniform``) and as D2 (``leaking``)."""
    return {name: task.component(values, raw, name == "leaking") for name in ("uniform", "leaking")}


def components(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """Accuracy of a leaky parity on each component: the held-out sample as D1 (``uniform``) and as D2 (``leaking``)."""

    def right(raw: Shaped[Array, "block words"]) -> dict[str, Float[Array, ""]]:
        views = component_views(run.task, values["task"], raw).items()
        return {name: jnp.mean(jnp.where(y * run.network.apply(params, x) > 0, 1.0, 0.0)) for name, (x, y) in views}

    return mean_over(exam.raw, right)


def correlation_of(
    run: Subject, values: RunValues, params: Params, raw: Shaped[Array, " batch *form"]
) -> Float[Array, ""]:
    """The mean of y yhat(x) over a batch of compact examples."""
    output = run.network.apply(params, run.task.inputs(values["task"], raw))
    return jnp.mean(run.task.targets(values["task"], raw) * output)


def mean_over(blocks: Blocks, measure: Callable[..., Measured]) -> Measured:
    """The mean of a measurement over blocks of equal size, one at a time so that activations stay small."""
    first = jax.eval_shape(measure, jax.tree.map(lambda a: a[0], blocks))
    add = lambda total, block: (jax.tree.map(jnp.add, total, measure(block)), None)
    zero = jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), first)
    total, _ = jax.lax.scan(add, zero, blocks)
    count = len(jax.tree.leaves(blocks)[0])
    return jax.tree.map(lambda a: a / count, total)
