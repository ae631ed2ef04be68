"""Causal transformers and the minimal induction model, against loops written out."""

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.models import CausalTransformer, Init, MinimalInduction, SoftmaxInduction
from glassware.models.dropout import Dropout
from glassware.sweeps.validation import build
from glassware.tasks import MarkovChain
from glassware.training import AdamW, Evaluation, Run

TASK = MarkovChain(states=3, length=7)
X = np.random.default_rng(0).integers(3, size=(4, *TASK.input_shape)).astype(np.int32)


def drawn(model, task=TASK):
    values = Init().values(seed_words(0), model.width or 1, model.layers)
    params = model.init(values, task)
    # Off the special points of a first draw: layer norms of scale 1, arrays that are all alike.
    leaves, tree = jax.tree.flatten(params)
    rng = np.random.default_rng(0)
    return jax.tree.unflatten(tree, [np.float32(leaf + 0.3 * rng.standard_normal(leaf.shape)) for leaf in leaves])


def layer_norm(z, scale, shift):
    return (z - z.mean()) / np.sqrt(z.var() + 1e-5) * scale + shift


def by_hand(model, params, x):
    """One sequence, position by position and head by head."""
    embedding, *layers, readout = params
    z = [
        embedding["tokens"][token] + (embedding["positions"][p] if "positions" in embedding else 0)
        for p, token in enumerate(x)
    ]
    size = model.width // model.heads
    for layer in layers:
        inner = [layer_norm(row, layer["scale"], layer["shift"]) if "scale" in layer else row for row in z]
        new = []
        for i in range(len(x)):
            heads = []
            for h in range(model.heads):
                cut = slice(h * size, (h + 1) * size)
                query = (inner[i] @ layer["q"])[cut]
                keys = [(inner[j] @ layer["k"])[cut] for j in range(i + 1)]
                if "positions" in layer:
                    keys = [key + layer["positions"][i - j][cut] for j, key in enumerate(keys)]
                scores = np.array([query @ key for key in keys]) / np.sqrt(size)
                weights = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                heads.append(sum(w * (inner[j] @ layer["v"])[cut] for j, w in enumerate(weights)))
            mixed = np.concatenate(heads)
            row = z[i] + (mixed @ layer["out"] if "out" in layer else mixed)
            if model.mlp:
                hidden = layer_norm(row, layer["mlp_scale"], layer["mlp_shift"]) @ layer["into"]
                row = row + np.maximum(hidden, 0) @ layer["back"]
            new.append(row)
        z = new
    if "scale" in readout:
        z = [layer_norm(row, readout["scale"], readout["shift"]) for row in z]
    return np.stack([row @ readout["w"] for row in z])


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"heads": 2, "depth": 1},
        {"form": "normed", "heads": 2},
        {"positions": "absolute", "mlp": True, "depth": 1},
        {"form": "normed", "mlp": True},
    ],
    ids=str,
)
def test_a_transformer_is_its_formula(fields):
    model = CausalTransformer(width=6, **fields)
    params = drawn(model)
    assert model.parameters(TASK) == sum(leaf.size for leaf in jax.tree.leaves(params))
    logits = np.asarray(jax.jit(model.apply)(params, X))
    for row, x in zip(logits, X, strict=True):
        np.testing.assert_allclose(row, by_hand(model, params, x), rtol=1e-3, atol=1e-4)


def test_the_minimal_model_is_its_double_sum():
    params = drawn(MinimalInduction())
    v, w = params[0]["v"], params[1]["w"]
    logits = np.asarray(MinimalInduction().apply(params, jax.numpy.asarray(X)))
    for row, x in zip(logits, X, strict=True):
        for p, i in np.ndindex(7, 3):
            said = sum(
                v[later - s] * w[x[p], x[s]] for later in range(p + 1) if x[later] == i for s in range(later + 1)
            )
            np.testing.assert_allclose(row[p, i], said, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [1.0, 60.0])
def test_the_minimal_model_with_a_softmax_is_its_formula(size):
    params = jax.tree.map(lambda leaf: size * leaf, drawn(SoftmaxInduction()))
    v, w, s = (params[i][name].astype(float) for i, name in enumerate(("v", "w", "s")))
    logits = np.asarray(SoftmaxInduction().apply(params, jax.numpy.asarray(X)))
    softmax = lambda scores: np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    for row, x in zip(logits, X, strict=True):
        one_hot = np.eye(3)[x]
        first = np.stack([softmax(v[p::-1]) @ one_hot[: p + 1] for p in range(7)])
        for p in range(7):
            said = s * softmax(first[: p + 1] @ w[x[p]]) @ one_hot[: p + 1]
            np.testing.assert_allclose(row[p], said, rtol=1e-3, atol=1e-4)


def test_the_minimal_model_counts_bigrams():
    params = {"v": np.float32([0, 1, 0, 0, 0, 0, 0])}, {"w": np.eye(3, dtype=np.float32)}
    logits = np.asarray(MinimalInduction().apply(params, jax.numpy.asarray(X)))
    for row, x in zip(logits, X, strict=True):
        for p, i in np.ndindex(7, 3):
            assert row[p, i] == sum(x[t] == i and x[t - 1] == x[p] for t in range(1, p + 1))


def test_only_chosen_arrays_decay():
    """Against AdamW that decays all: what is not named differs, and by the decay alone."""

    def trained(decayed):
        run = Run(
            task=TASK,
            model=CausalTransformer(width=4, depth=1),
            optimiser=AdamW(lr=0.1, weight_decay=0.5, decayed=decayed),
            batch=4,
            steps=1,
            pairing="decay",
            evaluation=Evaluation(every=1, test=8, success=0.0, stop=False),
            keep=("first", "final"),
        )
        (outcome,) = train([run])
        return outcome.weights["first"], outcome.weights["final"]

    (first, every), (same, some) = trained(("*",)), trained(("*.q", "*.k", "*.v", "*.w"))
    for name in ("q", "k", "v"):
        np.testing.assert_allclose(some[1][name], every[1][name], atol=1e-6)
    np.testing.assert_array_equal(first[0]["tokens"], same[0]["tokens"])
    np.testing.assert_allclose(some[0]["tokens"] - every[0]["tokens"], 0.1 * 0.5 * first[0]["tokens"], atol=1e-6)


def test_heads_that_do_not_divide_the_width_get_one_sentence():
    model = {"name": "causal-transformer", "width": 16, "heads": 3}
    with pytest.raises(GlasswareError, match="heads must divide the width 16: 3 do not"):
        build({"task": {"name": "markov-chain", "states": 2}, "model": model})


def test_rows_say_how_many_layers_there_are():
    depths = {CausalTransformer(depth=depth).columns("model")["depth"] for depth in (1, 2, 3)}
    assert depths == {1, 2, 3}


def test_dropout_is_the_formula_with_its_coins_and_absent_when_not_training():
    model = CausalTransformer(width=6, heads=2, depth=1, form="normed", mlp=True, dropout=0.3)
    params, dropout = drawn(model), Dropout(seed_words(2), 5, np.arange(len(X), dtype=np.uint32))
    plain = np.asarray(jax.jit(model.apply)(params, X))
    for row, x in zip(plain, X, strict=True):
        np.testing.assert_allclose(row, by_hand(model, params, x), rtol=1e-3, atol=1e-4)
    trained = np.asarray(jax.jit(lambda params: model.apply_training(params, X, dropout))(params))
    for i, (row, x) in enumerate(zip(trained, X, strict=True)):
        np.testing.assert_allclose(row, dropped_by_hand(model, params, x, dropout, i), rtol=1e-3, atol=1e-4)


def dropped_by_hand(model, params, x, dropout, i):
    """One layer of ``by_hand`` with the coins of row i: embeddings, attention, relative positions, what is added."""
    (embedding, layer, readout), t, d = params, len(x), model.width
    coins = lambda site, *shape: np.asarray(dropout.kept(0.3, site, shape))[i]
    positions = layer["positions"] * np.asarray(dropout.kept_for_all(0.3, 2, layer["positions"].shape))
    z = embedding["tokens"][x] * coins(0, t, d)
    inner = np.stack([layer_norm(row, layer["scale"], layer["shift"]) for row in z])
    attention, size = coins(1, model.heads, t, t), d // model.heads
    mixed = np.zeros((t, d))
    for h in range(model.heads):
        cut = slice(h * size, (h + 1) * size)
        for p in range(t):
            query = (inner[p] @ layer["q"])[cut]
            keys = [(inner[j] @ layer["k"] + positions[p - j])[cut] for j in range(p + 1)]
            scores = np.exp([query @ key / np.sqrt(size) for key in keys])
            for j, score in enumerate(scores):
                mixed[p, cut] += score / scores.sum() * attention[h, p, j] * (inner[j] @ layer["v"])[cut]
    z = z + mixed @ layer["out"] * coins(3, t, d)
    hidden = np.stack([layer_norm(row, layer["mlp_scale"], layer["mlp_shift"]) for row in z]) @ layer["into"]
    z = z + np.maximum(hidden, 0) @ layer["back"] * coins(4, t, d)
    return np.stack([layer_norm(row, readout["scale"], readout["shift"]) @ readout["w"] for row in z])
