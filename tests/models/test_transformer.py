import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.models import Init, Transformer
from glassware.sweeps.validation import build
from glassware.tasks import Parity
from tests.helpers import TINY

N = 7
MODEL = Transformer(d_emb=12, heads=3, d_attn=4, d_mlp=9)
SIGNS = np.random.default_rng(0).choice([-1.0, 1.0], (5, N))


def started(model=MODEL, inputs=N, scheme="glorot"):
    values = Init(scheme=scheme).values(seed_words(0), 1, model.layers)
    params = jax.jit(lambda values: model.init(values, Parity(n=inputs, k=1)))(values)
    return jax.tree.map(lambda a: np.asarray(a, np.float64), params)


def gelu(z):
    return z * np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))(z)


def plainly(params, x):
    """One example, one head, one token at a time, as the paper writes it."""
    embed, before, after, into, out, readout = params
    tokens = [embed["tokens"][0 if sign < 0 else 1] + place for sign, place in zip(x, embed["positions"], strict=True)]
    cls = embed["tokens"][2]
    X = np.array([*tokens, cls])
    a = cls.copy()
    for h in range(MODEL.heads):
        own = slice(4 * h, 4 * h + 4)
        logits = X @ before["k"][:, own] @ (cls @ before["q"][:, own]) / np.sqrt(4)
        share = np.exp(logits) / np.exp(logits).sum()
        a = a + share @ X @ after["v"][:, own] @ after["out"][own]
    z = a + gelu(a @ into["w"] + into["b"]) @ out["w"] + out["b"]
    return z @ readout["w"][:, 0]


def test_outputs_are_those_of_the_plain_formula():
    params = started()
    rng = np.random.default_rng(1)
    params = jax.tree.map(lambda a: a + 0.3 * rng.normal(size=a.shape), params)  # no bias is 0 then
    with jax.enable_x64(True):
        found = MODEL.apply(params, jnp.asarray(SIGNS))
    np.testing.assert_allclose(found, [plainly(params, x) for x in SIGNS], atol=1e-10)
    assert MODEL.parameters(Parity(n=N, k=1)) == sum(a.size for a in jax.tree.leaves(params))


def test_gradients_are_those_of_finite_differences():
    params = started()
    rng = np.random.default_rng(2)
    direction = jax.tree.map(lambda a: rng.normal(size=a.shape), params)
    along = lambda t: sum(plainly(jax.tree.map(lambda a, d: a + t * d, params, direction), x) for x in SIGNS)
    with jax.enable_x64(True):
        gradient = jax.jit(jax.grad(lambda p: jnp.sum(MODEL.apply(p, jnp.asarray(SIGNS)))))(params)
    found = sum(
        np.sum(np.asarray(g) * d) for g, d in zip(jax.tree.leaves(gradient), jax.tree.leaves(direction), strict=True)
    )
    np.testing.assert_allclose(found, (along(1e-5) - along(-1e-5)) / 2e-5, rtol=1e-6)


def test_embeddings_start_as_standard_gaussians_and_matrices_by_their_fans():
    embed, before, after, into, out, readout = started(Transformer(d_emb=64, heads=8, d_attn=4), inputs=50)
    for table in embed.values():
        assert table.var() == pytest.approx(1, rel=0.2)
    for matrix, fans in ((before["q"], 68), (before["k"], 68), (after["v"], 68), (after["out"], 68)):
        assert 0.95 < np.abs(matrix).max() * np.sqrt(fans / 6) <= 1 + 1e-6
    for layer, fans in ((into, 128), (out, 128), (readout, 65)):
        assert 0.9 < np.abs(layer["w"]).max() * np.sqrt(fans / 6) <= 1 + 1e-6
    assert not into["b"].any()
    assert not out["b"].any()


def test_far_logits_do_not_overflow():
    params = started()
    params[1]["k"] *= 1e3
    params = jax.tree.map(jnp.float32, params)
    # Far from the highest token that any example could hold, too: there the gradient is the first to go.
    summed = lambda p: jnp.sum(MODEL.apply(p, np.float32(SIGNS)))
    output, gradient = jax.jit(jax.value_and_grad(summed))(params)
    assert np.isfinite(output)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_the_mlp_block_is_as_wide_as_an_embedding_unless_told():
    assert Transformer(d_emb=32) == Transformer(d_emb=32, d_mlp=32)


def test_a_sparse_start_is_refused():
    with pytest.raises(GlasswareError, match="'sparse' does not fit a transformer"):
        build({**TINY, "model": {"name": "transformer"}, "init": {"scheme": "sparse"}})


def test_a_small_transformer_learns_a_parity():
    run = build({
        "task": {"n": 10, "k": 2},
        "model": {"name": "transformer", "d_emb": 64, "heads": 8, "d_mlp": 64},
        "init": {"scheme": "glorot"},
        "optimiser": {"name": "adam", "lr": 0.001},
        "batch": 64,
        "steps": 400,
        "evaluation": {"every": 20, "test": 500, "success": 0.0},
    })  # fmt: skip
    (outcome,) = train([run])
    assert outcome.success_step is not None
    assert outcome.curves["test_error"][0] > 0.3
