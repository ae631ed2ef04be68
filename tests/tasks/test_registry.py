"""Tasks that users register: named in specifications, trained by XLA, apart from the parity in the store."""

from typing import Literal

import jax.numpy as jnp
import pytest
from jax import lax

from glassware import MLP, Run, sweep
from glassware.foundation.errors import GlasswareError
from glassware.sweeps import run_id
from glassware.sweeps.validation import build
from glassware.tasks import TASKS, Parity
from tests.helpers import TINY


class Or(Parity):
    """y = -1 where all of S is -1."""

    name: Literal["or"] = "or"

    def targets(self, values, raw):
        minus = jnp.sum(lax.population_count(raw & values["mask"]), axis=-1)
        return jnp.where(minus < jnp.sum(lax.population_count(values["mask"])), 1.0, -1.0)


def test_a_users_task_runs_end_to_end(monkeypatch, tmp_path):
    parity = Run(**TINY)
    key = run_id(parity)
    monkeypatch.setitem(TASKS, "or", Or)
    other = Run(**{**TINY, "task": {"name": "or", "n": 20, "k": 3}})
    assert type(other.task) is Or
    assert Run.model_validate_json(other.model_dump_json()) == other
    assert type(Run(**TINY).task) is Parity  # one that is not named
    assert run_id(Run(**TINY)) == key != run_id(other)
    found = sweep([parity, other], tmp_path / "store")
    assert sorted(found["task"]) == ["or", "parity"]
    # The or of three signs is -1 in an eighth of the examples: whoever says +1 is right in the others.
    assert found.filter(task="or")["test_error"].item() < 0.15


def test_an_unregistered_task_is_refused():
    with pytest.raises(ValueError, match="register it first"):
        Run(task=Or(n=20, k=3), model=MLP(width=4))
    with pytest.raises(GlasswareError, match="'parity'"):
        build({**TINY, "task": {"name": "or", "n": 20, "k": 3}})
