"""Attention of causal transformers: 1 for an induction head that was built as one, plain NumPy for any other."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

from glassware.foundation.draws import held_out_key, seed_words
from glassware.models import CausalTransformer, Init
from glassware.probes import PROBES
from glassware.probes.held_out_chains import held_out_chains
from glassware.tasks import MarkovChain
from glassware.theory.markov.construction import induction_transformer
from glassware.training import Run

TASK = MarkovChain(states=3, length=12)
PARITY = {"name": "parity", "n": 9, "k": 2}


def run(probes, keep=(0,), **model):
    return Run(
        task=TASK, model={"name": "causal-transformer", **model}, steps=20, probes=probes, keep=keep,
        evaluation={"every": 10, "test": 64},
    )  # fmt: skip


def exam(blocks=2):
    raw = TASK.held_out(held_out_key(), np.arange(32 * blocks, dtype=np.uint32))
    return SimpleNamespace(raw=jax.tree.map(lambda a: a.reshape(blocks, 32, *a.shape[1:]), raw))


def measured(probe, params, *more, **model):
    made = run((probe,), **model)
    found = PROBES[probe].measure(made, made.values(), jax.tree.map(jax.numpy.asarray, params), *more)
    return {name: np.asarray(value) for name, value in found.items()}


def built(sharpness=60.0):
    """Proposition 8.2 as the parameters of a transformer of width 9."""
    made = induction_transformer(3, TASK.length, sharpness)
    layers = [{"q": a.Q, "k": a.K, "v": a.V, "positions": a.v} for a in made.layers]
    return jax.tree.map(np.float32, ({"tokens": np.eye(3, 9)}, *layers, {"w": made.readout}))


def drawn(**fields):
    model = CausalTransformer(**fields)
    params = model.init(Init().values(seed_words(0), model.width, model.layers), TASK)
    return jax.tree.map(lambda leaf: 4 * leaf, params)


def test_an_induction_head_scores_one():
    found = measured("attention", built(), exam(), width=9)
    names = ("prev_score", "prev_argmax", "induction_norm", "match_evenness", "recency")
    # Position 1 stands in for its own predecessor: where x_1 is the current token a share of the attention goes there.
    for name, off in zip(names, (1e-3, 1e-3, 0.4, 1e-3, 1e-3), strict=True):
        np.testing.assert_allclose(found[name], 1, atol=off, err_msg=name)
    np.testing.assert_allclose(found["first_peak"], TASK.length, rtol=1e-3)


def test_scores_are_those_of_numpy():
    params = drawn(heads=2)
    found = measured("attention", params, exam(), heads=2)
    tokens = held_out_chains(TASK, 64)[0]
    first, last = (np.asarray(a, float) for a in CausalTransformer(heads=2).attention(params, tokens))
    previous = [np.mean([first[:, h, i, i - 1] for i in range(1, 12)]) for h in range(2)]
    np.testing.assert_allclose(found["prev_heads"], previous, rtol=1e-4)
    np.testing.assert_allclose(found["prev_score"], max(previous), rtol=1e-4)
    expected = {name: [] for name in ("induction_score", "induction_norm", "match_evenness", "recency")}
    for x, weights in zip(tokens, last[:, :, -1], strict=True):
        right = [j for j in range(1, 12) if x[j - 1] == x[-1]]
        for head in weights:
            score = head[right].sum()
            expected["induction_score"].append(score)
            expected["induction_norm"].append((score - len(right) / 12) / (1 - len(right) / 12))
            if len(right) >= 4:
                share = head[right] / score
                expected["match_evenness"].append(np.exp(-(share * np.log(share)).sum()) / len(right))
                expected["recency"].append(len(right) * share[-1])
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], np.mean(values), rtol=1e-3, atol=1e-4, err_msg=name)


def test_positions_speak_for_themselves():
    params = drawn(form="normed", heads=2)
    found = measured("positions", params, form="normed", heads=2)
    z = np.asarray(params[0]["tokens"], float)
    z = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5) * params[1]["scale"]
    query = (z @ params[1]["q"]).reshape(3, 2, 8)
    scores = np.einsum("ahj,mhj->ham", query, np.asarray(params[1]["positions"]).reshape(12, 2, 8)) / np.sqrt(8)
    np.testing.assert_allclose(found["position_scores"], scores.mean(axis=1).ravel(), rtol=1e-3, atol=1e-5)
    law = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(found["vhat"], law.mean(axis=1).ravel(), rtol=1e-3)
    spread = 0.5 * np.abs(law - law.mean(axis=1, keepdims=True)).sum(-1).max()
    np.testing.assert_allclose(found["vhat_spread"], spread, rtol=1e-3)


def test_a_transplant_works_as_soon_as_its_layer_does():
    """The second layer of the built network behind its first one, whatever the first was at that step."""
    right, wrong = built(), jax.tree.map(np.zeros_like, built())
    early = (*wrong[:2], right[2], wrong[3])
    kept = jax.tree.map(lambda *leaves: jax.numpy.stack(leaves), wrong, early, right)
    made = run(("transplants",), keep=(0, 10, 20), width=9)
    found = np.asarray(PROBES["transplants"].measure(made, made.values(), right, kept)["transplant_norm"])
    np.testing.assert_allclose(found[0], 0, atol=1e-6)
    assert found[1] == pytest.approx(found[2])
    assert found[2] > 0.6


def test_maps_are_attention_to_a_short_input_at_each_kept_step():
    last = built()
    kept = jax.tree.map(lambda *leaves: jax.numpy.stack(leaves), last, jax.tree.map(np.zeros_like, last))
    made = run(("short_maps",), keep=(0, 20), width=9)
    found = PROBES["short_maps"].measure(made, made.values(), last, kept)
    tokens = np.asarray(found["map_tokens"]).astype(int)
    assert tokens[-1] == 2
    assert np.bincount(tokens).min() >= 2
    weights = np.asarray(found["map_weights"]).reshape(2, 2, len(tokens), len(tokens))
    np.testing.assert_allclose(weights[0, 0][range(1, 12), range(11)], 1, atol=1e-3)
    np.testing.assert_allclose(weights[1].sum(-1), 1, rtol=1e-5)
    scores = np.asarray(found["map_scores"]).reshape(weights.shape)
    assert np.all(scores[1] == 0)
    assert scores[0, 0, 5, 4] == pytest.approx(20, rel=1e-3)  # c / sqrt(d)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"probes": ("attention",), "model": {"name": "minimal-induction"}}, "need the model 'causal-transformer'"),
        ({"probes": ("transplants",)}, "give keep"),
        ({"probes": ("positions",), "model": {"name": "causal-transformer", "positions": "absolute"}}, "relative"),
        ({"probes": ("all_strategies",), "task": {"name": "markov-chain", "states": 5}}, "two or three states"),
        ({"probes": ("other_priors",), "task": {"name": "markov-chain", "states": 9}}, r"at most \d states"),
        ({"probes": ("other_priors",), "task": PARITY, "model": {"name": "mlp", "width": 4}}, "needs the task 'markov"),
    ],
)  # fmt: skip
def test_runs_that_a_probe_does_not_fit_get_one_sentence(fields, said):
    with pytest.raises(ValueError, match=said) as caught:
        Run(**{"task": TASK, "model": {"name": "causal-transformer"}, **fields})
    assert "\n" not in str(caught.value)
