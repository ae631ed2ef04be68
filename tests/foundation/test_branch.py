"""A condition of all lanes is a branch, where one of each lane's own would be both and a choice."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from glassware.foundation.branch import everywhere


def scaled(condition, x, reduced=everywhere):
    return lax.cond(reduced(condition), lambda: 2 * x, lambda: 3 * x)


@pytest.mark.parametrize(("conditions", "factor"), [([True, True], 2), ([True, False], 3), ([False, False], 3)])
def test_all_lanes_take_the_branch_that_suits_all(conditions, factor):
    given, x = jnp.array(conditions), jnp.array([1.0, 5.0])
    slopes = jax.jit(jax.vmap(jax.grad(scaled, argnums=1)))(given, x)
    assert jax.vmap(scaled)(given, x).tolist() == [factor, 5 * factor]
    assert slopes.tolist() == [factor, factor]


def test_it_is_a_branch_and_not_both():
    lanes = jnp.ones(2, bool), jnp.ones(2)
    assert "cond[" in str(jax.make_jaxpr(jax.vmap(scaled))(*lanes))
    own = jax.vmap(lambda condition, x: scaled(condition, x, reduced=lambda own: own))
    assert "cond[" not in str(jax.make_jaxpr(own)(*lanes))  # or this test could not fail


def test_without_lanes_it_is_the_condition():
    assert scaled(jnp.bool_(True), 1.0) == 2
    assert scaled(jnp.bool_(False), 1.0) == 3
