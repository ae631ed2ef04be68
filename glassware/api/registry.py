"""Parts and studies of your own, made known by their names."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, TypeVar

from glassware.foundation.errors import GlasswareError
from glassware.models import ACTIVATIONS, MODELS, Activation, Model
from glassware.probes import PROBES, Probe
from glassware.tasks import TASKS, Task

Known = TypeVar("Known")


def register(part: Known, name: str | None = None) -> Known:
    """Make a task, model, probe, activation or study of your own known, and return it; a decorator for classes.

    Runs, sweep files, stores and the command line then find it by its name. Registering it again replaces it; names
    that glassware itself uses are refused. Rows in a store are found by names and fields: after changing what the code
    of a part does, change its name, give it a new field, or use another store.

    Args:
        part: a subclass of ``Task`` or ``Model``, a ``Probe``, an ``Activation``, or a ``Study``.
        name: of a probe or an activation; tasks, models and studies say their own.

    >>> from typing import Literal
    >>> import glassware as gw
    >>> @gw.register
    ... class Majority(gw.Parity):
    ...     name: Literal["majority-of-k"] = "majority-of-k"
    >>> gw.Run(task={"name": "majority-of-k", "n": 9, "k": 3}, model=gw.MLP(width=8)).task.k
    3
    >>> _ = gw.register(gw.Probe("final", lambda run, values, params: {"first": params[0]["w"]}), "my-first-layer")
    """
    registry, known = _registry(part)
    own = _own_name(part)
    if own is not None and name not in (None, own):
        raise GlasswareError(f"it calls itself '{own}', not '{name}'")
    named = own or name
    if not named:
        raise GlasswareError(f"give the {known} a name: gw.register({known}, 'name')")
    before = registry.get(named)
    if before is not None and before is not part and _is_ours(before):
        raise GlasswareError(f"glassware has a {known} '{named}' already; give yours another name")
    registry[named] = part
    return part


def _registry(part: Any) -> tuple[MutableMapping[str, Any], str]:
    """Where a part belongs, and what it is."""
    if isinstance(part, type) and issubclass(part, Task):
        return TASKS, "task"
    if isinstance(part, type) and issubclass(part, Model):
        return MODELS, "model"
    if isinstance(part, Probe):
        return PROBES, "probe"
    if isinstance(part, Activation):
        return ACTIVATIONS, "activation"
    from glassware.studies import STUDIES, Study  # here: whoever registers a task does not wait for the studies

    if isinstance(part, Study):
        return STUDIES, "study"
    raise GlasswareError(
        f"register a subclass of Task or Model, a Probe, an Activation or a Study, not {type(part).__name__}"
    )


def _own_name(part: Any) -> str | None:
    if not isinstance(part, type):
        return getattr(part, "name", None)
    name = part.model_fields["name"].default if issubclass(part, Task | Model) else None
    if not isinstance(name, str):
        raise GlasswareError(f'{part.__name__} needs a name: write name: Literal["..."] = "..." in its body')
    return name


def _is_ours(part: Any) -> bool:
    """Whether a part came with glassware."""
    if isinstance(part, type):
        return part.__module__.startswith("glassware.")
    if isinstance(part, Probe):
        return part.measure.__module__.startswith("glassware.")
    if isinstance(part, Activation):
        return part.function.__module__.startswith("glassware.")
    from glassware.studies import GROUPS

    return any(part is study for group in GROUPS for study in group.STUDIES)
