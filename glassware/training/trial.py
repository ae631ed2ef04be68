"""Tasks and models of your own, tried on a few examples before anything is compiled.

A wrong shape would be an error deep inside JAX, and wrong targets none at all: training would go on with nonsense. So
each is said here, in one sentence that names the class, the method and what was expected. What comes with glassware is
not tried: tests do that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import Stream, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.models import ACTIVATIONS, Model
from glassware.tasks.task import Task, check_declared
from glassware.training.run import Run
from glassware.training.trial_targets import check_targets

FEW, MANY = 32, 4096  # examples; many where few look alike, for rare events may be all that tells them apart
Given = TypeVar("Given")

_tried: set[tuple[Task, type, str]] = set()  # a model's size is not tried: tracing each takes a quarter of a second


def try_parts(run: Run) -> None:
    """Raise a GlasswareError of one sentence if the run's task or model does not do what is asked of it."""
    activation = getattr(run.model, "activation", None) or ""
    made = [type(run.task), type(run.model), *([ACTIVATIONS[activation].function] if activation in ACTIVATIONS else [])]
    key = run.task.shape(), type(run.model), activation
    if all(_is_ours(one) for one in made) or key in _tried:
        return
    if not _is_ours(made[0]):
        _try_task(run)
    if isinstance(run.model, Model):
        _try_model(run, run.model)
    _tried.add(key)


def _is_ours(made: Any) -> bool:
    return str(getattr(made, "__module__", "")).startswith("glassware.")


def _try_task(run: Run) -> None:
    task = run.task
    check_declared(task)
    key, count = run.key(), FEW if task.domain is None else min(FEW, task.domain)
    values = _call(task, "values", task.values, key)
    if not isinstance(values, Mapping):
        raise GlasswareError(f"{_name(task)}.values gives {_what(values)}; it returns a dictionary of arrays")
    example, index = stream_key(key, Stream.EXAMPLE), np.arange(count, dtype=np.uint32)
    raw = _call(task, "raw", _drawn, task, example, index)
    _check_raw(task, raw, count)
    _check_addresses(task, example, raw, count)
    x = _inputs(task, values, raw)
    _check_inputs(task, x, count)
    y = _call(task, "targets", task.targets, values, raw)
    check_targets(task, _method(task, "targets"), y, count)
    if type(task).train_targets is not Task.train_targets:
        noise = stream_key(key, Stream.NOISE)
        noisy = _call(task, "train_targets", task.train_targets, values, noise, index, raw)
        check_targets(task, "train_targets", noisy, count)
    _compile(task, "raw", task.raw, example, index)
    _compile(task, "inputs", task.inputs, values, raw)
    _compile(task, "targets", task.targets, values, raw)


def _drawn(task: Task, key: np.ndarray, index: np.ndarray) -> Any:
    """Examples. Drawing is a hundred small operations, each of which JAX would compile: NumPy first."""
    try:
        return task.raw(key, index)
    except Exception:  # NumPy's arrays cannot all that JAX's can
        return task.raw(jnp.asarray(key), jnp.asarray(index))


def _check_raw(task: Task, raw: Any, count: int) -> None:
    leaves = jax.tree.leaves(raw)
    if not leaves:
        raise GlasswareError(f"{_name(task)}.raw gives {_what(raw)}; it returns the examples at these indices")
    paired = isinstance(raw, tuple | list) and len(raw) == 2
    alone = type(task).inputs is Task.inputs or type(task).targets is Task.targets
    if alone and not paired:
        raise GlasswareError(
            f"{_name(task)}.raw gives {_what(raw)}; without methods inputs and targets of its own a task's raw returns "
            "the pair (inputs, targets)"
        )
    for leaf in leaves:
        if np.ndim(leaf) < 1 or len(leaf) != count:
            raise GlasswareError(
                f"{_name(task)}.raw gives an array of shape {np.shape(leaf)} for {count} indices; its first axis is "
                "that of the examples"
            )


def _check_addresses(task: Task, key: np.ndarray, raw: Any, count: int) -> None:
    """An example is a function of the key and its own index."""
    how = "draw all that is random about an example by gw.draw(key, index, counter)"
    index = np.arange(count, dtype=np.uint32)
    if not _alike(raw, _drawn(task, key, index)):
        raise GlasswareError(f"{_name(task)}.raw gives other examples when it is called again: {how}")
    if not _alike(jax.tree.map(lambda a: a[::-1], raw), _drawn(task, key, index[::-1])):
        raise GlasswareError(f"{_name(task)}.raw does not make example i from index[i] alone: {how}")
    if task.domain is not None:
        return
    for number in (FEW, MANY):
        first = np.arange(number, dtype=np.uint32)
        before, later = _drawn(task, key, first), _drawn(task, key, first + np.uint32(number))
        other = _drawn(task, stream_key(key, Stream.TEST), first)
        if not (_alike(before, later) or _alike(before, other)):
            return
    ignored = "key: the held-out examples would be those of training"
    if _alike(before, later):
        ignored = "index: every example would be the same"
    raise GlasswareError(f"{_name(task)}.raw ignores its {ignored}; {how}")


def _inputs(task: Task, values: Mapping[str, Any], raw: Any) -> Any:
    """The inputs; without hidden values, as the held-out ones are made, unless the task says that it needs them."""
    if task.hidden_inputs:
        return _call(task, "inputs", task.inputs, values, raw)
    try:
        return task.inputs({}, raw)
    except KeyError as error:
        if error.args and error.args[0] in values:
            raise GlasswareError(
                f"{_name(task)}.inputs reads values[{error.args[0]!r}]; a task whose inputs depend on hidden values "
                "says hidden_inputs = True"
            ) from None
        return _call(task, "inputs", task.inputs, {}, raw)
    except Exception:
        return _call(task, "inputs", task.inputs, {}, raw)


def _check_inputs(task: Task, x: Any, count: int) -> None:
    name, shape, wanted = f"{_name(task)}.{_method(task, 'inputs')}", np.shape(x), tuple(task.input_shape)
    if not hasattr(x, "shape"):
        raise GlasswareError(f"{name} gives {_what(x)}; the inputs of {count} examples are {(count, *wanted)}")
    if shape[:1] != (count,):
        raise GlasswareError(f"{name} gives {shape} for {count} examples; expected {(count, *wanted)}")
    if shape[1:] != wanted:
        raise GlasswareError(f"{name} gives {shape[1:]} per example; input_shape says {wanted}")
    if not np.all(np.isfinite(np.asarray(x, float))):
        raise GlasswareError(f"{name} gives numbers that are not finite")


def _try_model(run: Run, model: Model) -> None:
    name, task = type(model).__name__, run.task
    blank = run.values()
    params = _compile(model, "init", lambda values: model.init(values, task), blank["init"])
    if not isinstance(params, tuple) or not all(isinstance(layer, dict) for layer in params):
        raise GlasswareError(f"{name}.init gives {_what(params)}; it returns a tuple of dictionaries, one per layer")
    if len(params) != model.layers:
        raise GlasswareError(f"{name}.init gives {len(params)} dictionaries; layers says {model.layers}")
    index = np.arange(FEW, dtype=np.uint32)
    draw = lambda: task.raw(blank["keys"]["example"], index)
    x, y = jax.eval_shape(lambda: (task.inputs(blank["task"], draw()), task.targets(blank["task"], draw())))
    found = _compile(model, "apply", model.apply, params, x)
    wanted = (FEW,) if task.kind == "sign" else (*y.shape[: 1 + (task.kind == "sequence")], task.classes)
    if getattr(found, "shape", None) != wanted:
        many = "" if task.kind == "sign" else f" with {task.classes} classes"
        gives = getattr(found, "shape", None) or _what(found)
        raise GlasswareError(
            f"{name}.apply gives {gives} for {FEW} examples; the task '{task.name}' of kind '{task.kind}'{many} needs "
            f"{wanted}"
        )


def _call(part: Task | Model, method: str, function: Callable[..., Given], *given: Any) -> Given:
    """What a method returns; what it raises in a sentence that names it."""
    try:
        return function(*given)
    except GlasswareError:
        raise
    except Exception as error:
        raise GlasswareError(f"{_name(part)}.{method} fails: {_reason(error)}") from error


def _compile(part: Task | Model, method: str, function: Callable[..., Any], *given: Any) -> Any:
    """The shapes that a method returns when JAX compiles it."""
    try:
        return jax.eval_shape(function, *given)
    except GlasswareError:
        raise
    except Exception as error:
        raise GlasswareError(f"{_name(part)}.{method} cannot be compiled by JAX: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]


def _name(part: Task | Model) -> str:
    return type(part).__name__


def _method(task: Task, method: str) -> str:
    """The method that a task writes itself: ``raw`` where it returns the pair."""
    return "raw" if getattr(type(task), method) is getattr(Task, method) else method


def _what(value: Any) -> str:
    """A value in a sentence: an array by its shape."""
    if hasattr(value, "shape"):
        return f"an array of shape {tuple(value.shape)}"
    return "None" if value is None else f"a {type(value).__name__}"


def _alike(one: Any, other: Any) -> bool:
    """Whether two sets of examples are the same but for rounding."""
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    close = lambda a, b: np.allclose(np.asarray(a, float), np.asarray(b, float), 1e-4, 1e-6, equal_nan=True)
    return all(np.shape(a) == np.shape(b) and close(a, b) for a, b in pairs)
