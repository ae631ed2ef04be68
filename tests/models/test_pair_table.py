"""All pairs at once: the outputs and gradients of the network that looks pairs up, and who may use it."""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.foundation.draws import seed_words
from glassware.models import GroupNet, Init
from glassware.models.pair_table import slopes_at_once, slopes_by_rows
from glassware.tasks import GroupMultiplication

TASK = GroupMultiplication(group="S_3")
WEIGHTS = np.random.default_rng(0).normal(size=(36, 6))


@pytest.mark.parametrize("activation", ["square", "relu"])
def test_outputs_and_gradients_are_those_of_pairs_looked_up(activation):
    model = GroupNet(width=7, activation=activation)
    params = model.init(Init().values(seed_words(0), 7, model.layers), TASK)
    score = lambda outputs: jnp.sum(WEIGHTS * jnp.tanh(outputs))
    pairs = TASK.inputs({}, np.arange(TASK.domain, dtype=np.uint32))
    looked_up = jax.value_and_grad(lambda params: score(model.apply(params, pairs)))(params)
    all_at_once = jax.value_and_grad(lambda params: score(model.apply_all(params, TASK)))(params)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), looked_up, all_at_once)


def test_every_device_has_the_same_sums():
    rng = np.random.default_rng(0)
    given = [rng.normal(size=size).astype(np.float32) for size in ((6, 3), (6, 3), (6, 6, 3))]
    for row, whole in zip(slopes_by_rows(jnp.square)(*given), slopes_at_once(jnp.square)(*given), strict=True):
        np.testing.assert_allclose(row, whole, rtol=1e-5, atol=1e-6)


def test_a_subclass_with_outputs_of_its_own_does_not_inherit_those_on_all_pairs():
    class Doubled(GroupNet):
        name: Literal["doubled-group-net"] = "doubled-group-net"

        def apply(self, params, x):
            return 2 * super().apply(params, x)

    assert Doubled(width=7).apply_all((), TASK) is None
