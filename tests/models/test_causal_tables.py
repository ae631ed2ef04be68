"""The fast way through a causal transformer against its formula, ``run_through``."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import attention
from glassware.foundation.draws import seed_words
from glassware.models import CausalTransformer, Init
from glassware.tasks import MarkovChain

TASK = MarkovChain(states=3, length=9)
X = np.random.default_rng(1).integers(0, 3, (2, 3, 9))  # sequences in two axes, fewer than a block has

FORMS = [{"heads": 2}, {"form": "normed"}]


def drawn(model, scale, dtype=np.float32):
    values = Init().values(seed_words(0), model.width, model.layers)
    rng = np.random.default_rng(0)
    return jax.tree.map(
        lambda leaf: np.asarray(scale * (leaf + 0.1 * rng.standard_normal(leaf.shape)), dtype), model.init(values, TASK)
    )


@pytest.mark.parametrize("fields", FORMS, ids=str)
def test_it_is_the_formula(fields):
    """In float64, also where scores are in the thousands and attention is all on one key."""
    model = CausalTransformer(width=8, **fields)
    with jax.enable_x64(True):
        both = jax.jit(lambda p: (model.apply(p, X), model.run_through(p, X)[0]))
        for scale in (3, 30):
            found, expected = both(drawn(model, scale, np.float64))
            assert found.dtype == jnp.float64
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_gradients_are_those_of_the_formula():
    """In float32, through the kernel."""
    attention.offer()
    model = CausalTransformer(width=16, form="normed")
    loss = lambda logits: jnp.mean(jax.nn.logsumexp(logits, axis=-1) - logits[..., 0])
    fast = lambda p: loss(model.apply(p, X))
    plain = lambda p: loss(model.run_through(p, X)[0])
    both = jax.jit(lambda p: (jax.grad(fast)(p), jax.grad(plain)(p)))(drawn(model, 3))
    for found, expected in zip(*map(jax.tree.leaves, both), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max(), rtol=0)
