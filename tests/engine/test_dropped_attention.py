"""Attention to dropped tokens as the kernel for GPUs does it, interpreted, against tokens that are written out."""

import jax
import numpy as np
import pytest

from glassware.engine import attention
from glassware.engine.attention import dropped
from glassware.foundation.draws import seed_words
from glassware.models import ClsTransformer, Init, dropped_attention
from glassware.models.dropout import Dropout
from glassware.tasks import Junta

SMALL = {"width": 16, "heads": 16, "d_attn": 2}
TUNING = {name: getattr(dropped, name.upper())._replace(tile=16, examples=4) for name in ("forward", "backward")}


@pytest.fixture(autouse=True)
def _as_the_engine_has_it():
    yield
    attention.offer()


def trained(model, length, lanes, batch, interpreted):
    """Outputs and the gradient of a sum of them, of several networks on bits of their own."""
    kernel = dropped.kernel(**TUNING, interpret=True) if interpreted else None
    dropped_attention.provide(lambda width, heads: kernel)
    rng = np.random.default_rng(0)
    values = Init().values(seed_words(0), model.width, model.layers)
    params = jax.jit(lambda values: model.init(values, Junta(length=length)))(values)
    spread = lambda leaf: np.float32(leaf + 0.3 * rng.standard_normal((lanes, *leaf.shape)))
    x = np.float32(rng.random((lanes, batch, length)) < 0.7)
    seen = np.float32(rng.standard_normal((lanes, batch, 2)))
    keys = np.array([seed_words(seed) for seed in range(lanes)])

    def one(params, x, seen, key):
        dropout = Dropout(key, 3, np.arange(batch, dtype=np.uint32))
        found, back = jax.vjp(lambda params: model.apply_training(params, x, dropout), params)
        return found, back(seen)[0]

    return jax.jit(jax.vmap(one))(jax.tree.map(spread, params), x, seen, keys)


@pytest.mark.parametrize(
    ("length", "lanes", "batch", "rate"),
    # Halves of 17 and 16 tokens, or of 21; chunks of examples broken or whole. One lane alone compiles for minutes.
    [(32, 2, 6, 0.1), (41, 3, 8, 0.0)],
)
def test_the_kernel_is_what_tokens_written_out_give(length, lanes, batch, rate):
    model = ClsTransformer(**SMALL, attention_dropout=rate)
    expected = trained(model, length, lanes, batch, interpreted=False)
    found = trained(model, length, lanes, batch, interpreted=True)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5 * np.abs(theirs).max())
