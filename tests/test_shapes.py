"""The axes in the types are checked while tests run: a wrong shape is an error where it is handed over."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import TypeCheckError

from glassware.models import MLP, Init
from glassware.probes import PROBES
from glassware.tasks import Parity
from tests.helpers import tiny
from tests.test_layers import imported_by

TASK, MODEL = Parity(n=40, k=3), MLP(width=8)
KEY = np.zeros(2, np.uint32)


def test_a_wrong_number_of_inputs_is_refused():
    with pytest.raises(TypeCheckError, match="signs"):
        TASK.signs(jnp.zeros((5, 3), jnp.uint32))  # 40 inputs take two words
    assert TASK.signs(jnp.zeros((5, 2), jnp.uint32)).shape == (5, 40)


def test_traced_arrays_are_checked_as_well():
    values = Init().values(KEY, 8, MODEL.layers)
    params = MODEL.init(values, TASK)
    assert jax.eval_shape(MODEL.apply, params, jnp.zeros((5, 40))).shape == (5,)
    with pytest.raises(TypeCheckError, match="apply"):
        jax.eval_shape(MODEL.apply, params, jnp.zeros((5, 40), jnp.int32))


def test_probes_are_checked():
    run = tiny()
    with pytest.raises(TypeCheckError, match="neuron_norms"):
        PROBES["neuron_norms"].measure(run, run.values(), jnp.zeros((20, 8)))


def test_types_cost_nothing_unless_someone_checks():
    assert not imported_by("import glassware.tasks, glassware.models, glassware.probes") & {"jax", "jaxtyping"}
