"""precision="fast": products of bfloat16 numbers, by the kernel for CPU cores and by XLA."""

from dataclasses import replace
from itertools import pairwise

import jax.numpy as jnp
import llvmlite.binding
import numba
import numpy as np
import pytest

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, fit_many, lanes
from glassware.tabular.attempts import attempt
from glassware.tabular.cpu import program, scratch, vectors, weights
from glassware.tabular.jobs import lane_values

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 11))
NUMBERS = X[:, 0] * X[:, 1] + X[:, 2]
CLASSES = (X[:, 0] * X[:, 1] > 0) + 2 * (X[:, 2] > 1)

halves_only = pytest.mark.skipif(not vectors.multiplies_halves(), reason="the processor does not multiply halves")

# Between them: one to three hidden layers; widths of odd and even numbers of panels, and less than one; batches that
# fill no pair, no group of eight, and no vector; last ones that are shorter; both decays; 1, 2, 4 and 18 outputs.
CASES = {
    "spread": (SparseMLPClassifier, CLASSES, {"hidden_layer_sizes": (33, 24, 8), "guided": False, "n_ensemble": 1}),
    "numbers": (SparseMLPRegressor, NUMBERS, {"hidden_layer_sizes": 40, "batch_size": 50, "weight_decay": 0.1}),
    "short": (SparseMLPClassifier, CLASSES, {"hidden_layer_sizes": (65, 17), "batch_size": 13}),
    "two": (SparseMLPClassifier, CLASSES > 1, {"hidden_layer_sizes": (24, 50), "batch_size": 21, "weight_decay": 0.1}),
    "many": (SparseMLPClassifier, np.arange(90) % 18, {"hidden_layer_sizes": (20, 1), "batch_size": 89}),
}


def job(name="short", random_state=0, precision="fast", rows=90, **more):
    kind, y, parameters = CASES[name]
    preset = "default" if name == "spread" else "paper"
    parameters = {"preset": preset, "epochs": 3, "early_stopping": False, "init_sparsity": None, **parameters, **more}
    model = kind(random_state=random_state, precision=precision, **parameters)
    prepared = model._prepare(X[:rows], y[:rows], 1 + np.arange(rows) % 3)
    return attempt(prepared, replace(prepared.recipe, cuts=0)).parts[0].job


def arrays(outcome):
    return [layer[name] for params in outcome.members for layer in params for name in ("w", "b")]


def halves(a):
    return a.astype(np.float32).astype(jnp.bfloat16).astype(np.float64)


def reference(one):
    """The rules in NumPy and float64, but for what is multiplied."""
    shape = one.shape()
    lane = lane_values(shape, one, 0, 0)
    first = weights.first(shape, X.shape[1], lane)
    params = [layer[name].astype(np.float64) for layer in first for name in ("w", "b")]
    params[0] = params[0][: X.shape[1]]  # without padded columns
    mean, square = ([np.zeros_like(a) for a in params] for _ in range(2))
    epochs = int(lane["epochs"])
    schedule = iter(weights.adam_schedule(shape, lane, 0, epochs).reshape(-1, 8).astype(np.float64))
    for order in weights.orders(shape, lane, 0, epochs):
        for start in range(0, len(order), shape.batch):
            rows = order[start : start + shape.batch]
            x, target = [halves(one.table.x[rows])], one.table.target[rows]
            for w, b in pairwise(params):
                if w.ndim == 2:
                    out = x[-1] @ halves(w) + b
                    x.append(halves(np.maximum(out, 0.0)))
            odds = np.exp(out - out.max(axis=1, keepdims=True))
            guess = target.sum(axis=1, keepdims=True) * odds / odds.sum(axis=1, keepdims=True)
            d = ((guess if one.classify else out) - target) * one.table.weight[rows, None] / len(rows)
            gradients = []
            for w, source in zip(params[-2::-2], x[-2::-1], strict=True):
                d = halves(d)
                gradients = [source.T @ d, d.sum(axis=0), *gradients]
                d = (d @ halves(w).T) * (source > 0)
            beta1, beta2, rise, spread, tiny, coupled, *kept = next(schedule)
            for i, gradient in enumerate(gradients):
                gradient = gradient + coupled * params[i]
                mean[i], square[i] = beta1 * mean[i] + gradient, beta2 * square[i] + gradient**2
                params[i] = kept[i % 2] * params[i] + rise * mean[i] / np.sqrt(spread * square[i] + tiny)
    return params


def distance(a, b):
    return max(np.abs(one - other).max() for one, other in zip(a, b, strict=True))


@halves_only
@pytest.mark.parametrize("name", CASES)
def test_it_rounds_what_is_multiplied_and_nothing_else(name):
    wanted = reference(job(name))
    fast, exact = (arrays(outcome) for outcome in program.train([job(name), job(name, precision="exact")]))
    assert distance(fast, wanted) < 3e-6
    assert distance(exact, wanted) > 3e-4


def test_xla_means_the_same():
    one = job("numbers", early_stopping=True)
    (by_xla,) = lanes.train([one], "xla")
    assert distance(arrays(by_xla), reference(one)) < 3e-6
    if vectors.multiplies_halves():  # held-out rows, too
        assert program.train([one])[0].loss == pytest.approx(by_xla.loss, rel=1e-6)
        assert program.train([job("numbers", precision="exact", early_stopping=True)])[0].loss != by_xla.loss


@halves_only
def test_networks_do_not_mind_their_company(monkeypatch):
    monkeypatch.setattr(program, "cores", lambda: 1)  # one scratch memory, in which a network that diverges leaves NaN
    wild, little = (job("two", batch_size=64, **more) for more in ({"learning_rate": 1e30}, {"rows": 20}))
    assert wild.shape() == little.shape()
    jobs = [wild, little, job(), job("spread"), job(precision="exact"), job(random_state=1)]
    for one, together in list(zip(jobs, program.train(jobs), strict=True))[1:]:
        for a, b in zip(arrays(program.train([one])[0]), arrays(together), strict=True):
            np.testing.assert_array_equal(a, b)
            assert np.isfinite(a).all()


def test_predictions_are_near_the_exact_ones():
    many = [
        SparseMLPClassifier(32, epochs=30, learning_rate=0.01, preset="paper", random_state=0, precision=precision)
        for precision in ("exact", "fast")
    ]
    exact, fast = (one.predict_proba(X) for one in fit_many(many, [(X, CLASSES)] * 2))
    assert np.abs(exact - fast).max() < 0.05
    if vectors.multiplies_halves():
        assert not np.array_equal(exact, fast)
        np.testing.assert_array_equal(fast, many[1].fit(X, CLASSES).predict_proba(X))


def test_other_processors_train_exactly(monkeypatch):
    monkeypatch.setattr(scratch, "multiplies_halves", lambda: False)
    fast, exact = program.train([job(), job(precision="exact")])
    for a, b in zip(arrays(fast), arrays(exact), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("name", "value"), [("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2"), ("ENABLE_AVX", 0)])
def test_who_names_a_processor_or_switches_avx_off_gets_no_halves(monkeypatch, name, value):
    """Numba then leaves instructions out, and what asks for them ends the process."""
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: {"avx512bf16": True})
    monkeypatch.setattr(numba.config, "ENABLE_AVX", 1)
    vectors._has.cache_clear()
    assert vectors._has("avx512bf16")
    monkeypatch.setattr(numba.config, name, value)
    vectors._has.cache_clear()
    assert not vectors.multiplies_halves()
    vectors._has.cache_clear()


def test_a_kernel_that_fails_does_not_take_the_other_with_it(monkeypatch):
    monkeypatch.setattr(program, "compile_now", lambda precision: 1 / (precision == "exact"))
    monkeypatch.setattr(program, "train", lambda jobs, watches: ["kernel" for _ in jobs])
    monkeypatch.setattr(lanes, "_train_xla", lambda jobs, watches: ["xla" for _ in jobs])
    lanes._kernel.cache_clear()
    assert lanes.train([job(), job(precision="exact"), job()]) == ["xla", "kernel", "xla"]
    lanes._kernel.cache_clear()


def test_only_what_is_asked_for_is_compiled(monkeypatch):
    asked = []
    monkeypatch.setattr(program, "compile_now", asked.append)
    monkeypatch.setattr(program, "train", lambda jobs, watches: jobs)
    for jobs in ([job(precision="exact")], [job()], [job()]):
        lanes._kernel.cache_clear()
        lanes.train(jobs)
    lanes._kernel.cache_clear()
    assert asked == ["exact", "fast", "fast"]
