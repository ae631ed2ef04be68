"""Inputs that are not uniform, against their definition written out in plain Python."""

import numpy as np
import pytest

import glassware as gw
from glassware.engine import cpu
from glassware.engine.choice import choose
from glassware.foundation.draws import Stream, draw, seed_words, stream_key, unit
from glassware.sweeps import run_id
from glassware.tasks import CubeParity, LeakyParity, Parity, Signs
from tests.helpers import TINY, tiny

KEY = seed_words(3)
EXAMPLES = stream_key(KEY, Stream.EXAMPLE)


def drawn(task, count):
    raw, values = task.raw(EXAMPLES, np.arange(count, dtype=np.uint32)), task.values(KEY)
    return np.asarray(raw), np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))


def reference(signs, n, count):
    """Each pair by itself: a sign, and one that copies it or is drawn as it was."""
    x, minus = np.empty((count, n)), (1 - signs.mean) / 2
    for i in range(count):
        for j in range(0, n, 2):
            words = draw(EXAMPLES, np.array([i], np.uint32), np.array([j // 2], np.uint32))
            first, second = (float(unit(word)[0]) for word in words)
            x[i, j] = -1 if first < minus else 1
            rest = (second - signs.correlation) / (1 - signs.correlation)
            if j + 1 < n:
                x[i, j + 1] = x[i, j] if second < signs.correlation else -1 if rest < minus else 1
    return x


@pytest.mark.parametrize("n", [5, 32, 33])
@pytest.mark.parametrize("signs", [Signs(mean=0.4), Signs(correlation=0.5), Signs(mean=-0.6, correlation=0.3)])
def test_inputs_are_those_of_the_definition(signs, n):
    task = Parity(n=n, k=3, distribution=signs)
    raw, x, y = drawn(task, 60)
    np.testing.assert_array_equal(x, reference(signs, n, 60))
    np.testing.assert_array_equal(y, np.prod(x[:, task.hidden_support(KEY)], axis=1))
    assert raw.shape == (60, -(-n // 32))


@pytest.mark.parametrize("signs", [Signs(mean=0.4), Signs(correlation=0.5), Signs(mean=-0.6, correlation=0.3)])
def test_means_and_correlations_are_as_asked(signs):
    count = 20_000
    _, x, _ = drawn(Parity(n=7, k=3, distribution=signs), count)
    expected = np.eye(7)
    for j in (0, 2, 4):
        expected[j, j + 1] = expected[j + 1, j] = signs.correlation
    assert np.abs(x.mean(0) - signs.mean).max() < 5 / np.sqrt(count)
    assert np.abs(np.corrcoef(x.T) - expected).max() < 6 / np.sqrt(count)


def test_no_kernel_takes_what_it_does_not_know():
    run = gw.Run(**{**TINY, "task": {"n": 10, "k": 2, "distribution": {"mean": 0.3}}})
    assert choose(run.shape(), "auto") == "xla"
    assert not cpu.supports(run.shape())
    with pytest.raises(gw.GlasswareError, match="the kernels cannot train"):
        choose(run.shape(), "kernels")
    row = gw.train(run)
    assert (row["engine"], row["input_mean"]) == ("xla", 0.3)


def test_uniform_inputs_are_the_run_of_before():
    plain, said = (tiny(task=task) for task in (Parity(n=10, k=2), Parity(n=10, k=2, distribution=Signs(mean=0.0))))
    assert run_id(plain) == run_id(said)
    assert "distribution" not in str(said.canonical())
    assert not {"input_mean", "input_correlation"} & set(said.columns())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Signs(mean=1.0), "less than 1"),
        (lambda: Signs(correlation=-0.1), "greater than or equal to 0"),
        (lambda: LeakyParity(n=9, k=3, distribution=Signs(mean=0.1)), "leave distribution out"),
        (lambda: CubeParity(n=9, k=3, distribution=Signs(mean=0.1)), "leave distribution out"),
        (
            lambda: gw.Run(
                task=Parity(n=9, k=3, distribution=Signs(mean=0.1)), model=gw.Neuron(), probes=("fourier_gap",)
            ),
            "leave task.distribution out",
        ),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(gw.GlasswareError, match=said):
        make()
