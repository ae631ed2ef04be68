"""The kernel for CPU cores beside XLA: same draws, same networks up to rounding."""

from dataclasses import replace
from itertools import pairwise

import numba
import numpy as np
import pytest

from glassware.foundation import draws as laboratory
from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, lanes
from glassware.tabular.attempts import attempt
from glassware.tabular.cpu import draws, products, program, vectors, weights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 11))
CLASSES = (X[:, 0] * X[:, 1] > 0) + 2 * (X[:, 2] > 1)
NUMBERS = X[:, 0] * X[:, 1] + X[:, 2]

# Between them: either start, schedule, decay, loss; odd widths, batches that end early, held-out rows, weights.
SPREAD = {"hidden_layer_sizes": (33, 24, 8), "epochs": 4, "n_ensemble": 3, "guided": False, "precision": "exact"}
COUPLED = {"preset": "paper", "hidden_layer_sizes": 40, "epochs": 4, "batch_size": 50, "weight_decay": 0.1}


def job(kind, random_state=0, **parameters):
    model = kind(random_state=random_state, **parameters)
    prepared = model._prepare(X, CLASSES if kind is SparseMLPClassifier else NUMBERS, 1 + np.arange(len(X)) % 3)
    return attempt(prepared, replace(prepared.recipe, cuts=0)).parts[0].job


def arrays(outcome):
    return [layer[name] for params in outcome.members for layer in params for name in ("w", "b")]


@pytest.mark.parametrize(("kind", "parameters"), [(SparseMLPClassifier, SPREAD), (SparseMLPRegressor, COUPLED)])
def test_it_trains_what_xla_trains(kind, parameters):
    starts, ends = (
        [job(kind, **parameters, init_sparsity=sparsity, **more) for sparsity in (None, 2)]
        for more in ({"learning_rate": 0.0}, {})
    )
    ours, theirs = program.train(starts + ends), lanes.train(starts + ends, "xla")
    # The same draws, and few steps: rounding grows by training, and what is compared is the rules.
    for a, b, tolerance in zip(ours, theirs, (1e-7, 1e-7, 2e-5, 2e-5), strict=True):
        np.testing.assert_allclose(a.loss, b.loss, rtol=1e-5)
        for one, other in zip(arrays(a), arrays(b), strict=True):
            np.testing.assert_allclose(one, other, atol=tolerance)
    for before, after in zip(ours[:2], ours[2:], strict=True):
        assert all(np.abs(a - b).max() > 1e-3 for a, b in zip(arrays(before), arrays(after), strict=True))  # it moved


def test_random_words_are_those_of_the_laboratory():
    key, across, down = np.uint32([7, 2**32 - 1]), np.arange(19, dtype=np.uint32), np.uint32([[2**32 - 2], [3]])
    for ours, theirs in zip(draws.draw(key, across, down), laboratory.draw(key, across, down), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_networks_do_not_mind_their_company():
    jobs = [job(SparseMLPClassifier, seed, **SPREAD) for seed in range(3)]
    jobs.insert(1, job(SparseMLPRegressor, **COUPLED))
    for one, together in zip(jobs, program.train(jobs), strict=True):
        for a, b in zip(arrays(program.train([one])[0]), arrays(together), strict=True):
            np.testing.assert_array_equal(a, b)


def test_weights_come_back_as_they_went():
    shape = job(SparseMLPClassifier, hidden_layer_sizes=(19, 40), guided=False).shape()
    net = weights.layout(shape)
    sizes = (11, *shape.sizes[1:])
    params = tuple(
        {"w": RNG.normal(size=(a, b)).astype(np.float32), "b": RNG.normal(size=b).astype(np.float32)}
        for a, b in pairwise(sizes)
    )
    flat = weights.zeros(weights.room(net)[0])
    weights.write(net, params, flat)
    for a, b in zip(weights.read(net, flat, 11), params, strict=True):
        np.testing.assert_array_equal(a["w"], b["w"])
        np.testing.assert_array_equal(a["b"], b["b"])


def test_processors_without_the_newest_instructions(monkeypatch):
    """What AVX-512 does in one instruction each: lists of what is not 0, and reciprocal roots."""
    monkeypatch.setattr(vectors, "_estimates", lambda: False)
    lists = weights.zeros(200), weights.zeros(200, np.int32), np.zeros(4, np.int64)
    x = np.where(np.arange(64) % 3 == 0, np.arange(64), 0).astype(np.float32)  # two examples of two panels
    numba.njit(lambda lists, x: products.list_nonzero(lists, (x, 0), 2, 2, 2))(lists, x)
    for b in range(2):
        row = x.reshape(2, 2, 16)[:, b].ravel()
        found = slice(*lists[2][2 * b : 2 * b + 2])
        np.testing.assert_array_equal(lists[0][found], row[row != 0])
        np.testing.assert_array_equal(lists[1][found], 16 * np.flatnonzero(row))
    w, m, v = weights.zeros(9 * 16), weights.zeros(9 * 16), weights.zeros(9 * 16)
    x, slopes = RNG.normal(size=(9, 16)).astype(np.float32), RNG.normal(size=(16, 16)).astype(np.float32)
    adam = np.array([0.9, 0.999, -0.1, 1.0, 1e-16, 0.0, 1.0, 1.0], np.float32)
    step = lambda w, m, v, x, s, adam: products.update(w, m, v, 0, (x, 0), (s, 0), 8, 16, 16, 16, (adam, 0))
    numba.njit(step)(w, m, v, x.ravel(), slopes.ravel(), adam)
    np.testing.assert_allclose(m.reshape(9, 16), x @ slopes, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(w, -0.1 * np.sign(m), rtol=1e-5)


def test_one_that_fails_stops_the_others(monkeypatch):
    monkeypatch.setattr(program, "first", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        program.train([job(SparseMLPClassifier, **SPREAD)])


def test_what_cannot_be_compiled_is_left_to_xla(monkeypatch, caplog):
    monkeypatch.setattr(program, "compile_now", lambda precision: 1 / 0)
    monkeypatch.setattr(lanes, "_train_xla", lambda jobs, watches: ["by XLA"])
    lanes._kernel.cache_clear()
    assert lanes.train([job(SparseMLPClassifier, **SPREAD)]) == ["by XLA"]
    lanes._kernel.cache_clear()
    assert "the kernel for tables failed (division by zero); using XLA" in caplog.text


def test_without_numba_there_is_xla(monkeypatch):
    monkeypatch.setattr(lanes, "find_spec", lambda name: None)
    lanes._kernel.cache_clear()
    assert lanes._kernel() is None
    lanes._kernel.cache_clear()
