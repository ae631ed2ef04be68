"""Distances to counting strategies, and the weights of the minimal model, beside NumPy."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import held_out_key
from glassware.probes import PROBES
from glassware.probes.held_out_chains import held_out_chains
from glassware.theory.markov.between import between
from glassware.theory.markov.minimal import Minimal
from glassware.theory.markov.strategies import kl, ngram, uniform
from glassware.training import Loop, Run

TEST = 64


def chains(model=None, probes=("strategies",), **task):
    return Run(
        task={"name": "markov-chain", "states": 3, "length": 12, **task}, model=model or {"name": "minimal-induction"},
        optimiser={"name": "sgd", "lr": 0.002}, batch=8, steps=20, probes=probes,
        evaluation={"every": 10, "test": TEST, "stop": False},
    )  # fmt: skip


def held_out(run):
    tokens, matrices = run.task.held_out(held_out_key(), np.arange(TEST, dtype=np.uint32))
    return np.asarray(tokens)[:, :-1].astype(int), np.asarray(matrices, float)


def softmax(logits):
    up = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return up / up.sum(axis=-1, keepdims=True)


def test_distances_along_a_run_are_those_of_numpy():
    run = chains({"name": "minimal-induction", "v": 0.1, "w": 0.5}, probes=("strategies", "minimal_weights"))
    (outcome,) = train([run])
    tokens, matrices = held_out(run)
    truth = matrices[np.arange(TEST), tokens[:, -1]]
    for at in (0, 2):
        weights = Minimal(outcome.curves["w"][at].reshape(3, 3).astype(float), outcome.curves["v"][at].astype(float))
        model = softmax(weights.logits(tokens)[:, -1])
        expected = {
            "truth_distance": kl(truth, model),
            "distance_uniform": kl(uniform(tokens, 3), model),
            "distance_unigram": kl(ngram(tokens, 3, 1), model),
            "distance_bigram": kl(ngram(tokens, 3, 2), model),
        }
        for name, each in expected.items():
            np.testing.assert_allclose(outcome.curves[name][at], each.mean(), rtol=1e-4, atol=1e-6)
    assert "distance_trigram" not in outcome.curves
    assert outcome.curves["distance_uniform"][0] > 0.01


def test_strategies_have_the_prior_of_the_task():
    """Another alpha gives other pseudo-counts, and chains of order 3 have trigrams as well."""
    for fields, name, n, alpha in (
        ({"states": 2, "alpha": (0.5, 2.0)}, "distance_bigram", 2, (0.5, 2.0)),
        ({"states": 2, "order": 3}, "distance_trigram", 3, 1.0),
    ):
        run = chains(**fields)
        loop = Loop(run.shape())
        measured = jax.jit(lambda values, loop=loop: loop.evaluate(values, loop.init(values), loop.examination())[1])
        tokens, _ = held_out(run)
        expected = kl(ngram(tokens, 2, n, alpha), uniform(tokens, 2)).mean()
        np.testing.assert_allclose(measured(run.values())[name], expected, rtol=1e-4)


def test_the_weights_of_the_minimal_model():
    run = chains(probes=("minimal_weights",))
    params = ({"v": np.float32([0.1, 0.6, 0.3, -0.9])}, {"w": np.float32([[4, 1, -1], [1, 5, 1], [2, -1, 6]])})
    found = PROBES["minimal_weights"].measure(run, run.values(), jax.tree.map(jax.numpy.asarray, params))
    np.testing.assert_allclose(found["diagonal_ratio"], 5 / (7 / 6), rtol=1e-6)
    np.testing.assert_allclose(found["second_lead"], 2, rtol=1e-6)
    np.testing.assert_array_equal(found["w"], [4, 1, -1, 1, 5, 1, 2, -1, 6])
    still = PROBES["minimal_weights"].measure(run, run.values(), ({"v": np.ones(4)}, {"w": np.zeros((2, 2))}))
    assert still["diagonal_ratio"] == 0


def test_other_tasks_and_models_are_refused():
    with pytest.raises(ValueError, match="needs the task 'markov-chain', not 'parity'"):
        Run(task={"name": "parity", "n": 10, "k": 2}, model={"name": "mlp", "width": 4}, probes=("strategies",))
    with pytest.raises(ValueError, match="needs the model 'minimal-induction', not 'causal-transformer'"):
        chains(model={"name": "causal-transformer"}, probes=("minimal_weights",))


def test_other_priors_are_those_of_numpy():
    """Held-out chains of the prior itself, on which the minimal model predicts by its logits."""
    run = chains({"name": "minimal-induction", "v": 0.1, "w": 0.5}, probes=("other_priors",))
    params = run.first(run.values())
    found = PROBES["other_priors"].measure(run, run.values(), params)
    weights = Minimal(np.asarray(params[1]["w"], float), np.asarray(params[0]["v"], float))
    for name, prior in (("unigram", "unigram"), ("doubly_stochastic", "doubly-stochastic")):
        tokens, truth = held_out_chains(run.task.with_prior(prior), 1024)
        expected = kl(truth.astype(float), softmax(weights.logits(tokens)[:, -1])).mean()
        np.testing.assert_allclose(found[f"truth_distance_{name}"], expected, rtol=1e-3)


def test_strategies_between_unigrams_and_bigrams():
    run = chains(probes=("all_strategies",), states=2)
    params = run.first(run.values())
    raw = run.task.held_out(held_out_key(), np.arange(TEST, dtype=np.uint32))
    exam = SimpleNamespace(raw=jax.tree.map(lambda a: a[None], raw))
    found = PROBES["all_strategies"].measure(run, run.values(), params, exam)
    tokens, _ = held_out(run)
    for name, strategy in between(2, 12).items():
        expected = kl(strategy(tokens), uniform(tokens, 2)).mean()  # W = 0 predicts 1/2
        np.testing.assert_allclose(found[f"distance_{name}"], expected, rtol=1e-4)
