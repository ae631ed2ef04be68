"""Fields of a specification that hold a member of a registry: a model, a task."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import SerializeAsAny

from glassware.foundation.part import registered
from glassware.models import MODELS, Model, Solved
from glassware.tasks import TASKS, Task

AnyModel: TypeAlias = Annotated[SerializeAsAny[Model | Solved], registered("model", lambda: MODELS, "mlp")]
AnyTask: TypeAlias = Annotated[SerializeAsAny[Task], registered("task", lambda: TASKS, "parity")]
