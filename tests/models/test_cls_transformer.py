"""The Transformer with [CLS] against a loop written out, with and without dropout."""

import math

import jax
import numpy as np
import pytest

from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.models import ClsTransformer, Init
from glassware.models.dropout import Dropout
from glassware.sweeps.validation import build
from glassware.tasks import Junta

TASK = Junta(length=9, relevant=3)
X = TASK.bits(seed_words(1), np.arange(6, dtype=np.uint32)).astype(np.float32)
X[0] = 1  # no zero to look at
KEY, PLACES = seed_words(2), np.arange(6, dtype=np.uint32)
NO_DROPOUT = {"attention_dropout": 0, "embedding_dropout": 0, "output_dropout": 0}


def drawn(model, factor=1.0, task=TASK):
    """Weights off the special points of a first draw; queries and keys times a factor."""
    params = jax.jit(lambda values: model.init(values, task))(Init().values(seed_words(0), model.width, model.layers))
    rng = np.random.default_rng(0)
    moved = lambda leaf: np.float32(leaf + 0.3 * rng.standard_normal(leaf.shape))
    params = jax.tree.map(moved, params)
    for layer in params[1:-1]:
        layer["q"], layer["k"] = layer["q"] * np.float32(factor), layer["k"] * np.float32(factor)
    return params


def layer_norm(z, scale, shift):
    return (z - z.mean()) / np.sqrt(z.var() + 1e-5) * scale + shift


def gelu(z):
    return np.array([0.5 * u * (1 + math.erf(u / math.sqrt(2))) for u in z])


def by_hand(model, params, x, kept):
    """Logits of one row, token by token and head by head, in double precision.

    ``kept(site, shape)`` are the factors of dropout.
    """
    embedding, *layers, readout = jax.tree.map(np.float64, params)
    z = [embedding["tokens"][int(bit)] + embedding["positions"][t] for t, bit in enumerate(x)]
    z = np.array([*z, embedding["tokens"][2] + embedding["positions"][-1]])
    z = z * kept(model.embedding_dropout, 0, z.shape)
    size, tokens = model.d_attn, len(z)
    for i, layer in enumerate(layers):
        last = i == len(layers) - 1
        inner = [layer_norm(row, layer["attention_scale"], layer["attention_shift"]) for row in z]
        q, k, v = ([row @ layer[name] + layer[f"{name}_bias"] for row in inner] for name in "qkv")
        shape = (model.heads, tokens) if last else (model.heads, tokens, tokens)
        factors = kept(model.attention_dropout, 1 + 3 * i, shape)
        rows = {}
        for query in [tokens - 1] if last else range(tokens):
            heads = []
            for h in range(model.heads):
                cut = slice(h * size, (h + 1) * size)
                scores = np.array([q[query][cut] @ key[cut] for key in k]) / np.sqrt(size)
                share = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                share = share * (factors[h] if last else factors[h, query])
                heads.append(sum(w * value[cut] for w, value in zip(share, v, strict=True)))
            rows[query] = np.concatenate(heads) @ layer["out"] + layer["out_bias"]
        one = (model.width,) if last else (tokens, model.width)
        after, block = (kept(model.output_dropout, site + 3 * i, one).reshape(-1, model.width) for site in (2, 3))
        z = z.copy()
        for place, (row, added) in enumerate(rows.items()):
            z[row] = z[row] + added * after[place]
            hidden = gelu(layer_norm(z[row], layer["mlp_scale"], layer["mlp_shift"]) @ layer["up"] + layer["up_bias"])
            z[row] = z[row] + (hidden @ layer["down"] + layer["down_bias"]) * block[place]
    return layer_norm(z[-1], readout["scale"], readout["shift"]) @ readout["w"]


MODELS = {
    "tables": {"embedding_dropout": 0},
    "embeddings dropped": {},
    "two layers": {"depth": 2},
    "one head": {"heads": 1, "d_attn": 8, "embedding_dropout": 0},
}


@pytest.mark.parametrize("fields", MODELS.values(), ids=MODELS)
def test_outputs_are_the_formula(fields):
    model = ClsTransformer(**{"width": 8, "heads": 2, "d_attn": 4, **fields})
    params = drawn(model)
    ones = lambda rate, site, shape: np.ones(shape)
    wanted = [by_hand(model, params, x, ones) for x in X]
    dropout = Dropout(KEY, 4, PLACES)
    both = jax.jit(lambda params: (model.apply(params, X), model.apply_training(params, X, dropout)))
    found, trained = map(np.asarray, both(params))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    for row, x in enumerate(X):
        coins = lambda rate, site, shape, row=row: np.asarray(dropout.kept(rate, site, shape))[row]
        np.testing.assert_allclose(trained[row], by_hand(model, params, x, coins), rtol=1e-5, atol=1e-5)
    assert not np.allclose(trained, wanted)


@pytest.mark.parametrize("factor", [3, 30])
def test_large_logits_of_absent_tokens_do_not_hide_a_row(factor):
    """A trained head has its largest logits at zeros, which rows of class 1 do not hold."""
    model = ClsTransformer(width=8, heads=2, d_attn=4, **NO_DROPOUT)
    params = drawn(model, factor)
    ones = lambda rate, site, shape: np.ones(shape)
    wanted = np.array([by_hand(model, params, x, ones) for x in X])

    def total(params):
        found = model.apply(params, X)
        return found.sum(), found

    gradient, found = jax.jit(jax.grad(total, has_aux=True))(params)
    assert abs(found - wanted).max() / abs(wanted).max() < (1e-5 if factor == 3 else 1e-3)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


@pytest.mark.parametrize("fields", [{"embedding_dropout": 0}, {}], ids=str)
def test_slopes_are_differences(fields):
    model = ClsTransformer(width=8, heads=2, d_attn=4, **fields)
    params = drawn(model)
    dropout = Dropout(KEY, 0, PLACES)
    total = jax.jit(jax.value_and_grad(lambda params: model.apply_training(params, X, dropout)[:, 0].sum()))
    gradient, rng = total(params)[1], np.random.default_rng(1)
    direction = jax.tree.map(lambda leaf: np.float32(rng.standard_normal(leaf.shape)), params)
    along = lambda step: float(total(jax.tree.map(lambda a, b: a + np.float32(step) * b, params, direction))[0])
    wanted = sum(np.vdot(a, b) for a, b in zip(jax.tree.leaves(gradient), jax.tree.leaves(direction), strict=True))
    assert (along(1e-3) - along(-1e-3)) / 2e-3 == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("depth", [1, 2])
def test_attention_is_a_share_for_every_token(depth):
    model = ClsTransformer(width=8, heads=2, d_attn=4, depth=depth)
    attention = jax.jit(model.cls_attention)
    share = np.asarray(attention(drawn(model), X))
    assert share.shape == (6, 10, 2)
    np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-5)
    blind = drawn(model, factor=0)
    for layer in blind[1:-1]:
        layer["q_bias"] = 0 * layer["q_bias"]
    np.testing.assert_allclose(np.asarray(attention(blind, X)), 0.1, rtol=1e-5)


def test_relabelled_positions_change_nothing():
    model, order = ClsTransformer(width=8, heads=2, d_attn=4), np.random.default_rng(0).permutation(9)
    params = drawn(model)
    moved = [{**params[0], "positions": params[0]["positions"][[*order, 9]]}, *params[1:]]
    apply = jax.jit(model.apply)
    np.testing.assert_allclose(apply(tuple(moved), X[:, order]), apply(params, X), atol=1e-5)


@pytest.mark.parametrize(("length", "count"), [(100, 56_896), (300, 69_696), (1100, 120_896)])
def test_parameters_are_as_many_as_the_text_implies(length, count):
    assert ClsTransformer().parameters(Junta(length=length)) == count == 50_432 + 64 * (length + 1)


def test_other_tasks_get_one_sentence():
    with pytest.raises(GlasswareError, match="it needs the task 'junta', not 'group'"):
        build({"task": {"name": "group", "group": "Z_5"}, "model": {"name": "cls-transformer"}})
